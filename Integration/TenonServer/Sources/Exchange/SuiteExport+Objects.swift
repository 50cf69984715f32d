import FirestoreExport
import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Objects: a list of buckets, and for each object a file with its content and one with its metadata.
extension SuiteExchange {
  func writeObjects(to folder: URL) async throws {
    let (contents, metadata) = (folder.appending(path: "blobs"), folder.appending(path: "metadata"))
    for folder in [contents, metadata] { try Self.create(folder) }
    var buckets: [JSON] = []
    for bucket in try await listed("/storage/v1/b?project=\(PercentEncoding.queryValue(project))") {
      guard let name = bucket["name"]?.string else { continue }
      buckets.append(["id": .string(name)])
      let path = "/storage/v1/b/\(PercentEncoding.queryValue(name))/o"
      try await forEachListed("\(path)?maxResults=1000") { object in
        let file = UUID().uuidString.lowercased()
        try await writeContent(of: object, path, to: contents.appending(path: file))
        try Self.save(Self.metadata(object), metadata.appending(path: "\(file).json"))
      }
    }
    try Self.save(["buckets": .array(buckets)], folder.appending(path: "buckets.json"))
  }

  private func writeContent(of object: JSON, _ path: String, to url: URL) async throws {
    let name = PercentEncoding.queryValue(object["name"]?.string ?? "")
    let response = try await send(.get, "\(path)/\(name)?alt=media")
    let file = try ExportProblem.naming(url.path) { try OpenFile(creating: url) }
    for try await piece in response.body { try ExportProblem.naming(url.path) { try file.append(piece) } }
    try ExportProblem.naming(url.path) { try file.synchronize() }
  }

  /// Returns the metadata of an object in the form of the emulator suite.
  private static func metadata(_ object: JSON) -> JSON {
    var custom = object["metadata"]?.object ?? [:]
    let tokens = custom.removeValue(forKey: tokensName)?.string?.split(separator: ",") ?? []
    let number = { (name: String) in object[name]?.string.flatMap { Int64($0) }.map(JSON.int) }
    let checksum = object["crc32c"]?.string.flatMap { Data(base64Encoded: $0) }.map { bytes in
      bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    return .members([
      "name": object["name"], "bucket": object["bucket"], "generation": number("generation"),
      "metageneration": number("metageneration"), "size": number("size"), "md5Hash": object["md5Hash"],
      "crc32c": checksum.map { .string(String($0)) }, "etag": object["etag"],
      "contentType": object["contentType"] ?? "application/octet-stream",
      "contentEncoding": object["contentEncoding"], "contentDisposition": object["contentDisposition"],
      "contentLanguage": object["contentLanguage"], "cacheControl": object["cacheControl"],
      "storageClass": object["storageClass"], "timeCreated": object["timeCreated"],
      "updated": object["updated"], "customMetadata": custom.isEmpty ? nil : .object(custom),
      "downloadTokens": .array(tokens.map { .string(String($0)) }),
    ])
  }

  /// The name in custom metadata under which download tokens are found.
  private static let tokensName = "firebaseStorageDownloadTokens"

  /// Returns the elements of a list of the JSON API.
  private func listed(_ path: String) async throws -> [JSON] {
    let elements = Lock([JSON]())
    try await forEachListed(path) { element in elements.withLock { $0.append(element) } }
    return elements.withLock { $0 }
  }

  /// Calls a closure with each element of a list of the JSON API.
  private func forEachListed(_ path: String, _ body: (JSON) async throws -> Void) async throws {
    var token: String?
    repeat {
      let next = token.map { "&pageToken=\(PercentEncoding.queryValue($0))" } ?? ""
      let page = try await json(.get, path + next)
      for element in page["items"]?.array ?? [] { try await body(element) }
      token = page["nextPageToken"]?.string
    } while token != nil
  }

  // MARK: - Import

  func readObjects(from folder: URL) async throws {
    let list = folder.appending(path: "buckets.json")
    for bucket in try Self.load(list)["buckets"]?.array ?? [] {
      guard let name = bucket["id"]?.string else {
        throw ExportProblem(list.path, "A bucket has no id.")
      }
      try await ExportProblem.named(list.path) { try await createBucket(name) }
    }
    let (contents, metadata) = (folder.appending(path: "blobs"), folder.appending(path: "metadata"))
    guard FileManager.default.fileExists(atPath: metadata.path) else { return }
    for path in try Self.files(below: metadata, "").sorted() where path.hasSuffix(".json") {
      let url = metadata.appending(path: path)
      let content = contents.appending(path: String(path.dropLast(5)))
      guard FileManager.default.fileExists(atPath: content.path) else {
        throw ExportProblem(url.path, "The content of the object, \(content.path), is missing.")
      }
      let json = try Self.load(url)
      try await ExportProblem.named(url.path) { try await readObject(json, content, url) }
    }
  }

  private func createBucket(_ name: String) async throws {
    let buckets = "/storage/v1/b?project=\(PercentEncoding.queryValue(project))"
    let known = try await listed(buckets).contains { $0["name"]?.string == name }
    if !known { try await json(.post, buckets, ["name": .string(name)]) }
  }

  private func readObject(_ metadata: JSON, _ content: URL, _ url: URL) async throws {
    guard let bucket = metadata["bucket"]?.string, let name = metadata["name"]?.string else {
      throw ExportProblem(url.path, "The object has no name or no bucket.")
    }
    let (place, object) = (PercentEncoding.queryValue(bucket), PercentEncoding.queryValue(name))
    let type = metadata["contentType"]?.string ?? "application/octet-stream"
    let response = try await send(
      .post, "/upload/storage/v1/b/\(place)/o?uploadType=media&name=\(object)", .file(content), type: type)
    var text = Data()
    for try await piece in response.body { text += piece }
    let stored = try JSON(parsing: text)
    if let expected = metadata["md5Hash"]?.string, !expected.isEmpty, stored["md5Hash"]?.string != expected {
      throw ExportProblem(content.path, "The content isn't that of the object \(name): its MD5 differs.")
    }
    var custom = metadata["customMetadata"]?.object ?? [:]
    let tokens = metadata["downloadTokens"]
    let texts = tokens?.array?.compactMap(\.string) ?? tokens?.string.map { [$0] } ?? []
    if !texts.isEmpty { custom[Self.tokensName] = .string(texts.joined(separator: ",")) }
    var changes: [String: JSON] = custom.isEmpty ? [:] : ["metadata": .object(custom)]
    for member in ["contentDisposition", "contentLanguage", "cacheControl", "contentEncoding"] {
      if let value = metadata[member]?.string, value != "identity" { changes[member] = .string(value) }
    }
    if !changes.isEmpty { try await json(.patch, "/storage/v1/b/\(place)/o/\(object)", .object(changes)) }
  }

  /// Returns the paths of the files in a folder and those below it. Links aren't followed.
  private static func files(below folder: URL, _ path: String) throws(ExportProblem) -> [String] {
    let names = try ExportProblem.naming(folder.path) {
      try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
    }
    var files: [String] = []
    for name in names {
      let inner = path.isEmpty ? name : "\(path)/\(name)"
      let attributes = try ExportProblem.naming(folder.path) {
        try FileManager.default.attributesOfItem(atPath: folder.appending(path: inner).path)
      }
      switch attributes[.type] as? FileAttributeType {
      case .typeDirectory?: files += try self.files(below: folder, inner)
      case .typeRegular?: files.append(inner)
      default: continue
      }
    }
    return files
  }
}

extension ExportProblem {
  /// Runs a closure, and names the file if the backend refuses what is in it.
  static func named<Value>(
    _ file: String, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let problem as ExportProblem {
      throw problem.description.contains(file) ? problem : ExportProblem(file, problem.description)
    }
  }
}

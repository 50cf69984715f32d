import FirestoreExport
import TenonDocuments
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// Exports of the project in the form of Firebase's emulator suite (`firebase emulators:export`), and imports of
/// them. One happens at a time.
///
/// The documents of a database come from one consistent read; so do each page of users and each object. The
/// format has neither the times at which documents were created and changed, nor generations of objects.
actor SuiteExchange {
  /// Files block.
  private let executor = QueueExecutor(label: "tenon-server.exchange")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let embedded: Embedded
  let project: String
  private var isExporting = false

  init(_ embedded: Embedded, project: String) {
    self.embedded = embedded
    self.project = project
  }

  /// The version of the form of documents, which is that of the emulator that defines it.
  private static let documentVersion = "1.19.8"

  /// Exports the project into a folder, whose last export is replaced when the new one is complete.
  ///
  /// - Throws: ``ExportProblem``; the errors of the backend. The last export remains then.
  func export(to path: String) async throws {
    guard !isExporting else { throw ExportProblem(path, "Another export is running. Wait for its end.") }
    isExporting = true
    defer { isExporting = false }
    let folder = ExportFolder(path)
    let draft = try folder.draft()
    do {
      try await write(to: draft)
      try folder.publish(draft)
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
  }

  private func write(to folder: URL) async throws {
    let version = JSON.string(Release.version)
    var metadata: [String: JSON] = ["version": version]
    var others: [JSON] = []
    for (number, database) in try await embedded.databaseNames.enumerated() {
      let isDefault = database == "(default)"
      let path = isDefault ? "firestore_export" : "firestore_databases/database-\(number)"
      let list = try await writeDocuments(of: database, to: folder.appending(path: path))
      var entry: [String: JSON] = [
        "version": .string(Self.documentVersion), "path": .string(path),
        "metadata_file": .string("\(path)/\(list)"),
      ]
      if isDefault {
        metadata["firestore"] = .object(entry)
      } else {
        entry["database"] = .string(database)
        others.append(.object(entry))
      }
    }
    // Which the emulator suite doesn't export, and ignores.
    if !others.isEmpty { metadata["firestoreDatabases"] = .array(others) }
    try await writeUsers(to: folder.appending(path: "auth_export"))
    metadata["auth"] = ["version": version, "path": "auth_export"]
    try await writeObjects(to: folder.appending(path: "storage_export"))
    metadata["storage"] = ["version": version, "path": "storage_export"]
    try Self.save(.object(metadata), folder.appending(path: ExportFolder.metadataFile))
  }

  private func writeDocuments(of database: String, to folder: URL) async throws -> String {
    try Self.create(folder)
    let name = DatabaseName(project: project, database: database)
    // Written on the thread of the database, within one read transaction.
    let output = Lock(try DocumentExport(folder, of: name))
    try await embedded.forEachDocument(in: database) { path, fields in
      try output.withLock { try $0.append(ExportedDocument(path: path, fields: fields)) }
    }
    let now = TimeSource.system.timestamp().microsecondsSince1970
    return try output.withLock { try $0.finish(now: now) }
  }

  private func writeUsers(to folder: URL) async throws {
    try Self.create(folder)
    let url = folder.appending(path: "accounts.json")
    let file = try ExportProblem.naming(url.path) { try OpenFile(creating: url) }
    var text = Data(#"{"kind":"identitytoolkit#DownloadAccountResponse","users":["#.utf8)
    var last: String?
    repeat {
      let users = try await embedded.users(after: last, limit: 1_000)
      for user in users {
        if last != nil { text += Data(",".utf8) }
        text += Data("\n".utf8) + (try user.serialized)
        last = user["localId"]?.string
      }
      if users.count < 1_000 { text += Data("]}\n".utf8) }
      let piece = text
      try ExportProblem.naming(url.path) { try file.append(piece) }
      text = Data()
      if users.count < 1_000 { break }
    } while true
    try ExportProblem.naming(url.path) { try file.synchronize() }
    let config = try await json(.get, "/emulator/v1/projects/\(project)/config")
    try Self.save(config, folder.appending(path: "config.json"))
  }

  // MARK: - Requests

  /// Sends a request to the backend as an administrator.
  ///
  /// - Throws: ``ExportProblem`` with the text of a response that isn't a success.
  func send(
    _ method: HTTPMethod, _ path: String, _ body: HTTPBody = .none, type: String = "application/json"
  ) async throws -> TransportStreamingResponse {
    guard let url = URL(string: "http://127.0.0.1\(path)") else { throw ExportProblem(path, "isn't a URL.") }
    let headers = HTTPHeaders([
      HTTPHeader(name: "Authorization", value: "Bearer owner"), HTTPHeader(name: "Content-Type", value: type),
    ])
    let response = try await embedded.stream(TransportRequest(method, url, headers: headers, body: body))
    guard (200...299).contains(response.status) else {
      var text = Data()
      for try await piece in response.body where text.count < 4_096 { text += piece }
      throw ExportProblem(path, "\(response.status) \(String(decoding: text.prefix(4_096), as: UTF8.self))")
    }
    return response
  }

  /// Sends a request, and returns the JSON of its response.
  @discardableResult
  func json(_ method: HTTPMethod, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    let response = try await send(method, path, body.map { .data(try $0.serialized) } ?? .none)
    var text = Data()
    for try await piece in response.body { text += piece }
    return try JSON(parsing: text)
  }

  // MARK: - Files

  static func create(_ folder: URL) throws(ExportProblem) {
    try ExportProblem.naming(folder.path) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
  }

  static func save(_ json: JSON, _ url: URL) throws(ExportProblem) {
    try ExportProblem.naming(url.path) {
      let file = try OpenFile(creating: url)
      try file.append(try json.serialized)
      try file.synchronize()
    }
  }

  /// Reads a JSON file.
  ///
  /// - Throws: ``ExportProblem`` that names the place of what isn't JSON.
  static func load(_ url: URL) throws(ExportProblem) -> JSON {
    let text = try ExportProblem.naming(url.path) {
      let file = try OpenFile(reading: url)
      let size = try file.size()
      guard size <= largestText else {
        throw ExportProblem(url.path, "The file has \(size) bytes, and at most \(largestText) are read.")
      }
      try file.seek(to: 0)
      return size == 0 ? Data() : try file.bytes(upTo: Int(clamping: size))
    }
    do { return try JSON(parsing: text, limit: largestText) } catch {
      let place = error.place(in: text)
      throw ExportProblem("\(url.path):\(place.line):\(place.column)", "This isn't JSON: \(error.reason).")
    }
  }

  /// The greatest size of a JSON file, in bytes.
  private static let largestText = 512 << 20
}

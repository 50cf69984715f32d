import Foundation
import TenonCore
import TenonHashes
import TenonStorage
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Google's google-cloud-storage, which uses Cloud Storage's JSON API, and the Swift client, which uses
/// `firebasestorage`, on the same objects. The Python client verifies the checksums of what it transfers.
@Suite(.limited, .deep, .secondOpinions) struct CloudStorageTests {
  private static let bucket = "\(ServedBackend.project).appspot.com"
  private let bucket: JSON = .string(Self.bucket)

  /// The hashes of a content as the Python program reports them.
  private func hashes(_ content: Data) -> JSON {
    var digest = ContentDigest()
    digest.update(content)
    return [
      "size": .int(digest.size), "md5": .string(digest.md5Hash), "crc32c": .string(digest.crc32cHash),
    ]
  }

  private func expectHashes(_ json: JSON, of content: Data) {
    let expected = hashes(content)
    for name in ["size", "md5", "crc32c"] { #expect(json[name] == expected[name]) }
  }

  // MARK: - Both clients

  /// Names and header fields with everything that is written in several ways.
  @Test func bothClientsSignTheSameURLs() async throws {
    try await withPeer(.objects) { server, python in
      let options = AppOptions(
        projectID: ServedBackend.project, apiKey: "any", storageBucket: Self.bucket,
        backend: .emulator(EmulatorHosts(storage: server.address)), data: .memory)
      let app = try App.configure(name: "signing-\(UUID())", options: options)
      let storage = try Storage.storage(app: app, as: .admin)
      let cases: [(String, SignedURLMethod, [String: String], String?)] = [
        ("a", .get, [:], nil), ("a b/c+d%25&e=f?g#h", .get, [:], "attachment; filename=\"a b+c%.txt\""),
        ("é/e\u{301}/\u{1F375}", .delete, [:], nil), ("~!*'();:@$,[]\\^`{|}\"<>", .head, [:], "inline"),
        ("up", .put, ["Content-Type": "text/plain; charset=utf-8", "x-goog-meta-Key": "  a   b  "], nil),
        (
          "up", .put, ["X-Goog-Content-SHA256": String(repeating: "0a", count: 32), "A-b": "", "a_c": "x"],
          nil
        ),
      ]
      for (name, method, headers, disposition) in cases {
        let url = try await storage.reference(withPath: name).signedURL(
          method, expiresIn: .seconds(3_600), headers: headers, responseContentDisposition: disposition)
        let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let time = try #require(query.first { $0.name == "X-Goog-Date" }?.value)
        let other = try await python.call(
          "signed_url",
          .members([
            "bucket": bucket, "name": .string(name), "time": .string(time), "seconds": 3_600,
            "method": .string(method.rawValue),
            "headers": headers.isEmpty ? nil : .object(headers.mapValues(JSON.string)),
            "response_disposition": disposition.map(JSON.string),
          ]))
        #expect(other.string == url.absoluteString, "\(name)")
      }
      await app.delete()
    }
  }

  @Test(arguments: [0, 1, 300_000, 3_000_000])
  func whatTheSwiftClientWroteHasEqualBytesAndHashes(size: Int) async throws {
    try await withPeer(.objects) { server, python in
      try await server.withApp { app in
        let storage = try Storage.storage(app: app)
        let content = pattern(size)
        let name: JSON = "from/swift é + 100%.bin"
        let object = storage.reference(withPath: "from/swift é + 100%.bin")
        _ = try await object.putDataAsync(content)
        #expect(try await python.call("get", ["bucket": bucket, "name": name]) == hashes(content))
        expectHashes(try await python.call("metadata", ["bucket": bucket, "name": name]), of: content)
        try await withTemporaryDirectory { directory in
          let file = directory.appending(path: "file")
          try content.write(to: file)
          _ = try await object.putFileAsync(from: file)
        }
        #expect(try await python.call("get", ["bucket": bucket, "name": name]) == hashes(content))
      }
    }
  }

  @Test(arguments: [
    (0, nil), (1, nil), (300_000, nil), (3_000_000, nil), (3_000_000, 262_144), (524_288, 262_144),
  ])
  func whatThePythonClientWroteHasEqualBytesAndHashes(size: Int, chunk: Int?) async throws {
    try await withPeer(.objects) { server, python in
      try await server.withApp { app in
        let content = pattern(size)
        let arguments: JSON = .members([
          "bucket": bucket, "name": "from/python é + 100%.bin", "size": .int(Int64(size)),
          "chunk_size": chunk.map { .int(Int64($0)) }, "metadata": ["k": "v"],
          "checksum": .string(size % 2 == 0 ? "md5" : "crc32c"),
        ])
        expectHashes(try await python.call("put", arguments), of: content)
        let object = try Storage.storage(app: app).reference(withPath: "from/python é + 100%.bin")
        #expect(try await object.data() == content)
        let metadata = try await object.getMetadata()
        #expect(metadata.size == Int64(size) && metadata.contentType == "application/x-pattern")
        #expect(metadata.customMetadata == ["k": "v"])
        #expect(metadata.md5Hash == hashes(content)["md5"]?.string)
        // An object without a download token gets one.
        let url = try await object.downloadURL()
        #expect(url.query()?.contains("token=") == true)
      }
    }
  }

  @Test func theSwiftClientListsAndDeletesWhatThePythonClientWrote() async throws {
    try await withPeer(.objects) { server, python in
      try await server.withApp { app in
        let storage = try Storage.storage(app: app)
        for name in ["a/1", "a/b/2", "c"] {
          try await python.call("put", ["bucket": bucket, "name": .string(name), "size": 1])
        }
        let root = try await storage.reference().listAll()
        #expect(root.items.map(\.fullPath) == ["c"] && root.prefixes.map(\.fullPath) == ["a"])
        try await storage.reference(withPath: "a/b/2").delete()
        let left = try await python.call("list", ["bucket": bucket])
        #expect(left["pages"] == [["a/1", "c"]])
        try await python.call("delete", ["bucket": bucket, "name": "a/1"])
        let thrown = await #expect(throws: StorageError.self) {
          try await storage.reference(withPath: "a/1").getMetadata()
        }
        #expect(thrown?.code == .objectNotFound)
      }
    }
  }

  // MARK: - Resumed uploads

  @Test func anUploadOfThePythonClientIsResumedAfterItsConnectionWasCut() async throws {
    try await withPeer(.objects) { server, python in
      let arguments: JSON = ["bucket": bucket, "name": "cut", "size": 1_000_000, "chunk_size": 262_144]
      let answer = try await python.call("put_with_cut", arguments)
      #expect(answer["resumedAt"] == 262_144 && answer["size"] == 1_000_000)
      let content = pattern(1_000_000)
      #expect(answer["md5"] == hashes(content)["md5"])
      #expect(try await python.call("get", ["bucket": bucket, "name": "cut"]) == hashes(content))
    }
  }

  /// Neither client notices that the server is another process.
  @Test func uploadsAreResumedAfterTheServerWasKilled() async throws {
    try await withTemporaryDirectory { directory in
      let first = try await ServedBackend(directory: directory)
      let python = try await Peer(.objects, of: first)
      let arguments: JSON = ["bucket": bucket, "name": "killed", "size": 1_000_000, "chunk_size": 262_144]
      #expect(try await python.call("begin", arguments) == 262_144)
      let address = first.address
      let content = pattern(1_000_000)
      let start = try await first.send(
        .post, "/v0/b/\(Self.bucket)/o?name=swift", [:],
        headers: ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"])
      let url = try #require(start.headers["X-Goog-Upload-URL"].flatMap { URL(string: $0) })
      let path = "\(url.path())?\(url.query() ?? "")"
      _ = try await first.upload(content.prefix(300_000), at: 0, to: path, "upload")
      _ = await first.stop(by: SIGKILL)
      let port = try #require(address.split(separator: ":").last)
      let second = try await ServedBackend(directory: directory, arguments: ["--port", String(port)])
      #expect(second.address == address)
      #expect(try await python.call("resume", ["name": "killed"]) == 262_144)
      #expect(try await python.call("get", ["bucket": bucket, "name": "killed"]) == hashes(content))
      let query = try await second.send(.post, path, headers: ["X-Goog-Upload-Command": "query"])
      #expect(query.headers["X-Goog-Upload-Size-Received"] == "300000")
      _ = try await second.upload(content.dropFirst(300_000), at: 300_000, to: path, "upload, finalize")
      #expect(try await python.call("get", ["bucket": bucket, "name": "swift"]) == hashes(content))
      await python.close()
      _ = await second.stop()
    }
  }

  /// With a token, another app continues the upload, as another process would.
  @Test(arguments: [false, true])
  func anUploadOfTheSwiftClientIsResumedAfterTheServerWasKilled(withToken: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let content = Data(repeating: 7, count: 12 << 20)
      let file = directory.appending(path: "file")
      try content.write(to: file)
      let data = directory.appending(path: "data")
      let first = try await ServedBackend(directory: data)
      let port = try #require(first.address.split(separator: ":").last)
      try await first.withApp { app in
        let storage = try Storage.storage(app: app)
        storage.uploadChunkSizeBytes = 256 << 10
        let upload = storage.reference(withPath: "killed").putFile(from: file)
        for await progress in upload.progress where progress.completedUnitCount >= 1 << 20 { break }
        _ = await first.stop(by: SIGKILL)
        #expect(upload.snapshot.status == .progress, "The upload was complete before the server was killed.")
        let token = try #require(upload.resumeToken)
        if withToken {
          upload.cancel()
          let error = await #expect(throws: StorageError.self) { try await upload.value }
          #expect(error?.code == .cancelled)
        }
        let second = try await ServedBackend(directory: data, arguments: ["--port", String(port)])
        let python = try await Peer(.objects, of: second)
        if withToken {
          try await second.withApp { other in
            let object = try Storage.storage(app: other).reference(withPath: "killed")
            #expect(try await object.resumeUploadAsync(token, from: file).size == Int64(content.count))
          }
        } else {
          #expect(try await upload.value.size == Int64(content.count))
        }
        #expect(try await python.call("get", ["bucket": bucket, "name": "killed"]) == hashes(content))
        await python.close()
        _ = await second.stop()
      }
    }
  }

  // MARK: - The JSON API

  @Test func aFileLikeObjectIsUploadedWithoutItsSize() async throws {
    try await withPeer(.objects) { _, python in
      let arguments: JSON = ["bucket": bucket, "name": "w", "size": 1_000_000, "chunk_size": 262_144]
      expectHashes(try await python.call("write", arguments), of: pattern(1_000_000))
      let range = try await python.call(
        "get_range", ["bucket": bucket, "name": "w", "start": 10, "end": 999])
      #expect(range == hashes(Data(pattern(1_000)[10...999])))
    }
  }

  @Test func objectsAreListedInPages() async throws {
    try await withPeer(.objects) { _, python in
      for name in ["a/1", "a/2", "b", "c/d/1", "e"] {
        try await python.call("put", ["bucket": bucket, "name": .string(name), "size": 1])
      }
      let pages = try await python.call("list", ["bucket": bucket, "page_size": 2])
      #expect(pages["pages"] == [["a/1", "a/2"], ["b", "c/d/1"], ["e"]])
      let root = try await python.call("list", ["bucket": bucket, "delimiter": "/"])
      #expect(root["pages"] == [["b", "e"]] && root["prefixes"] == ["a/", "c/"])
      let part = try await python.call("list", ["bucket": bucket, "prefix": "a"])
      #expect(part["pages"] == [["a/1", "a/2"]])
      let offsets = try await python.call(
        "list", ["bucket": bucket, "start_offset": "a/2", "end_offset": "c/d/1"])
      #expect(offsets["pages"] == [["a/2", "b"]])
    }
  }

  @Test func metadataIsChanged() async throws {
    try await withPeer(.objects) { _, python in
      let object: JSON = ["bucket": bucket, "name": "m"]
      let put: JSON = ["bucket": bucket, "name": "m", "size": 5, "metadata": ["a": "1", "b": "2"]]
      let created = try await python.call("put", put)
      #expect(created["metadata"] == ["a": "1", "b": "2"] && created["metageneration"] == 1)
      let patched = try await python.call(
        "patch",
        ["bucket": bucket, "name": "m", "content_type": "text/css", "metadata": ["a": "3", "b": .null]])
      #expect(patched["metadata"] == ["a": "3"] && patched["contentType"] == "text/css")
      #expect(patched["metageneration"] == 2 && patched["generation"] == created["generation"])
      let updated = try await python.call(
        "update", ["bucket": bucket, "name": "m", "cache_control": "no-store"])
      #expect(updated["metageneration"] == 3 && updated["metadata"] == ["a": "3"])
      let stale: JSON = [
        "call": "patch", "bucket": bucket, "name": "m", "metadata": [:], "if_metageneration_match": 1,
      ]
      #expect(try await python.call("status", stale) == 412)
      let exists: JSON = ["call": "put", "bucket": bucket, "name": "m", "size": 1, "if_generation_match": 0]
      #expect(try await python.call("status", exists) == 412)
      #expect(try await python.call("metadata", object)["size"] == 5)
      try await python.call("delete", object)
      #expect(try await python.call("metadata", object) == .null)
      #expect(try await python.call("status", ["call": "delete", "bucket": bucket, "name": "m"]) == 404)
    }
  }

  @Test func objectsAreCopiedAndComposed() async throws {
    try await withPeer(.objects) { _, python in
      let content = pattern(300_000)
      try await python.call("put", ["bucket": bucket, "name": "a", "size": 300_000])
      expectHashes(
        try await python.call("rewrite", ["bucket": bucket, "name": "a", "target": "b"]), of: content)
      let copied = try await python.call(
        "copy", ["bucket": bucket, "name": "a", "other_bucket": "other", "target": "c"])
      expectHashes(copied, of: content)
      #expect(copied["contentType"] == "application/x-pattern")
      try await python.call("delete", ["bucket": bucket, "name": "a"])
      #expect(try await python.call("get", ["bucket": "other", "name": "c"]) == hashes(content))
      let composed = try await python.call(
        "compose", ["bucket": bucket, "names": ["b", "b"], "target": "d"])
      expectHashes(composed, of: content + content)
      #expect(try await python.call("get", ["bucket": bucket, "name": "d"]) == hashes(content + content))
      try await python.call("delete_together", ["bucket": bucket, "names": ["b", "d"]])
      #expect(try await python.call("list", ["bucket": bucket])["pages"] == [[]])
    }
  }

  @Test func bucketsAreCreatedAndDeleted() async throws {
    try await withPeer(.objects) { _, python in
      #expect(try await python.call("create_bucket", ["name": "own"]) == "own")
      #expect(try await python.call("exists", ["bucket": "own"]) == true)
      #expect(try await python.call("exists", ["bucket": "none"]) == false)
      let names = try await python.call("buckets")
      #expect(names.array?.contains("own") == true && names.array?.contains(bucket) == true)
      #expect(try await python.call("status", ["call": "create_bucket", "name": "own"]) == 409)
      try await python.call("put", ["bucket": "own", "name": "a", "size": 1])
      #expect(try await python.call("status", ["call": "delete_bucket", "name": "own"]) == 409)
      try await python.call("delete", ["bucket": "own", "name": "a"])
      try await python.call("delete_bucket", ["name": "own"])
      #expect(try await python.call("exists", ["bucket": "own"]) == false)
    }
  }
}

extension ServedBackend {
  /// Sends a chunk of a resumable upload.
  fileprivate func upload(
    _ bytes: Data, at offset: Int, to path: String, _ command: String
  ) async throws -> TransportResponse {
    let request = TransportRequest(
      .post, try #require(URL(string: "http://\(address)\(path)")),
      headers: HTTPHeaders([
        HTTPHeader(name: "X-Goog-Upload-Command", value: command),
        HTTPHeader(name: "X-Goog-Upload-Offset", value: String(offset)),
      ]), body: .data(bytes))
    let response = try await SystemTransport.shared.send(request)
    #expect(response.status == 200)
    return response
  }
}

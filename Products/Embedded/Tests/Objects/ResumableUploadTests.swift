import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ResumableUploadTests {
  private let base = "https://firebasestorage.googleapis.com/v0/b/demo/o"

  private func start(_ backend: Backend, _ metadata: JSON = [:]) async throws -> String {
    let response = try await backend.send(
      .post,
      "\(base)?name=a",
      body: metadata.serialized,
      headers: [
        "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
        "X-Goog-Upload-Header-Content-Type": "image/png",
      ]
    )
    #expect(response.status == 200)
    #expect(response.headers["X-Goog-Upload-Status"] == "active")
    #expect(response.headers["X-Goog-Upload-Chunk-Granularity"] == "262144")
    return try #require(response.headers["X-Goog-Upload-URL"])
  }

  private func command(
    _ backend: Backend,
    _ url: String,
    _ command: String,
    offset: Int? = nil,
    _ body: Data? = nil
  ) async throws -> TransportResponse {
    var headers = ["X-Goog-Upload-Command": command]
    headers["X-Goog-Upload-Offset"] = offset.map(String.init)
    return try await backend.send(.post, url, body: body, headers: headers)
  }

  #if !os(Windows)
    /// Sends a command whose body comes from a pipe.
    ///
    /// - Returns: the future response, and the pipe once the backend has begun to read from it.
    private func commandFromPipe(
      _ backend: Backend, _ url: String, _ command: String, in directory: TemporaryDirectory
    ) async throws -> (answer: Task<TransportResponse, any Error>, pipe: FileHandle) {
      try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
      let file = URL(fileURLWithPath: "\(directory.path)/pipe")
      try #require(mkfifo(file.path, 0o600) == 0)
      let headers = HTTPHeaders([
        HTTPHeader(name: "X-Goog-Upload-Command", value: command),
        HTTPHeader(name: "X-Goog-Upload-Offset", value: "0"),
      ])
      let request = TransportRequest(
        .post, try #require(URL(string: url)), headers: headers, body: .file(file))
      let answer = Task { try await backend.embedded.send(request) }
      // A pipe without a reader can't be opened for writing.
      let descriptor = try await eventually(
        { open(file.path, O_WRONLY | O_NONBLOCK) }, satisfies: { $0 >= 0 })
      return (answer, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    @Test func ofTwoConcurrentAppendsTheSecondIsRejected() async throws {
      let directory = TemporaryDirectory()
      defer { directory.remove() }
      let backend = Backend()
      let url = try await start(backend)
      let (answer, pipe) = try await commandFromPipe(backend, url, "upload", in: directory)
      #expect(try await command(backend, url, "upload", offset: 0, Data("hello".utf8)).status == 200)
      try pipe.write(contentsOf: Data("world!".utf8))
      try pipe.close()
      let refused = try await answer.value
      #expect(refused.status == 400 && refused.headers["X-Goog-Upload-Size-Received"] == "5")
      #expect(try await command(backend, url, "finalize").status == 200)
      #expect(try await backend.send(.get, "\(base)/a?alt=media").body == Data("hello".utf8))
    }

    @Test func twoConcurrentFinalizationsGetTheSameResponse() async throws {
      let directory = TemporaryDirectory()
      defer { directory.remove() }
      let backend = Backend()
      let url = try await start(backend)
      let (answer, pipe) = try await commandFromPipe(backend, url, "upload, finalize", in: directory)
      let first = try await command(backend, url, "finalize")
      try pipe.close()
      let second = try await answer.value
      #expect(first.status == 200 && second == first)
    }
  #endif

  @Test func chunksBecomeOneObject() async throws {
    let backend = Backend()
    let bytes = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let url = try await start(backend, ["metadata": ["owner": "ada"]])
    #expect(try await command(backend, url, "upload", offset: 0, bytes.prefix(262_144)).status == 200)
    let middle = try await command(backend, url, "query")
    #expect(middle.headers["X-Goog-Upload-Size-Received"] == "262144")
    let last = try await command(backend, url, "upload, finalize", offset: 262_144, bytes.dropFirst(262_144))
    #expect(last.headers["X-Goog-Upload-Status"] == "final")
    let json = try JSON(parsing: last.body)
    #expect(json["size"] == "600000")
    #expect(json["contentType"] == "image/png")
    #expect(json["metadata"] == ["owner": "ada"])
    let whole = try await backend.send(.post, "\(base)?name=b", body: bytes)
    #expect(try JSON(parsing: whole.body)["md5Hash"] == json["md5Hash"])
    #expect(try await backend.send(.get, "\(base)/a?alt=media").body == bytes)
    #expect(
      try await backend.send(.get, "\(base)/a?alt=media", headers: ["Range": "bytes=262140-262147"]).body
        == bytes[262_140..<262_148]
    )
  }

  @Test func theOffsetIsChecked() async throws {
    let backend = Backend()
    let url = try await start(backend)
    _ = try await command(backend, url, "upload", offset: 0, Data("hello".utf8))
    for offset in [0, 4, 6, nil] {
      let response = try await command(backend, url, "upload", offset: offset, Data(" world".utf8))
      #expect(response.status == 400)
      #expect(response.headers["X-Goog-Upload-Status"] == "active")
      #expect(response.headers["X-Goog-Upload-Size-Received"] == "5")
    }
    #expect(try await command(backend, url, "upload, finalize", offset: 5, Data(" world".utf8)).status == 200)
    #expect(try await backend.send(.get, "\(base)/a?alt=media").body == Data("hello world".utf8))
  }

  @Test func anUploadResumesAfterARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let url = try await start(first)
    _ = try await command(first, url, "upload", offset: 0, Data("hello".utf8))
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(try await second.send(.get, "\(base)/a").status == 404)
    #expect(try await command(second, url, "query").headers["X-Goog-Upload-Size-Received"] == "5")
    let last = try await command(second, url, "upload, finalize", offset: 5, Data(" world".utf8))
    #expect(try JSON(parsing: last.body)["md5Hash"] == "XrY7u+Ae7tCTyyK7j1rNww==")
  }

  @Test func finalizingTwiceReturnsTheSameResponse() async throws {
    let backend = Backend()
    let url = try await start(backend)
    let first = try await command(backend, url, "finalize")
    let second = try await command(backend, url, "upload, finalize", offset: 0, Data("late".utf8))
    #expect(first.status == 200 && second == first)
    #expect(try JSON(parsing: first.body)["size"] == "0")
    #expect(try await command(backend, url, "upload", offset: 0, Data("late".utf8)).status == 400)
    #expect(try await command(backend, url, "cancel").status == 400)
  }

  @Test func anUploadBelongsToItsBucket() async throws {
    let backend = Backend()
    let url = try await start(backend)
    let other = url.replacing("/b/demo/", with: "/b/other/")
    #expect(other != url)
    #expect(try await command(backend, other, "query").status == 404)
    #expect(try await command(backend, other, "upload", offset: 0, Data("hello".utf8)).status == 404)
    #expect(try await command(backend, url, "query").headers["X-Goog-Upload-Size-Received"] == "0")
  }

  @Test func contentsWithoutAnObjectAreDeleted() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    // Rejected at its end, after several chunks.
    var body = Data("--x\r\n\r\n{\"md5Hash\":\"XUFAKrxLKna5cZ2REBfFkg==\"}\r\n--x\r\n\r\n".utf8)
    body += Data(count: 3_000_000) + Data("\r\n--x--".utf8)
    let headers = [
      "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=x",
    ]
    #expect(try await backend.send(.post, "\(base)?name=a", body: body, headers: headers).status == 400)
    // Cancelled and replaced.
    let url = try await start(backend)
    _ = try await command(backend, url, "upload", offset: 0, Data("hello".utf8))
    #expect(try await command(backend, url, "cancel").status == 200)
    for text in ["first", "second"] {
      #expect(try await backend.send(.post, "\(base)?name=a", body: Data(text.utf8)).status == 200)
    }
    await backend.embedded.close()
    let database = try Connection.open("\(directory.path)/backend/backend.sqlite")
    let contents = try database.first("SELECT count(*) FROM contents") { $0.integer(0) }
    #expect(contents == 1)
  }

  @Test func aCancelledUploadLeavesNoContent() async throws {
    let backend = Backend()
    let url = try await start(backend)
    _ = try await command(backend, url, "upload", offset: 0, Data("hello".utf8))
    #expect(try await command(backend, url, "cancel").status == 200)
    #expect(try await command(backend, url, "query").headers["X-Goog-Upload-Status"] == "cancelled")
    #expect(try await command(backend, url, "upload, finalize", offset: 5, Data()).status == 400)
    #expect(try await command(backend, url, "finalize").status == 400)
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
  }

  @Test func onlyBeginningAnUploadRequiresAUser() async throws {
    let backend = Backend()
    let url = try await start(backend)
    backend.embedded.settings.objectsRequireSignIn = true
    for id in ["", "&upload_id=made-up"] {
      for upload in ["multipart", "resumable", "raw"] {
        let response = try await backend.send(
          .post,
          "\(base)?name=b\(id)",
          body: Data("{}".utf8),
          headers: ["X-Goog-Upload-Protocol": upload, "X-Goog-Upload-Command": "start"]
        )
        #expect(response.status == (id.isEmpty ? 403 : 404))
      }
    }
    #expect(try await command(backend, url, "upload, finalize", offset: 0, Data("hello".utf8)).status == 200)
  }

  @Test func anUnknownUploadIsNotFound() async throws {
    let response = try await command(Backend(), "\(base)?name=a&upload_id=made-up", "query")
    #expect(response.status == 404)
  }

  @Test func contentWithAnotherDigestIsRejected() async throws {
    let backend = Backend()
    let url = try await start(backend, ["md5Hash": "XUFAKrxLKna5cZ2REBfFkg=="])
    #expect(try await command(backend, url, "upload, finalize", offset: 0, Data("hallo".utf8)).status == 400)
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
  }

  private func count(_ table: String, in directory: TemporaryDirectory) throws -> Int64? {
    try Connection.open("\(directory.path)/backend/backend.sqlite").first("SELECT count(*) FROM \(table)") {
      $0.integer(0)
    }
  }

  @Test func anUploadExpiresAfterAWeek() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    let old = try await start(backend)
    _ = try await command(backend, old, "upload", offset: 0, Data("hello".utf8))
    let finished = try await start(backend)
    _ = try await command(backend, finished, "upload, finalize", offset: 0, Data("kept".utf8))
    backend.clock.advance(bySeconds: 7 * 24 * 3_600)
    #expect(try await command(backend, old, "query").headers["X-Goog-Upload-Size-Received"] == "5")
    backend.clock.advance(bySeconds: 1)
    for command in ["query", "upload", "upload, finalize", "cancel"] {
      #expect(try await self.command(backend, old, command, offset: 5, Data()).status == 404)
    }
    _ = try await start(backend)
    #expect(try await backend.send(.get, "\(base)/a?alt=media").body == Data("kept".utf8))
    await backend.embedded.close()
    #expect(try count("uploads", in: directory) == 1)
    // The contents of the finished object and of the new upload.
    #expect(try count("contents", in: directory) == 2)
    #expect(try count("pieces", in: directory) == 1)
  }

  /// Adds copies of the first upload, with their own IDs and contents, begun one minute later.
  private func copyFirstUpload(_ count: Int, isActive: Bool, in directory: TemporaryDirectory) throws {
    let status = isActive ? "active" : "cancelled"
    let database = try Connection.open("\(directory.path)/backend/backend.sqlite")
    try database.execute(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
      INSERT INTO uploads (id, started, is_active, record)
      SELECT '\(status)' || n, started + 60000, \(isActive ? 1 : 0), CAST(json_set(
        CAST(record AS TEXT), '$.id', '\(status)' || n, '$.status', '\(status)', '$.content', -n) AS BLOB)
      FROM numbers, (SELECT * FROM uploads ORDER BY started LIMIT 1)
      """)
  }

  @Test func theOldestUploadOfTooManyIsDeleted() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let clock = TestClock()
    func run<Result>(_ body: (Backend) async throws -> Result) async throws -> Result {
      let backend = Backend(directory: directory.path, clock: clock)
      let result = try await body(backend)
      await backend.embedded.close()
      return result
    }
    let (first, second) = try await run { backend in
      let first = try await start(backend)
      _ = try await command(backend, first, "upload", offset: 0, Data("hello".utf8))
      clock.advance(bySeconds: 1)
      return (first, try await start(backend))
    }
    try copyFirstUpload(ObjectUpload.limit + 10, isActive: false, in: directory)
    clock.advance(bySeconds: 3_600)
    try await run { backend in
      _ = try await start(backend)
      // Uploads that ended don't count towards the limit of active ones.
      #expect(try await command(backend, first, "query").status == 200)
    }
    #expect(try count("uploads WHERE is_active = 0", in: directory) == Int64(ObjectUpload.limit - 1))
    try copyFirstUpload(ObjectUpload.limit - 3, isActive: true, in: directory)
    try await run { backend in
      #expect(try await command(backend, first, "query").status == 200)
      _ = try await start(backend)
      #expect(try await command(backend, first, "query").status == 404)
      #expect(try await command(backend, second, "upload, finalize", offset: 0, Data("x".utf8)).status == 200)
    }
    #expect(try count("uploads WHERE is_active = 1", in: directory) == Int64(ObjectUpload.limit - 1))
    #expect(try count("pieces", in: directory) == 1)
  }
}

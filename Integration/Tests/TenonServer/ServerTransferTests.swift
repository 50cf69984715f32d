import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Uploads to `tenon-server` and downloads from it that are cut or slow.
@Suite(.limited, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
struct ServerTransferTests {
  private static let large = 6 << 20
  /// The content of the uploads. It takes long to make in a debug build, and the server doesn't wait for a
  /// slow client forever.
  private static let content = pattern(large)

  /// A server whose temporary files are in a separate directory.
  private func withServer(_ body: (ServedBackend, _ temporary: URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let temporary = directory.appending(path: "tmp")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
      let server = try await ServedBackend(
        directory: directory.appending(path: "data"), environment: ["TMPDIR": temporary.path])
      do { try await body(server, temporary) } catch {
        _ = await server.stop()
        throw error
      }
      #expect(await server.stop().status == 0)
    }
  }

  /// The number of descriptors that the server has open.
  private func descriptors(_ server: ServedBackend) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.processID)/fd").count
  }

  private func isServing(_ server: ServedBackend) async -> Bool {
    let answer = try? await RawConnection.exchange(
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", with: server.address)
    return answer?.hasPrefix("HTTP/1.1 200") == true
  }

  /// Waits until the server has closed what it opened. Each request gives it time to notice that a peer is
  /// gone.
  private func expectDescriptors(_ count: Int, of server: ServedBackend) async throws {
    for _ in 0..<2_000 {
      #expect(await isServing(server))
      if try descriptors(server) <= count { return }
    }
    #expect(try descriptors(server) <= count)
  }

  private func stored(_ server: ServedBackend) async throws -> [String] {
    let list = try JSON(parsing: await server.send(.get, "/storage/v1/b/b/o").body)
    return (list["items"]?.array ?? []).compactMap { $0["name"]?.string }
  }

  /// The head of an upload, and all of it.
  private func upload(_ name: String, chunked: Bool) -> (head: Int, bytes: Data) {
    let framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(Self.large)"
    let head = Data("POST /v0/b/b/o?name=\(name) HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n".utf8)
    let body = Self.content
    guard chunked else { return (head.count, head + body) }
    return (
      head.count, head + Data("\(String(Self.large, radix: 16))\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8)
    )
  }

  @Test(arguments: [false, true])
  func aCutUploadLeavesNothing(chunked: Bool) async throws {
    try await withServer { server, temporary in
      _ = try await server.send(.get, "/storage/v1/b/b/o")
      #expect(await isServing(server))
      let before = try descriptors(server)
      let (head, bytes) = upload("cut", chunked: chunked)
      // In the head, behind it, in what is held in memory, in what is stored in a file, and before the last
      // byte.
      for length in [0, 10, head, head + 1, head + (1 << 20), head + (5 << 20), bytes.count - 1] {
        for ending in [true, false] {
          let connection = try RawConnection(server.address)
          try await connection.send(bytes.prefix(length))
          if ending {
            await connection.finish()
            _ = await connection.receive()
          }
        }
      }
      try await expectDescriptors(before, of: server)
      #expect(try await stored(server) == [])
      #expect(try ServedBackend.transfers(in: temporary) == [])
      let connection = try RawConnection(server.address)
      try await connection.send(bytes)
      let answer = await connection.receive { $0.contains(Data("\"md5Hash\"".utf8)) }
      #expect(answer.starts(with: Data("HTTP/1.1 200".utf8)))
      #expect(try await stored(server) == ["cut"])
      let content = try await server.send(.get, "/v0/b/b/o/cut?alt=media").body
      #expect(content == Self.content)
    }
  }

  /// What is held in a file has no name, so that nothing remains if the server is killed.
  @Test(.deep) func manySlowUploadsHaveNoFilesAndDoNotDisturbOthers() async throws {
    try await withServer { server, temporary in
      #expect(await isServing(server))
      let before = try descriptors(server)
      var slow: [RawConnection] = []
      for number in 0..<12 {
        let (head, bytes) = upload("slow\(number)", chunked: false)
        let connection = try RawConnection(server.address)
        try await connection.send(bytes.prefix(head + (5 << 20)))
        slow.append(connection)
      }
      _ = try await server.send(.post, "/v0/b/b/o?name=other", ["a": 1])
      #expect(try await stored(server) == ["other"])
      // The last one has been idle for the shortest time: the server ends an upload that stalls for 30
      // seconds.
      try await slow[11].send(Self.content.dropFirst(5 << 20))
      let answer = await slow[11].receive { $0.contains(Data("\"md5Hash\"".utf8)) }
      #expect(answer.starts(with: Data("HTTP/1.1 200".utf8)))
      #expect(try ServedBackend.transfers(in: temporary) == [])
      slow = []
      try await expectDescriptors(before + 1, of: server)
      #expect(try await stored(server) == ["other", "slow11"])
    }
  }

  @Test(.deep) func aCutDownloadReleasesItsConnection() async throws {
    try await withServer { server, temporary in
      let url = try #require(URL(string: "http://\(server.address)/v0/b/b/o?name=a"))
      let response = try await SystemTransport.shared.send(
        TransportRequest(.post, url, body: .data(pattern(24 << 20))))
      #expect(response.status == 200)
      #expect(await isServing(server))
      let before = try descriptors(server)
      for path in ["/v0/b/b/o/a?alt=media", "/download/storage/v1/b/b/o/a?alt=media"] {
        for length in [0, 1, 1_000, 2 << 20, 20 << 20] {
          let connection = try RawConnection(server.address)
          try await connection.send(Data("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
          if length > 0 { _ = await connection.receive { $0.count >= length } }
        }
      }
      try await expectDescriptors(before, of: server)
      #expect(try ServedBackend.transfers(in: temporary) == [])
      #expect(try await stored(server) == ["a"])
    }
  }
}

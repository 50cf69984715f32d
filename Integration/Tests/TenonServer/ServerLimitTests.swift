import Foundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// The effects that one client can have on `tenon-server` and on its other clients.
@Suite(.limited) struct ServerLimitTests {
  /// The number of files that a process may open, for the tests that exhaust it.
  private static let files = 64

  private func isServing(_ server: ServedBackend) async -> Bool {
    let answer = try? await RawConnection.exchange(
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", with: server.address)
    return answer?.hasPrefix("HTTP/1.1 200") == true
  }

  @Test(.deep) func connectionsBeyondTheDescriptorLimitDoNotEndTheServer() async throws {
    try await withServedBackend(openFiles: Self.files) { server in
      var silent: [RawConnection] = []
      for _ in 0..<(2 * Self.files) { silent.append(try RawConnection(server.address)) }
      // Idle connections make room.
      #expect(await isServing(server))
      var halfway: [RawConnection] = []
      for _ in 0..<(Self.files / 3) {
        let connection = try RawConnection(server.address)
        try await connection.send(Data("GET / HTTP/1.1\r\nHost: lo".utf8))
        halfway.append(connection)
      }
      // Requests that aren't completed are abandoned.
      #expect(await isServing(server))
      withExtendedLifetime((silent, halfway)) {}
    }
  }

  private static let prlimit = "/usr/bin/prlimit"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: prlimit)))
  func theServerWaitsForFileDescriptors() async throws {
    try await withServedBackend { server in
      func limitFiles(to count: Int) async throws {
        let arguments = ["--pid", "\(server.process.processID)", "--nofile=\(count):1024"]
        #expect(try await Executable(path: Self.prlimit).run(arguments).status == 0)
      }
      // From now on, no file can be opened beyond the first three, which are open.
      try await limitFiles(to: 3)
      let connection = try RawConnection(server.address)
      try await connection.send(Data("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
      #expect(await connection.receive(timeout: .milliseconds(500)).isEmpty)
      try await limitFiles(to: 1_024)
      #expect(await connection.receive().starts(with: Data("HTTP/1.1 200".utf8)))
      #expect(await isServing(server))
    }
  }

  @Test(.deep) func aRequestHeadHasATimeLimit() async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      try await connection.send(Data("GET / HTTP/1.1\r\nHost: localhost\r\n".utf8))
      let answer = String(decoding: await connection.receive(), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
    }
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "a", count: 40_000) + "\r\n\r\n", 431),
      ("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: y\r\n", count: 200) + "\r\n", 431),
      ("GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nX: a\u{1}b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nX : a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/1.1 x\r\nHost: localhost\r\n\r\n", 400), ("GET\r\n\r\n", 400), ("\0\0\0\0\r\n\r\n", 400),
      ("G\u{7}T / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), ("PRI * HTTP/2.0\r\n\r\n", 505),
      ("GET x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1e3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9223372036854775807\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
    ])
  func malformedRequestsAreRejected(request: String, status: Int) async throws {
    try await withServedBackend { server in
      let answer = try await RawConnection.exchange(request, with: server.address)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(await isServing(server))
    }
  }

  @Test func aConnectionCarriesManyRequestsAndChunks() async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let chunks =
        "POST /v0/b/b/o?name=a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "1;x=y\r\na\r\n00000002\r\nbc\r\n0\r\nTrailer: x\r\n\r\n"
      let last = "GET /v0/b/b/o/a?alt=media HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      try await connection.send(Data((get + chunks + get + last).utf8))
      let answer = String(decoding: await connection.receive(), as: UTF8.self)
      #expect(answer.split(separator: "HTTP/1.1 200 ", omittingEmptySubsequences: false).count == 5)
      #expect(answer.hasSuffix("\r\n\r\nabc"))
    }
  }

  /// A request that is rejected before its content has been read.
  private static let refused = "POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000000000\r\n\r\n"

  /// More bytes than the buffers of both sides hold.
  @Test func aRejectionReachesAClientThatKeepsSending() async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      try await connection.send(Data(Self.refused.utf8))
      let piece = Data(count: 1 << 20)
      for _ in 0..<48 { try await connection.send(piece) }
      let answer = String(decoding: await connection.receive(), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.hasSuffix("\n"), "\(answer)")
    }
  }

  @Test func aRejectedClientIsNotReadForever() async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      try await connection.send(Data(Self.refused.utf8))
      let piece = Data(count: 1 << 20)
      var sent = 0
      while sent < 256, (try? await connection.send(piece)) != nil { sent += 1 }
      #expect(sent < 256)
      #expect(await isServing(server))
    }
  }

  @Test(.deep) func rejectedClientsThatStayMakeRoomForOthers() async throws {
    try await withServedBackend(openFiles: Self.files) { server in
      var refused: [RawConnection] = []
      for _ in 0..<(2 * Self.files) {
        let connection = try RawConnection(server.address)
        try await connection.send(Data(Self.refused.utf8))
        refused.append(connection)
      }
      #expect(await isServing(server))
      for connection in refused {
        #expect(await connection.receive().starts(with: Data("HTTP/1.1 403 ".utf8)))
      }
    }
  }

  /// Each of these requests used to retain more than 600 bytes for an hour.
  @Test(.deep, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
  func completedRequestsReleaseTheirMemory() async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      let requests = Data(
        String(repeating: "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 100).utf8)
      func send(hundreds: Int) async throws {
        for _ in 0..<hundreds {
          try await connection.send(requests)
          let answers = await connection.receive {
            String(decoding: $0, as: UTF8.self).components(separatedBy: "HTTP/1.1 404 ").count == 101
          }
          #expect(!answers.isEmpty)
        }
      }
      func kilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.process.processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return try #require(line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
      }
      try await send(hundreds: 20)
      let before = try kilobytes()
      try await send(hundreds: 50)
      #expect(try kilobytes() - before < 1_500)
    }
  }

  /// Without this, the allocator would keep the memory of a flood as long as the server runs.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
  func theMemoryOfConnectionsIsGivenBackWhenTheyHaveEnded() async throws {
    try await withServedBackend { server in
      let request = Data("GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      func anonymousKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.process.processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return try #require(line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
      }
      let before = try anonymousKilobytes()
      var connections: [RawConnection] = []
      for _ in 0..<800 {
        let connection = try RawConnection(server.address)
        try await connection.send(request)
        _ = await connection.receive { $0.count > 20 }
        connections.append(connection)
      }
      let many = try anonymousKilobytes()
      #expect(connections.count == 800)
      connections = []
      try await eventually { try anonymousKilobytes() - before < (many - before) * 2 / 3 }
    }
  }

  /// Large content is stored in a file.
  @Test func largeContentIsNotHeldInMemory() async throws {
    try await withServedBackend { server in
      let content = Data(repeating: 0x5A, count: 24 << 20)
      let connection = try RawConnection(server.address)
      try await connection.send(
        Data(
          "POST /v0/b/b/o?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(content.count)\r\n\r\n".utf8
        )
          + content)
      let answer = await connection.receive { $0.contains(Data("\"size\":\"\(content.count)\"".utf8)) }
      #expect(answer.starts(with: Data("HTTP/1.1 200".utf8)))
      let large = "{\"x\":\"" + String(repeating: "a", count: 5 << 20) + "\"}"
      let refused = try await RawConnection.exchange(
        "POST /identitytoolkit.googleapis.com/v1/accounts:signUp?key=a HTTP/1.1\r\nHost: localhost\r\n"
          + "Connection: close\r\nContent-Length: \(large.utf8.count)\r\n\r\n\(large)", with: server.address)
      #expect(refused.hasPrefix("HTTP/1.1 413 "))
    }
  }
}

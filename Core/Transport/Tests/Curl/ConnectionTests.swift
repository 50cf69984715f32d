import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(.limited)
  struct ConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func answering(at address: RawServer.Address = .loopback) throws -> RawServer {
      try RawServer(at: address) { connection in
        while connection.readHead() != nil { connection.write(ok) }
      }
    }

    @Test func connectionIsUsedAgain() async throws {
      let server = try Self.answering()
      let transport = CurlTransport()
      for _ in 0..<20 {
        #expect(try await transport.send(TransportRequest(.get, server.url("/"))).status == 200)
        for try await _ in try await transport.stream(TransportRequest(.get, server.url("/"))).body {}
      }
      #expect(server.accepted == 1)
    }

    @Test func connectionsAreLimited() async throws {
      let server = try Self.answering()
      let transport = CurlTransport(configuration: TransportConfiguration(maxConnectionsPerHost: 3))
      // The time for connecting includes that in the queue, which may be long on a busy machine.
      var request = TransportRequest(.get, server.url("/"))
      request.timeouts.connecting = nil
      try await withThrowingTaskGroup { group in
        for _ in 0..<50 {
          group.addTask { [request] in try await transport.send(request).status }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(server.accepted <= 3)
    }

    /// A connection that the server has closed in the meantime is replaced.
    @Test func closedConnectionIsReplaced() async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(Self.ok)
        connection.shutDown()
      }
      let transport = CurlTransport()
      for method in [HTTPMethod.get, .post, .put, .post] {
        #expect(try await transport.send(TransportRequest(method, server.url("/"))).status == 200)
        try await eventually { server.open == 0 }
      }
    }

    /// The server may have processed a request that it didn't answer, so only idempotent ones are sent again.
    @Test(arguments: [(HTTPMethod.get, true), (.put, true), (.post, false), (.patch, false)])
    func requestIsSentTwiceOnlyIfItIsIdempotent(_ method: HTTPMethod, _ isRepeated: Bool) async throws {
      let heads = Lock(0)
      let server = try RawServer { connection in
        for count in 0... {
          guard connection.readHead() != nil else { return }
          let total = heads.withLock { heads in
            heads += 1
            return heads
          }
          // The second request on the first connection isn't answered.
          guard count == 0 || total > 2 else { return }
          connection.write(Self.ok)
        }
      }
      let transport = CurlTransport()
      _ = try await transport.send(TransportRequest(.get, server.url("/")))
      let request = TransportRequest(method, server.url("/"))
      if isRepeated {
        #expect(try await transport.send(request).status == 200)
        #expect(heads.withLock { $0 } == 3)
      } else {
        await expect(.connectionLost) { try await transport.send(request) }
        #expect(heads.withLock { $0 } == 2)
      }
    }

    /// Versions of libcurl before 7.80 can't be kept from repeating a request on a connection that turns out
    /// to be closed.
    @Test(arguments: [(HTTPMethod.get, 1), (.put, 1), (.post, 4), (.patch, 4)])
    func olderLibraryUsesNewConnectionsForRequestsThatAreNotIdempotent(
      _ method: HTTPMethod, _ connections: Int
    ) async throws {
      let server = try Self.answering()
      let transport = CurlTransport(configuration: TransportConfiguration(), hasRequestCallback: false)
      for _ in 0..<4 {
        #expect(try await transport.send(TransportRequest(method, server.url("/"))).status == 200)
      }
      #expect(server.accepted == connections)
    }

    // MARK: - Release

    /// In a separate process, because other tests open sockets at the same time.
    @Test func cancelledCallReleasesItsConnection() async {
      await #expect(processExitsWith: .success) {
        let server = try RawServer { $0.drain() }
        let transport = CurlTransport()
        let before = try ProcessState.sockets()
        for _ in 0..<20 {
          let calls = (0..<10).map { _ in
            Task { try await transport.send(TransportRequest(.get, server.url("/"))) }
          }
          try await eventually { server.open >= 10 }
          calls.forEach { $0.cancel() }
          for call in calls { _ = await call.result }
          try await eventually { server.open == 0 && transport.openExchanges == 0 }
        }
        // The transport's own two sockets, with which its thread is woken, may have been opened in between.
        guard try ProcessState.sockets() <= before + 2 else { exit(2) }
      }
    }

    @Test func releasedTransportEndsItsThread() async {
      await #expect(processExitsWith: .success) {
        let server = try Self.answering()
        _ = try await CurlTransport().send(TransportRequest(.get, server.url("/")))
        try await eventually { server.open == 0 }
        let before = try ProcessState.sockets()
        for _ in 0..<50 {
          let transport = CurlTransport()
          #expect(try await transport.send(TransportRequest(.get, server.url("/"))).status == 200)
        }
        try await eventually { try server.open == 0 && ProcessState.threads(named: "tenon.curl") == 0 }
        guard try ProcessState.sockets() <= before else { exit(2) }
      }
    }

    @Test func streamOutlivesItsTransport() async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(4 << 20)\r\n\r\n")
        connection.write(Data(count: 4 << 20))
      }
      var transport: CurlTransport? = CurlTransport()
      weak let released = transport
      let response = try await transport?.stream(TransportRequest(.get, server.url("/")))
      transport = nil
      #expect(released == nil)
      var count = 0
      for try await chunk in try #require(response).body { count += chunk.count }
      #expect(count == 4 << 20)
    }

    /// The exit handlers of TLS libraries free what connections use.
    @Test(arguments: 0..<DeepTests.count(1, deep: 4))
    func processCanExitDuringExchanges(_ round: Int) async {
      await #expect(processExitsWith: .success) {
        let server = try RawServer { _ in }
        for _ in 0..<4 {
          Task {
            while true {
              let request = TransportRequest(.get, server.url("/", scheme: "https"))
              _ = try? await CurlTransport().send(request)
            }
          }
        }
        try await eventually { server.accepted >= 100 }
        exit(EXIT_SUCCESS)
      }
    }

    // MARK: - Addresses

    @Test func unixSocketIsUsed() async throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "t-\(UUID().uuidString.prefix(8))")
        .path
      defer { try? FileManager.default.removeItem(atPath: path) }
      let server = try Self.answering(at: .unix(path: path))
      let transport = CurlTransport(configuration: TransportConfiguration(unixSocket: URL(filePath: path)))
      #expect(try await transport.send(TransportRequest(.get, server.url("/any"))).body == Data("ok".utf8))
    }

    @Test func addressOfVersion6IsUsed() async throws {
      let server = try Self.answering(at: .loopback6)
      #expect(try await CurlTransport().send(TransportRequest(.get, server.url("/"))).body == Data("ok".utf8))
    }

    @Test func nameOfTheLoopbackHostIsFound() async throws {
      let server = try LoopbackServer.echo()
      let request = TransportRequest(.get, server.url("/", host: "localhost"))
      #expect(try await CurlTransport().send(request).status == 200)
    }

    @Test func unknownHostIsUnreachable() async throws {
      let url = try #require(URL(string: "https://no-such-host.invalid/"))
      await expect(.unreachable) {
        try await CurlTransport().send(TransportRequest(.get, url, deadline: .seconds(60)))
      }
    }

    // MARK: - Proxies

    @Test func proxyIsUsedForOtherHostsOnly() async throws {
      let heads = Lock<[String]>([])
      let proxy = try RawServer { connection in
        guard let head = connection.readHead() else { return }
        heads.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
        connection.write("HTTP/1.1 502 Bad gateway\r\nX-Many: headers\r\nContent-Length: 0\r\n\r\n")
      }
      let transport = CurlTransport(configuration: TransportConfiguration(proxy: .url(proxy.url(""))))
      let secret = HTTPHeaders([HTTPHeader(name: "Authorization", value: "secret")])
      let remote = try #require(URL(string: "https://example.invalid/path"))
      await #expect(throws: TransportError.self) {
        try await transport.send(TransportRequest(.get, remote, headers: secret, deadline: .seconds(20)))
      }
      #expect(heads.withLock { $0.count } == 1)
      #expect(heads.withLock { $0[0] }.hasPrefix("CONNECT example.invalid:443 HTTP/1.1\r\n"))
      #expect(!heads.withLock { $0[0] }.contains("secret"))

      let server = try Self.answering()
      #expect(try await transport.send(TransportRequest(.get, server.url("/"))).status == 200)
      #expect(heads.withLock { $0.count } == 1)
    }
  }
#endif

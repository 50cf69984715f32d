#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(.limited)
  struct TimeoutTests {
    let transport = CurlTransport()

    /// The deadline of requests that test another limit: shorter than the defaults of all other limits, so
    /// that it is the one that is named if the limit under test has no effect.
    private let deadline = Duration.seconds(20)

    private func expect(
      _ code: TransportError.Code, _ timeout: TransportError.Timeout,
      at location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
      let error = await #expect(throws: TransportError.self, sourceLocation: location) { try await body() }
      #expect(error?.code == code, sourceLocation: location)
      #expect(error?.timeout == timeout, sourceLocation: location)
    }

    /// A TLS handshake that the server never answers is part of connecting.
    @Test func silentHandshakeIsATimeoutOfConnecting() async throws {
      let server = try RawServer { $0.drain() }
      var request = TransportRequest(.get, server.url("/", scheme: "https"), deadline: deadline)
      request.timeouts.connecting = .milliseconds(80)
      await expect(.unreachable, .connecting) { _ = try await transport.send(request) }
      try await eventually { transport.openExchanges == 0 }
    }

    @Test func fullHostIsATimeoutOfConnecting() async throws {
      let server = try RawServer { $0.drain() }
      let transport = CurlTransport(configuration: TransportConfiguration(maxConnectionsPerHost: 1))
      let first = Task { try await transport.send(TransportRequest(.get, server.url("/"))) }
      try await eventually { server.accepted != 0 }
      var request = TransportRequest(.get, server.url("/"), deadline: deadline)
      request.timeouts.connecting = .milliseconds(80)
      await expect(.unreachable, .connecting) { _ = try await transport.send(request) }
      #expect(server.accepted == 1)
      first.cancel()
      _ = await first.result
    }

    @Test(arguments: [false, true])
    func silenceAfterTheRequestIsATimeoutOfTheFirstByte(hasBody: Bool) async throws {
      let server = try RawServer { $0.drain() }
      let body = HTTPBody.data(Data(count: 100_000))
      var request = TransportRequest(
        hasBody ? .put : .get, server.url("/"), body: hasBody ? body : .none, deadline: deadline)
      request.timeouts.firstByte = .milliseconds(80)
      await expect(.timedOut, .firstByte) { _ = try await transport.send(request) }
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
    func silenceWithinTheResponseIsInactivity(_ text: String) async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(text)
        connection.drain()
      }
      var request = TransportRequest(.get, server.url("/"), deadline: deadline)
      request.timeouts.inactivity = .milliseconds(80)
      await expect(.timedOut, .inactivity) { _ = try await transport.send(request) }
      await expect(.timedOut, .inactivity) {
        for try await _ in try await transport.stream(request).body {}
      }
    }

    @Test func serverThatStopsReadingIsInactivity() async throws {
      let gate = ThreadGate()
      defer { gate.open() }
      let server = try RawServer { _ in gate.pass() }
      var request = TransportRequest(
        .put, server.url("/"), body: .data(Data(count: 64 << 20)), deadline: deadline)
      request.timeouts.inactivity = .milliseconds(150)
      await expect(.timedOut, .inactivity) { _ = try await transport.send(request) }
    }

    /// Each part arrives in time.
    @Test func slowResponseWithProgressIsAResponse() async throws {
      let count = try await withLongerTimesIfNecessary { scale in
        let server = try RawServer { connection in
          _ = connection.readHead()
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
          for _ in 0..<6 {
            usleep(UInt32(60_000 * scale))
            connection.write("a")
          }
        }
        var request = TransportRequest(.get, server.url("/"))
        request.timeouts.inactivity = .milliseconds(250) * scale
        return try await transport.send(request).body.count
      }
      #expect(count == 6)
    }

    /// Runs an operation that must not fail because of a time limit, and repeats it with times that are 4 and
    /// 16 times as long if it does, because a busy machine may run a server too late.
    private func withLongerTimesIfNecessary(_ operation: (_ scale: Int) async throws -> Int) async throws
      -> Int
    {
      for scale in [1, 4] {
        do { return try await operation(scale) } catch let error as TransportError
          where error.code == .timedOut
        {}
      }
      return try await operation(16)
    }

    /// The time that the caller takes isn't the server's.
    @Test func slowCallerIsNotInactivity() async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(4 << 20)\r\n\r\n")
        connection.write(Data(count: 4 << 20))
        connection.drain()
      }
      let count = try await withLongerTimesIfNecessary { scale in
        var request = TransportRequest(.get, server.url("/"))
        request.timeouts.inactivity = .milliseconds(60) * scale
        var count = 0
        for try await chunk in try await transport.stream(request).body {
          if count == 0 { try await Task.sleep(for: .milliseconds(300) * scale) }
          count += chunk.count
        }
        return count
      }
      #expect(count == 4 << 20)
    }

    @Test func deadlineIsNamed() async throws {
      let server = try RawServer { $0.drain() }
      let request = TransportRequest(.get, server.url("/"), deadline: .milliseconds(60))
      await expect(.timedOut, .exchange) { _ = try await transport.send(request) }
    }
  }
#endif

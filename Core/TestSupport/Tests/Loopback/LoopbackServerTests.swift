#if !os(Windows)
  import TenonTestSupport
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(.limited) struct LoopbackServerTests {
    /// The descriptor of a stopped server's socket is soon that of another socket.
    @Test func stoppingAServerAgainLeavesOtherServersRunning() async throws {
      var stopped: [LoopbackServer] = []
      var running: [LoopbackServer] = []
      for _ in 0..<50 {
        let server = try LoopbackServer.echo()
        server.stop()
        stopped.append(server)
        running.append(try LoopbackServer.echo())
        stopped.forEach { $0.stop() }
      }
      for server in running {
        let response = try await SystemTransport.shared.send(TransportRequest(.get, server.url("/here")))
        #expect(response.headers["X-Target"] == "/here")
        server.stop()
      }
    }

    @Test func aStoppedServerRefusesConnections() async throws {
      let server = try LoopbackServer.echo()
      server.stop()
      let error = await #expect(throws: TransportError.self) {
        try await SystemTransport.shared.send(TransportRequest(.get, server.url("/")))
      }
      #expect([.unreachable, .connectionLost].contains(error?.code))
    }
  }
#endif

import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(
    .limited, .tlsTerminator)
  struct HTTP2Tests {
    private static func transport(for server: HTTP2Server) -> CurlTransport {
      CurlTransport(configuration: TransportConfiguration(certificateAuthorities: server.certificate))
    }

    private static func post(_ text: String, to server: HTTP2Server) -> TransportRequest {
      TransportRequest(.post, server.url("/"), body: .data(Data(text.utf8)), deadline: .seconds(120))
    }

    /// No request is answered before all have arrived, so they must be on the connection at the same time.
    @Test func manyExchangesShareOneConnection() async throws {
      let waiting = Lock<[HTTP2Server.Request]>([])
      let server = try HTTP2Server { request in
        let all = waiting.withLock { waiting in
          waiting.append(request)
          return waiting.count == 64 ? waiting : []
        }
        for request in all.reversed() { request.answer("answer to \(request.text)") }
      }
      let transport = Self.transport(for: server)
      try await withThrowingTaskGroup { group in
        for number in 0..<64 {
          group.addTask {
            let body = try await transport.send(Self.post("\(number)", to: server)).body
            #expect(String(decoding: body, as: UTF8.self) == "answer to \(number)")
          }
        }
        try await group.waitForAll()
      }
      #expect(server.accepted == 1)
    }

    @Test func cancelledExchangeLeavesTheOthersOnItsConnection() async throws {
      let waiting = Lock<[HTTP2Server.Request]>([])
      let server = try HTTP2Server { request in waiting.withLock { $0.append(request) } }
      let transport = Self.transport(for: server)
      let calls = (0..<8).map { number in
        Task { try await transport.send(Self.post("\(number)", to: server)).body }
      }
      try await eventually { waiting.withLock({ $0.count }) >= 8 }
      calls[3].cancel()
      await #expect(throws: CancellationError.self) { try await calls[3].value }
      try await eventually { !server.resets.isEmpty }
      let requests = waiting.withLock { $0 }
      #expect(server.resets == requests.filter { $0.text == "3" }.map(\.stream))
      for request in requests where request.text != "3" { request.answer(request.text) }
      for (number, call) in calls.enumerated() where number != 3 {
        #expect(try await call.value == Data("\(number)".utf8))
      }
      #expect(server.accepted == 1)
      try await eventually { transport.openExchanges == 0 }
    }

    /// A connection on which nothing else happens is closed, because libcurl sends no reset on it.
    @Test func cancellingTheOnlyExchangeReleasesTheConnection() async throws {
      let arrived = Gate()
      let server = try HTTP2Server { _ in arrived.open() }
      let transport = Self.transport(for: server)
      let call = Task { try await transport.send(Self.post("", to: server)) }
      try await arrived.pass()
      #expect(server.open == 1)
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      try await eventually { server.open == 0 }
    }

    /// libcurl lets the server send 32 MiB on a stream, and keeps what the reader hasn't read.
    @Test func slowReaderDoesNotStopOtherExchangesOnItsConnection() async throws {
      let size = 64 << 20
      let server = try HTTP2Server { request in
        if request.text == "large" { request.answer(zeros: size) } else { request.answer(request.text) }
      }
      let transport = Self.transport(for: server)
      let response = try await transport.stream(Self.post("large", to: server))
      for number in 0..<DeepTests.count(20, deep: 200) {
        let body = try await transport.send(Self.post("\(number)", to: server)).body
        #expect(body == Data("\(number)".utf8))
      }
      #expect(server.sent < 34 << 20)
      #expect(server.accepted == 1)
      var received = 0
      for try await piece in response.body { received += piece.count }
      #expect(received == size)
      #expect(server.accepted == 1)
    }

    /// A slow producer doesn't stop other requests either.
    @Test func slowProducerDoesNotStopOtherExchangesOnItsConnection() async throws {
      let server = try HTTP2Server { $0.answer($0.text) }
      let transport = Self.transport(for: server)
      let (chunks, producer) = AsyncThrowingStream<Data, any Error>.makeStream()
      producer.yield(Data("begin ".utf8))
      let body = HTTPBody.stream(chunks, length: nil)
      async let slow = transport.send(
        TransportRequest(.post, server.url("/"), body: body, deadline: .seconds(120)))
      for number in 0..<4 {
        let body = try await transport.send(Self.post("\(number)", to: server)).body
        #expect(body == Data("\(number)".utf8))
      }
      producer.yield(Data("end".utf8))
      producer.finish()
      #expect(try await slow.body == Data("begin end".utf8))
      #expect(server.accepted == 1)
    }
  }
#endif

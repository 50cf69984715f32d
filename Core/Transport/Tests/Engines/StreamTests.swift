import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited)
struct StreamTests {
  @Test(arguments: Engine.allCases)
  func chunksArriveWhileTheServerIsSending(_ engine: Engine) async throws {
    let transport = engine.shared
    let gates = [ThreadGate(), ThreadGate()]
    let server = try LoopbackServer { _ in
      [
        .chunkedHead(201), .chunk("one"), .wait(gates[0]), .chunk("two"), .wait(gates[1]), .chunk("three"),
        .lastChunk,
      ]
    }
    let response = try await transport.stream(TransportRequest(.get, server.url("/")))
    #expect(response.status == 201)
    var received: [String] = []
    for try await chunk in response.body {
      received.append(String(decoding: chunk, as: UTF8.self))
      if received.count <= gates.count { gates[received.count - 1].open() }
    }
    #expect(received == ["one", "two", "three"])
  }

  @Test(arguments: Engine.allCases)
  func truncatedBodyIsThrownByTheStream(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.chunkedHead(), .chunk("one"), .hangUp] }
    let response = try await transport.stream(TransportRequest(.get, server.url("/")))
    #expect(response.status == 200)
    await expect(.connectionLost) { for try await _ in response.body {} }
  }

  @Test(arguments: Engine.allCases)
  func endingTheIterationClosesTheConnection(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.chunkedHead(), .endlessChunks] }
    do {
      let response = try await transport.stream(TransportRequest(.get, server.url("/")))
      for try await _ in response.body { break }
    }
    #expect(server.requests.count == 1)
    await server.drained()
  }

  @Test(arguments: Engine.allCases)
  func cancellingTheReaderClosesTheConnection(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.chunkedHead(), .endlessChunks] }
    let (started, signal) = AsyncStream.makeStream(of: Void.self)
    let reader = Task {
      let response = try await transport.stream(TransportRequest(.get, server.url("/")))
      for try await _ in response.body { signal.yield() }
    }
    for await _ in started { break }
    reader.cancel()
    _ = await reader.result
    #expect(server.requests.count == 1)
    await server.drained()
  }

  @Test(arguments: Engine.allCases)
  func unreadResponseIsClosed(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.chunkedHead(), .endlessChunks] }
    _ = try await transport.stream(TransportRequest(.get, server.url("/")))
    #expect(server.requests.count == 1)
    await server.drained()
  }

  @Test(arguments: Engine.allCases)
  func responseWithoutBodyEnds(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.answer(404)] }
    let response = try await transport.stream(TransportRequest(.get, server.url("/")))
    #expect(response.status == 404)
    for try await chunk in response.body { #expect(chunk.isEmpty) }
  }
}

import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

struct ContractTests {
  @Test func urlSessionFulfilsTheContractOfTransport() async throws {
    let gate = ThreadGate()
    defer { gate.open() }
    let server = try LoopbackServer { request in
      switch request.target {
      case "/found": [.answer(200, "content")]
      case "/never": [.wait(gate), .answer(200, "late")]
      case "/unfinished": [.chunkedHead(), .chunk("one"), .wait(gate), .lastChunk]
      default: [.answer(404, "missing")]
      }
    }
    try await TransportInteropContract.check(
      URLSessionTransport(), found: HTTPRequest(.get, server.url("/found")),
      missing: HTTPRequest(.get, server.url("/missing")), unanswered: HTTPRequest(.get, server.url("/never")),
      unfinished: HTTPRequest(.get, server.url("/unfinished")))
  }
}

import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited) struct ContractTests {
  @Test(arguments: Engine.allCases)
  func everyEngineFulfilsTheContractOfTransport(_ engine: Engine) async throws {
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
      engine.transport(), found: TransportRequest(.get, server.url("/found")),
      missing: TransportRequest(.get, server.url("/missing")),
      unanswered: TransportRequest(.get, server.url("/never")),
      unfinished: TransportRequest(.get, server.url("/unfinished")))
  }

  @Test(arguments: Engine.allCases)
  func everyEngineTransfersBodies(_ engine: Engine) async throws {
    let stored = Lock(Data())
    let server = try LoopbackServer { request in
      if request.method == "PUT" { stored.withLock { $0 = request.body } }
      return [.answer(200, [:], stored.withLock { $0 })]
    }
    try await TransportInteropContract.checkBodies(
      engine.transport(), upload: TransportRequest(.put, server.url("/")),
      download: TransportRequest(.get, server.url("/")))
  }
}

import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited)
struct CancellationTests {
  @Test(arguments: Engine.allCases)
  func cancelledCallEndsEvenIfTheServerNeverAnswers(_ engine: Engine) async throws {
    let transport = engine.transport()
    let (arrivals, signal) = AsyncStream.makeStream(of: Void.self)
    let gate = ThreadGate()
    let server = try LoopbackServer { _ in
      signal.yield()
      return [.wait(gate), .answer(200)]
    }
    let call = Task { try await transport.send(TransportRequest(.get, server.url("/"))) }
    for await _ in arrivals { break }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    gate.open()
    await server.drained()
  }

  @Test(arguments: Engine.allCases)
  func callOfACancelledTaskIsNotSent(_ engine: Engine) async throws {
    let transport = engine.transport()
    let server = try LoopbackServer.echo()
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(TransportRequest(.get, server.url("/")))
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(server.requests.isEmpty)
  }

  /// The races in which plain `URLSession` traps or hangs: cancellation before the start, during each phase,
  /// around a redirect, and just before completion.
  @Test(arguments: Engine.allCases)
  func thousandsOfRequestsCancelledAtRandomTimesAllEnd(_ engine: Engine) async throws {
    let total = DeepTests.count(400, deep: 4_000)
    let server = try LoopbackServer { request in
      let pause = LoopbackServer.Step.pause(microseconds: .random(in: 0..<1_500))
      return switch request.target.prefix(3) {
      case "/re": [.redirect(request.method == "POST" ? 307 : 302, to: "/plain")]
      case "/ch": [pause, .chunkedHead(), .chunk("one"), pause, .chunk("two"), .lastChunk]
      default: [pause, .answer(200, "done")]
      }
    }
    let transport = engine.transport()
    let pauses = RandomPauses()
    let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
      var outcomes: [Outcome: Int] = [:]
      for index in 0..<total {
        if index >= 48, let outcome = try await group.next() { outcomes[outcome, default: 0] += 1 }
        group.addTask { try await race(transport, server, pauses, kind: index % 4) }
      }
      for try await outcome in group { outcomes[outcome, default: 0] += 1 }
      return outcomes
    }
    #expect(outcomes.values.reduce(0, +) == total)
    #expect(outcomes[.cancelled, default: 0] > total / 20)
    #expect(outcomes[.answered, default: 0] > total / 20)

    try await eventually { transport.openExchanges == 0 }
    await server.drained()
  }

  private enum Outcome { case answered, cancelled }

  /// Random pauses, adjusted so that about half of the calls complete before they are cancelled, regardless
  /// of the load of the machine.
  private final class RandomPauses: Sendable {
    private let latest = Lock(40_000.0)

    func next() -> Duration? {
      let pause = Double.random(in: -2_000..<latest.withLock { $0 })
      return pause < 0 ? nil : .microseconds(pause)
    }

    func learn(_ outcome: Outcome) {
      latest.withLock { $0 = max(1_000, $0 * (outcome == .answered ? 0.98 : 1.02)) }
    }
  }

  private func race(
    _ transport: any TransportInterop, _ server: LoopbackServer, _ pauses: RandomPauses, kind: Int
  ) async throws -> Outcome {
    let call = Task {
      switch kind {
      case 0: return try await transport.send(TransportRequest(.get, server.url("/plain"))).status
      case 1:
        let body = HTTPBody.data(Data("payload".utf8))
        return try await transport.send(TransportRequest(.post, server.url("/redirect"), body: body)).status
      case 2:
        return try await transport.send(
          TransportRequest(.get, server.url("/redirect"), deadline: .seconds(30))
        )
        .status
      default:
        let response = try await transport.stream(TransportRequest(.get, server.url("/chunks")))
        for try await _ in response.body {}
        try Task.checkCancellation()
        return response.status
      }
    }
    if let pause = pauses.next() { try await Task.sleep(for: pause) }
    call.cancel()
    let outcome: Outcome
    do {
      #expect(try await call.value == 200)
      outcome = .answered
    } catch is CancellationError {
      outcome = .cancelled
    }
    pauses.learn(outcome)
    return outcome
  }
}

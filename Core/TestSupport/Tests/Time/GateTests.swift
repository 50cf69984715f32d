import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited)
struct GateTests {
  @Test func cancellingAWaitingTaskLeavesTheOthersWaiting() async throws {
    let gate = Gate()
    let events = Lock<[String]>([])
    let others = (0..<20).map { _ in
      Task { @Sendable in
        try await gate.pass()
        events.withLock { $0.append("passed") }
      }
    }
    let cancelled = Task { try await gate.pass() }
    for _ in 0...others.count { await gate.arrival() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    for _ in 0..<100 { await Task.yield() }
    events.withLock { $0.append("opened") }
    gate.open()
    for other in others { try await other.value }
    #expect(events.withLock { $0 } == ["opened"] + Array(repeating: "passed", count: others.count))
  }

  @Test func anOpenGateLetsLaterTasksPass() async throws {
    let gate = Gate()
    gate.open()
    await #expect(throws: Never.self) { try await gate.pass() }
    await gate.arrival()
  }
}

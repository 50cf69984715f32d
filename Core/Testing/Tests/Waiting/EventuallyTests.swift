import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@Suite(.limited) struct EventuallyTests {
  @Test func theFirstValueThatSatisfiesTheConditionIsReturned() async throws {
    let count = Lock(0)
    let value = try await eventually(
      {
        count.withLock { count in
          count += 1
          return count
        }
      }, satisfies: { $0 >= 30 })
    #expect(value == 30)
    try await eventually { count.withLock(\.self) == 30 }
  }

  @Test func whatDoesNotBecomeTrueFailsAtTheCallWithTheLastValue() async throws {
    let line = #_sourceLocation.line + 2
    try await withKnownIssue {
      try await eventually(within: .milliseconds(1), { "tea" }, satisfies: { $0 == "coffee" })
    } matching: { issue in
      issue.sourceLocation?.line == line
        && issue.comments.contains { $0.rawValue.contains("the value is still \"tea\"") }
    }
  }

  @Test func theTestEndsWithTheFailure() async throws {
    let continued = Lock(false)
    await withKnownIssue {
      try await eventually(within: .milliseconds(1)) { false }
      continued.withLock { $0 = true }
    }
    #expect(!continued.withLock { $0 })
  }

  @Test func errorsOfTheConditionAreThrownAtOnce() async throws {
    struct Failure: Error {}
    await #expect(throws: Failure.self) { try await eventually { throw Failure() } }
  }

  @Test func aCancelledTaskWaitsNoLonger() async throws {
    let waiting = Task { try await eventually(within: .seconds(3_600)) { false } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}

import TenonCore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time in which one test case runs.
final class TestTurn: Sendable {
  /// What is known of the running test.
  private struct State {
    /// The task that runs the test, which is a reference without a retain: it is `nil` before and after the test's function runs.
    var task: UnsafeCurrentTask?
    /// Whether the test has exceeded its limit.
    var isOverdue = false
  }

  /// What the test uses.
  let kind: TestKind
  /// How long it may run on a machine that isn't overloaded.
  let limit: Lock<Duration>
  private let test: Test
  private let start = ContinuousClock.now
  private let state = Lock(State())

  /// How much longer than its limit a test may take to end after its cancellation.
  private static let grace = Duration.seconds(30)

  init(of test: Test, limit: Duration, kind: TestKind) {
    self.test = test
    self.limit = Lock(limit)
    self.kind = kind
  }

  /// Runs the test, cancels it at its limit, and records a failure if it took longer.
  @concurrent func run(_ function: @concurrent @Sendable () async throws -> Void) async throws {
    defer {
      if state.withLock({ $0.isOverdue }) {
        Issue.record(
          "The test hadn't ended after \(limit.withLock(\.self)) and was cancelled; it took \(start.duration(to: .now)).",
          sourceLocation: test.sourceLocation)
      }
    }
    try await withUnsafeCurrentTask { task in
      // Safe: the lock is held while another thread uses it, and it is removed before this closure returns.
      nonisolated(unsafe) let task = task
      state.withLock { $0.task = task }
      defer { state.withLock { $0.task = nil } }
      let watched = TestWatch.shared.begin(self)
      defer { TestWatch.shared.end(watched) }
      try await function()
    }
  }

  /// Cancels the test if it has exceeded its limit, and ends the process if it doesn't end then, because nothing else would
  /// end it.
  ///
  /// - Parameter patience: the factor by which limits are longer now.
  func check(patience: Double) {
    let elapsed = start.duration(to: .now)
    let limit = limit.withLock(\.self) * patience
    guard elapsed > limit else { return }
    let isNew = state.withLock { state in
      defer { state.isOverdue = true }
      return !state.isOverdue
    }
    if isNew {
      complain("hasn't ended after \(elapsed.components.seconds) s, and is cancelled")
      state.withLock { $0.task?.cancel() }
    }
    if elapsed > limit + Self.grace * patience {
      complain("doesn't end, although it was cancelled; the run ends here, with an error")
      exit(1)
    }
  }

  private func complain(_ problem: String) {
    let name = ([test.id.moduleName] + test.id.nameComponents).joined(separator: "/")
    fputs("✘ \(name) (line \(test.sourceLocation.line)) \(problem).\n", stderr)
  }
}

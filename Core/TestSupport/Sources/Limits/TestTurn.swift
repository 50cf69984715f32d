import Foundation
import TenonFoundation
import Testing

/// The time in which one test case runs.
final class TestTurn: Sendable {
  /// How long it may run on a machine that isn't overloaded.
  let limit: Lock<Duration>
  /// The name of the test with those of its module and suites.
  private let name: String
  private let sourceLocation: SourceLocation
  private let start = ContinuousClock.now
  /// Whether the test has exceeded its limit. The lock also guards `task`.
  private let isOverdue = Lock(false)
  /// The task that runs the test's function; `nil` before and after.
  ///
  /// Unsafe, because it isn't `Sendable`, although any thread may cancel it while it runs: it is accessed
  /// only with the lock, and `nil` again before the task could end. `TestLimitTests` has the test.
  private nonisolated(unsafe) var task: UnsafeCurrentTask?
  /// What ends with the test, in the order in which it began.
  private let endings = Lock<[@Sendable () -> Void]>([])

  /// An element when the test has exceeded its limit.
  private let overdueSignals = AsyncStream<Void>.makeStream()

  /// How much longer than its limit the test may take to end after its cancellation.
  private let grace: Duration
  /// Says immediately which test hangs: it may be the last thing that this process does.
  private let report: @Sendable (String) -> Void

  init(
    of name: String, at sourceLocation: SourceLocation, limit: Duration, grace: Duration = .seconds(30),
    report: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data("✘ \($0)\n".utf8)) }
  ) {
    self.name = name
    self.sourceLocation = sourceLocation
    self.limit = Lock(limit)
    self.grace = grace
    self.report = report
  }

  /// Calls a closure when the test has ended, before those that were given earlier.
  func atEnd(_ action: @escaping @Sendable () -> Void) { endings.withLock { $0.append(action) } }

  /// Runs the test, cancels it at its limit, and records a failure if it took longer.
  @concurrent func run(_ function: @concurrent @Sendable () async throws -> Void) async throws {
    defer {
      for end in endings.withLock(\.self).reversed() { end() }
      if isOverdue.withLock(\.self) {
        Issue.record(
          "The test hadn't ended after \(limit.withLock(\.self)) and was cancelled; it took \(start.duration(to: .now)).",
          sourceLocation: sourceLocation)
      }
    }
    // Cancelling runs handlers of Swift Testing, which want to know the test: only a task that belongs to it
    // does.
    let canceller = Task {
      for await _ in overdueSignals.stream { isOverdue.withLock { _ in task?.cancel() } }
    }
    defer { canceller.cancel() }
    try await withUnsafeCurrentTask { task in
      isOverdue.withLock { _ in self.task = task }
      defer { isOverdue.withLock { _ in self.task = nil } }
      let watched = TestWatch.shared.begin(self)
      defer { TestWatch.shared.end(watched) }
      try await function()
    }
  }

  /// Cancels the test if it has exceeded its limit, and ends the process if it doesn't end then, because
  /// nothing else would end it.
  ///
  /// - Parameter patience: the factor by which limits are longer now.
  func check(patience: Double) {
    let elapsed = start.duration(to: .now)
    let limit = limit.withLock(\.self) * patience
    guard elapsed > limit else { return }
    let isNew = isOverdue.withLock { isOverdue in
      defer { isOverdue = true }
      return !isOverdue
    }
    if isNew {
      complain("hasn't ended after \(elapsed.components.seconds) s, and is cancelled")
      overdueSignals.continuation.yield()
    }
    if elapsed > limit + grace * patience {
      complain("doesn't end, although it was cancelled; the run ends here, with an error")
      exit(1)
    }
  }

  private func complain(_ problem: String) {
    report("\(name) (\(sourceLocation.fileID):\(sourceLocation.line)) \(problem).")
  }
}

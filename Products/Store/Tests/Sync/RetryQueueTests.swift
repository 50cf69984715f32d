import TenonCore
import TenonSQLite
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited) struct RetryQueueTests {
  private final class Timers: SyncTimers {
    var actions: [SyncTimer: () -> Void] = [:]
    /// The delays so far, in seconds.
    var delays: [Double] = []

    func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
      actions[timer] = action
      delays.append(delay / .seconds(1))
    }
    func cancel(_ timer: SyncTimer) { actions[timer] = nil }
  }

  /// Returns the operations in the order in which they run when the first one fails once.
  private func story(_ code: SQLiteError.Code) -> [String] {
    let timers = Timers()
    let queue = RetryQueue(timers: timers, random: { 0 }, logger: LogRecorder().logger)
    var (story, hasFailed): ([String], Bool) = ([], false)
    queue.enqueue {
      story.append("first")
      guard !hasFailed else { return }
      hasFailed = true
      throw SQLiteError(code: code, message: "It fails.", resultCode: 0, sql: nil, path: nil)
    }
    queue.enqueue { story.append("second") }
    for _ in 0..<2 { timers.actions.removeValue(forKey: .databaseRetry)?() }
    return story
  }

  @Test(arguments: [.busy, .full, .io, .cannotOpen] as [SQLiteError.Code])
  func aTransientFailureIsRetriedBeforeLaterWork(code: SQLiteError.Code) {
    #expect(story(code) == ["first", "first", "second"])
  }

  /// What has succeeded, before the next failure.
  enum Success: CaseIterable, Sendable { case operation, workAfterProbe, probe }

  @Test(arguments: Success.allCases)
  func theDelaysBeginAnewAfterASuccess(of success: Success) {
    let timers = Timers()
    let queue = RetryQueue(timers: timers, random: { 0.5 }, logger: LogRecorder().logger)
    var failures = 0
    func attempt() throws {
      guard failures > 0 else { return }
      failures -= 1
      throw SQLiteError(code: .busy, message: "It fails.", resultCode: 0, sql: nil, path: nil)
    }
    func fire() { while let action = timers.actions.removeValue(forKey: .databaseRetry) { action() } }
    failures = 3
    if success == .operation { queue.enqueue(attempt) } else { queue.enqueueProbe(attempt) }
    fire()
    #expect(timers.delays == (success == .operation ? [0, 1, 1.5] : [0, 1, 1.5, 2.25]))
    if success == .workAfterProbe { queue.workSucceeded() }
    timers.delays = []
    failures = 2
    queue.enqueue(attempt)
    fire()
    // A probe may succeed where the work fails again.
    #expect(timers.delays == (success == .probe ? [3.375, 5.0625] : [0, 1]))
  }

  @Test func aPermanentFailureIsNotRetried() { #expect(story(.damaged) == ["first", "second"]) }
}

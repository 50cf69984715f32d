import TenonCore
import TenonSQLite
import TenonTesting
import Testing

@testable import TenonStore

@Suite(.limited) struct RetryQueueTests {
  private final class Timers: SyncTimers {
    var actions: [SyncTimer: () -> Void] = [:]

    func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
      actions[timer] = action
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

  @Test func aPermanentFailureIsNotRetried() { #expect(story(.damaged) == ["first", "second"]) }
}

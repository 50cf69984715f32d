import TenonCore
import TenonSQLite

/// Runs database operations one after another, and retries a failed one with backoff before the next one
/// starts.
///
/// An operation that fails with an error that may pass (a full or failing disk, or a lock) stays at the head
/// of the queue until it succeeds. One that fails in another way is logged and dropped. Owned by
/// ``SyncEngine``. Operations that are waiting when the database is closed aren't run: the pending batches,
/// the targets and the user are processed again after it is next opened.
///
/// The delays grow from one failure to the next, and start over when an operation has succeeded. After a
/// probe, which only tests whether the database works, they start over when the work itself has succeeded;
/// see ``enqueueProbe(_:)``.
final class RetryQueue {
  /// An operation of the queue.
  private struct Operation {
    let run: () throws -> Void
    let isProbe: Bool
  }

  private var operations: [Operation] = []
  private var delays: RetryDelays
  private let timers: any SyncTimers
  private let logger: AppLogger

  init(timers: any SyncTimers, random: @escaping () -> Double, logger: AppLogger) {
    self.timers = timers
    self.logger = logger
    delays = RetryDelays(random: random)
  }

  /// Runs an operation now, or after the operations already queued.
  ///
  /// - Parameter operation: must have no effect if it throws.
  func enqueue(_ operation: @escaping () throws -> Void) {
    operations.append(Operation(run: operation, isProbe: false))
    if operations.count == 1 { next() }
  }

  /// Runs a probe after the next delay, or after the operations already queued.
  ///
  /// Use it after the failure of work that can't be repeated here, to find out when to have it repeated
  /// elsewhere. Because a probe may succeed where the work fails again, for example on a disk that is almost
  /// full, its success doesn't shorten the delays. ``workSucceeded()`` does.
  ///
  /// - Parameter probe: must have no effect if it throws.
  func enqueueProbe(_ probe: @escaping () throws -> Void) {
    operations.append(Operation(run: probe, isProbe: true))
    if operations.count == 1 { scheduleNext() }
  }

  /// Makes the next delay zero, because the work after whose failure a probe was run has succeeded.
  func workSucceeded() { delays.reset() }

  /// Runs the next operation, and schedules the one after it.
  private func next() {
    guard let operation = operations.first else { return }
    do {
      try operation.run()
      operations.removeFirst()
      if !operation.isProbe { delays.reset() }
    } catch {
      // A permanent error would block all subsequent operations.
      guard let failure = error as? SQLiteError, failure.mayPass else {
        logger.error("The database failed permanently: \(error)")
        operations.removeFirst()
        return next()
      }
      logger.warning("The database failed, and is tried again: \(failure)")
    }
    if !operations.isEmpty { scheduleNext() }
  }

  /// Schedules the next operation after the next delay.
  private func scheduleNext() {
    timers.schedule(.databaseRetry, after: delays.next()) { [weak self] in self?.next() }
  }
}

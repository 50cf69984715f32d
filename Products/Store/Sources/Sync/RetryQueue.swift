import TenonCore
import TenonSQLite

/// Runs database operations one after another, and retries a failed one with backoff before the next one starts.
///
/// An operation that fails with an error that may pass (a full or failing disk, or a lock) stays at the head of the
/// queue until it succeeds. One that fails in another way is logged and dropped. Owned by ``SyncEngine``. Operations
/// that are waiting when the database is closed are not run: the pending batches, the targets and the user are
/// processed again after it is next opened.
final class RetryQueue {
  private var operations: [() throws -> Void] = []
  private var delays: RetryDelays
  private let timers: any SyncTimers
  private let logger: Logger

  init(timers: any SyncTimers, random: @escaping () -> Double, logger: Logger) {
    self.timers = timers
    self.logger = logger
    delays = RetryDelays(random: random)
  }

  /// Runs an operation now, or after the operations already queued.
  ///
  /// - Parameter operation: must have no effect if it throws.
  func enqueue(_ operation: @escaping () throws -> Void) {
    operations.append(operation)
    if operations.count == 1 { next() }
  }

  /// Runs the next operation, and schedules the one after it.
  private func next() {
    guard let operation = operations.first else { return }
    do {
      try operation()
      operations.removeFirst()
      delays.reset()
    } catch {
      // A permanent error would block all subsequent operations.
      guard let failure = error as? SQLiteError, failure.mayPass else {
        logger.error("The database failed for good: \(error)")
        operations.removeFirst()
        return next()
      }
      logger.warning("The database fails; it is tried again: \(failure)")
    }
    guard !operations.isEmpty else { return }
    timers.schedule(.databaseRetry, after: delays.next()) { [weak self] in self?.next() }
  }
}

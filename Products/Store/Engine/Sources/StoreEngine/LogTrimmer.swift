import TenonCore
import TenonFoundation
import TenonSQLite

/// Truncates the write-ahead log after an idle period, so that a process that exits then leaves none behind.
///
/// The log is truncated between one and two idle periods after the last write: a single timer runs, which is
/// restarted when it finds that the database was written in the meantime or that another connection is
/// reading from the log, so that a write costs no more than reading the clock. Its lifetime is that of the
/// open database; confined to the engine's executor. See
/// https://sqlite.org/pragma.html#pragma_wal_checkpoint.
final class LogTrimmer {
  private let connection: Connection
  private let idleTime: Duration
  private let time: TimeSource
  private let logger: AppLogger
  /// Calls ``trimIfIdle()`` on the engine's executor.
  private let wake: @Sendable () async -> Bool
  /// The time of the last write.
  private var lastWrite: ContinuousClock.Instant
  private var task: Task<Void, Never>?

  /// - Parameters:
  ///   - connection: the connection to the database.
  ///   - idleTime: the time without writes after which the log is truncated.
  ///   - time: the clock.
  ///   - logger: receives errors.
  ///   - wake: calls ``trimIfIdle()`` on the engine's executor, and returns its result.
  init(
    _ connection: Connection, idleTime: Duration, _ time: TimeSource, _ logger: AppLogger,
    wake: @escaping @Sendable () async -> Bool
  ) {
    self.connection = connection
    self.idleTime = idleTime
    self.time = time
    self.logger = logger
    self.wake = wake
    lastWrite = time.now()
  }

  /// Restarts the idle period. Called after each write.
  func databaseWritten() {
    lastWrite = time.now()
    guard task == nil else { return }
    task = Task { [time, idleTime, wake] in
      await time.poll(every: idleTime) { !(await wake()) }
    }
  }

  /// Truncates the log if the idle period has passed. If another connection is reading from it, this is to be
  /// tried again after another period.
  ///
  /// - Returns: whether it was truncated, or can't be.
  func trimIfIdle() -> Bool {
    guard time.now() - lastWrite >= idleTime else { return false }
    do { guard try connection.trimLog() else { return false } } catch {
      // The log remains as it is. If the disk has failed, the next write reports it.
      logger.debug("The write-ahead log of \(connection.path ?? "") can't be emptied: \(error)")
    }
    task = nil
    return true
  }

  func stop() { task?.cancel() }
}

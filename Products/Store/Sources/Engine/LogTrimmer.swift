import TenonCore
import TenonSQLite

/// Empties the write-ahead log once nothing has been written for a while, so that a program that then exits leaves none behind.
///
/// It lives as long as its database is open.
final class LogTrimmer {
  private let connection: Connection
  private let idleTime: Duration
  private let clock: EngineClock
  private let logger: Logger
  /// Calls ``trimIfIdle()`` where the engine runs.
  private let wake: @Sendable () async -> Bool
  private var lastWrite = Duration.zero
  private var task: Task<Void, Never>?

  /// - Parameters:
  ///   - idleTime: the time without a write after which the log is emptied.
  ///   - wake: calls ``trimIfIdle()`` where the engine runs, and returns its result.
  init(
    _ connection: Connection, idleTime: Duration, _ clock: EngineClock, _ logger: Logger,
    wake: @escaping @Sendable () async -> Bool
  ) {
    self.connection = connection
    self.idleTime = idleTime
    self.clock = clock
    self.logger = logger
    self.wake = wake
  }

  /// Something was written.
  func databaseWritten() {
    lastWrite = clock.uptime()
    guard task == nil else { return }
    task = Task { [clock, idleTime, wake] in
      var isDone = false
      while !isDone {
        guard (try? await clock.pause(idleTime)) != nil else { return }
        isDone = await wake()
      }
    }
  }

  /// Empties the log if enough time has passed since the last write.
  ///
  /// - Returns: whether it has.
  func trimIfIdle() -> Bool {
    guard clock.uptime() - lastWrite >= idleTime else { return false }
    task = nil
    do { try connection.trimLog() } catch {
      // The log stays as it is. If the disk is broken, the next write reports it.
      logger.debug("The write-ahead log of \(connection.path ?? "") can't be emptied: \(error)")
    }
    return true
  }

  func stop() { task?.cancel() }
}

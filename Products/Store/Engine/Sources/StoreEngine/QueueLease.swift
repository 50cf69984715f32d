import TenonCore
import TenonFoundation

/// Elects the process that sends the queued writes among those that use a database: the one that holds an
/// exclusive lock on a file next to the database.
///
/// A suspended process (`SIGSTOP`) keeps the lock, because it continues with its batches when it resumes. Two
/// engines in one process exclude each other as well. The file has the name of the database followed by
/// `-queue`. Confined to the engine's executor; the lock is released at the latest when the object is
/// deallocated.
final class QueueLease: SendingLease {
  private let lock: FileLock
  private let logger: AppLogger
  private let telemetry: StoreTelemetry
  private var hasReported = false
  /// Whether it was held after the last call.
  private var isHeld = false

  /// Creates a lease that isn't held. The lock file is created when it is first acquired.
  ///
  /// - Parameters:
  ///   - database: the path of the database file.
  ///   - logger: receives an error if the lock file can't be opened.
  ///   - telemetry: counts the changes; not at all by default.
  init(database: String, logger: AppLogger, telemetry: StoreTelemetry = .silent) {
    lock = FileLock("\(database)-queue")
    self.logger = logger
    self.telemetry = telemetry
  }

  /// Acquires the lock without waiting; no effect if it is held.
  ///
  /// - Returns: whether it is held. `false` also if the file can't be opened or locked, which is logged once;
  ///   the writes stay queued then.
  func acquire() -> Bool {
    do throws(SystemError) { return noted(try lock.acquire()) } catch {
      if !hasReported {
        hasReported = true
        logger.error("Writes wait, because \(lock.path) can't be locked: \(error.reason). Make it writable.")
      }
      return false
    }
  }

  func release() {
    lock.release()
    _ = noted(false)
  }

  /// Counts a change of whether the lease is held.
  private func noted(_ isHeld: Bool) -> Bool {
    if isHeld != self.isHeld { telemetry.leaseChanged(isHeld: isHeld) }
    self.isHeld = isHeld
    return isHeld
  }

  /// The ID of the process that holds the lease; `nil` if none is known.
  var holder: Int? { lock.holder }
}

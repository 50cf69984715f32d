import TenonFoundation
import TenonSQLite

/// Gives a process its turn that opens a database in which other processes write without a pause.
///
/// SQLite's lock isn't fair: a writer that begins its next transaction immediately usually gets the lock
/// again before a process that waits for it tries. An opening that has waited in vain therefore locks a file
/// beside the database, whose name ends in `-turn`, and the others pause after their next commit while it is
/// locked. The file exists from the first such opening on. The lock is released when its process ends, and
/// nobody pauses for longer than ``longestPause``. Confined to the engine's executor, which it may block.
final class OpeningTurn {
  private let lock: FileLock
  private var lastCheck: ContinuousClock.Instant?

  /// How often writers look at the file.
  private static let checkInterval = Duration.milliseconds(50)
  /// How long a writer pauses after a commit, in which the other process tries several times.
  static let longestPause = Duration.milliseconds(100)

  /// - Parameter database: the path of the database file.
  init(database: String) { lock = FileLock("\(database)-turn") }

  /// Runs a closure while the other processes pause after their commits.
  ///
  /// Several processes that open the database do so one after another, as far as they get the lock in time.
  ///
  /// - Parameters:
  ///   - limit: how long to wait for another process that opens the database.
  ///   - body: opens the database.
  /// - Throws: what `body` throws.
  func take<Result>(waitingAtMost limit: Duration, _ body: () throws -> Result) rethrows -> Result {
    let end = ContinuousClock.now + limit
    // Without the lock, for example in a directory that can't be written, the opening only waits longer.
    while (try? lock.acquire()) == false, ContinuousClock.now < end { Connection.pause(milliseconds: 2) }
    defer { lock.release() }
    return try body()
  }

  /// Pauses while another process opens the database. Called after each commit; looks at the file only if
  /// that was 50 milliseconds ago.
  ///
  /// - Returns: whether it paused.
  @discardableResult func giveWay() -> Bool {
    let start = ContinuousClock.now
    if let lastCheck, start - lastCheck < Self.checkInterval { return false }
    lastCheck = start
    guard FileManager.default.fileExists(atPath: lock.path) else { return false }
    var hasPaused = false
    while isTaken, ContinuousClock.now - start < Self.longestPause {
      hasPaused = true
      Connection.pause(milliseconds: 2)
    }
    return hasPaused
  }

  /// Whether another process holds the lock.
  private var isTaken: Bool {
    guard (try? lock.acquire()) == false else {
      lock.release()
      return false
    }
    return true
  }
}

internal import CSQLite

/// The length of the write-ahead log.
///
/// SQLite overwrites the log from its beginning after all of it was moved into the file (a checkpoint), but
/// doesn't truncate it until the last connection is closed, and a program that is killed closes none.
/// Therefore the log of a small database is kept small, and a longer log that an earlier process left is
/// truncated when the database is next opened or idle.
extension Connection {
  /// The bounds of the number of pages after which the log is moved into the file. Between them, the limit is
  /// the number of pages of the file. A long log is better for a large file: a page that is written
  /// repeatedly is moved only once. SQLite's own limit is always 1,000.
  private static let pages = 256...4_000

  /// Sets the limits of the log that suit the present size of the file.
  ///
  /// - Throws: ``SQLiteError`` if the size can't be read.
  func limitLog() throws(SQLiteError) {
    let count = try number("page_count")
    // The limit is a power of two, so that it seldom changes while a file grows.
    var limit = Self.pages.lowerBound
    while limit < count, limit < Self.pages.upperBound { limit *= 2 }
    limit = min(limit, Self.pages.upperBound)
    guard limit != logLimit else { return }
    try execute("PRAGMA wal_autocheckpoint = \(limit)")
    // A log that one large transaction made longer is truncated when it is next written from its beginning.
    // Each frame has a header of 24 bytes before its page.
    try execute("PRAGMA journal_size_limit = \(limit * (try number("page_size") + 24) + 32)")
    logLimit = limit
  }

  /// Returns the first value of the row that a pragma returns, an integer.
  ///
  /// - Throws: ``SQLiteError``.
  private func number(_ pragma: String) throws(SQLiteError) -> Int {
    do { return try first("PRAGMA \(pragma)") { Int(clamping: $0.integer(0)) } ?? 0 } catch let error
      as SQLiteError
    {
      throw error
    } catch {
      // Only a closure that throws can throw other errors, and this one doesn't.
      return 0
    }
  }

  /// Truncates a long log that a process left which ended without closing the database. Errors are ignored:
  /// what can't be moved into the file stays in the log, and reading it reports the reason.
  ///
  /// Called once after a database is opened.
  func trimLeftLog() {
    guard let path, WriteAheadLog(of: path).size > Self.pages.lowerBound * 4_096 else { return }
    _ = try? trimLog()
  }

  /// Blocks the thread, for a process that waits for another one.
  ///
  /// - Parameter milliseconds: how long.
  package static func pause(milliseconds: Int) { sqlite3_sleep(Int32(clamping: milliseconds)) }

  /// Moves the log into the file, so that the next transaction is written from its beginning and needs no
  /// space beyond that of the log. Errors are ignored: the log remains as it is then.
  package func makeSpaceInLog() {
    guard path != nil else { return }
    try? execute("PRAGMA wal_checkpoint(PASSIVE)")
  }

  /// Moves the log into the file and truncates it. If another connection is reading or writing, moves as much
  /// as possible, without waiting.
  ///
  /// - Returns: whether the log is empty now. Otherwise another connection is using it.
  /// - Throws: ``SQLiteError``, but not ``SQLiteError/Code/busy``.
  @discardableResult package func trimLog() throws(SQLiteError) -> Bool {
    guard let path, WriteAheadLog(of: path).size > 0 else { return true }
    try execute("PRAGMA busy_timeout = 0")
    defer { setBusyTimeout() }
    // The result is a row whose first column is 1 if another connection is using the log. It is no error.
    return try number("wal_checkpoint(TRUNCATE)") == 0
  }
}

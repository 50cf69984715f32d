/// How long the write-ahead log gets.
///
/// SQLite writes the log from its beginning again when all of it has been moved into the file, but never makes it shorter
/// until the last connection is closed. A program that just ends closes none. So the log of a small database is kept small,
/// and what is left of a longer one is taken away when the database is next opened or has nothing to do.
extension Connection {
  /// How many pages the log has before they are moved into the file: as many as the file, within these bounds. Pages of a
  /// large file that are written again and again are moved once; SQLite's own limit is always 1,000.
  private static let pages = 256...4_000

  /// Has the log stay within limits that suit the present size of the file.
  func limitLog() throws(SQLiteError) {
    let count = try number("page_count")
    // In steps, so that a growing file seldom changes the limit.
    var limit = Self.pages.lowerBound
    while limit < count, limit < Self.pages.upperBound { limit *= 2 }
    limit = min(limit, Self.pages.upperBound)
    guard limit != logLimit else { return }
    try execute("PRAGMA wal_autocheckpoint = \(limit)")
    // A longer log, of one large transaction, is cut when it is next written from its beginning. A frame has 24 bytes more
    // than its page.
    try execute("PRAGMA journal_size_limit = \(limit * (try number("page_size") + 24) + 32)")
    logLimit = limit
  }

  private func number(_ pragma: String) throws(SQLiteError) -> Int {
    do { return try first("PRAGMA \(pragma)") { Int($0.integer(0)) } ?? 0 } catch let error as SQLiteError {
      throw error
    } catch {
      // The closure throws nothing.
      return 0
    }
  }

  /// Empties a long log that a program left which ended without closing the database. What can't be moved into the file stays
  /// in the log; whoever reads it learns why.
  func trimLeftLog() {
    guard let path, WriteAheadLog(of: path).size > Self.pages.lowerBound * 4_096 else { return }
    try? trimLog()
  }

  /// Moves the log into the file and leaves it empty. Where another connection reads or writes at this moment, as much is
  /// moved as can be, and nobody waits.
  package func trimLog() throws(SQLiteError) {
    guard let path, WriteAheadLog(of: path).size > 0 else { return }
    try execute("PRAGMA busy_timeout = 0")
    defer { setBusyTimeout() }
    do throws(SQLiteError) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") } catch {
      guard error.code != .busy else { return }
      throw error
    }
  }
}

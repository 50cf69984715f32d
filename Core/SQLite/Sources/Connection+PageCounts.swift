internal import CSQLite

extension Connection {
  /// Numbers of pages; see https://sqlite.org/c3ref/c_dbstatus_options.html.
  package struct PageCounts: Sendable, Equatable {
    /// The pages that were written to the log or the file.
    package var written: Int
    /// The pages that weren't in the cache of the connection, and were read.
    package var missed: Int
  }

  /// Returns the numbers of pages since the last call, or since the connection was opened.
  package func takePageCounts() -> PageCounts {
    func take(_ counter: Int32) -> Int {
      var (current, highest): (Int32, Int32) = (0, 0)
      guard sqlite3_db_status(handle, counter, &current, &highest, 1) == SQLITE_OK else { return 0 }
      return Int(clamping: current)
    }
    return PageCounts(written: take(SQLITE_DBSTATUS_CACHE_WRITE), missed: take(SQLITE_DBSTATUS_CACHE_MISS))
  }
}

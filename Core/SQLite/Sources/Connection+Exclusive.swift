internal import CSQLite

extension Connection {
  /// Runs a closure while no connection, in this or another process, has a database open or can open it.
  ///
  /// The content of the file isn't read, so it may be damaged. A file that doesn't exist is created empty.
  ///
  /// - Parameters:
  ///   - path: the path of the database.
  ///   - disk: the name of an SQLite VFS; `nil` for the default one.
  ///   - body: runs while the database is locked; it may move or delete the files.
  /// - Returns: the value that `body` returns.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/busy`` if a connection has the database open; the
  ///   error that `body` throws.
  package static func withoutConnections<Result>(
    to path: String, disk: String? = nil, _ body: () throws -> Result
  ) throws -> Result {
    let handle = try handle(path, disk: disk)
    defer { sqlite3_close_v2(handle) }
    let result = tenon_lock_exclusively(handle)
    guard result == SQLITE_OK else {
      throw SQLiteError(
        resultCode: result, message: "another connection has the database open", sql: nil, path: path)
    }
    defer { tenon_unlock(handle) }
    return try body()
  }

  /// Returns whether the log of a database has lost acknowledged transactions. Reads the whole log.
  ///
  /// - Parameter path: the path of the database. No connection may have it open.
  package static func isLogDamaged(of path: String) -> Bool {
    WriteAheadLog(of: followingLinks(path)).damage() != nil
  }

  /// Checks a database's log for damage that SQLite wouldn't report: SQLite would begin with an empty
  /// database, or with fewer transactions than were acknowledged.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/damaged``.
  static func checkLog(_ handle: OpaquePointer, path: String) throws(SQLiteError) {
    let log = WriteAheadLog(of: path)
    // Another connection has recovered the log already, and may be writing to it.
    guard log.size > 0, tenon_lock_exclusively(handle) == SQLITE_OK else { return }
    defer { tenon_unlock(handle) }
    if let damage = log.damage() { throw damaged(damage, path) }
  }

  /// Checks that a database exists if it has a log, because a log belongs to a database of at least one page.
  /// The log's size is read first, because SQLite creates the file before the log.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/damaged``.
  static func checkPresence(_ path: String) throws(SQLiteError) {
    guard WriteAheadLog(of: path).size > 0, WriteAheadLog.size(of: path) == 0 else { return }
    throw damaged("the file is empty or missing, but its write-ahead log \(path)-wal exists", path)
  }

  /// Creates the error for damage that SQLite doesn't report.
  private static func damaged(_ message: String, _ path: String) -> SQLiteError {
    SQLiteError(code: .damaged, message: message, resultCode: 0, sql: nil, path: path)
  }
}

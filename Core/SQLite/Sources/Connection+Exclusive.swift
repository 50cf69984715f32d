internal import CSQLite

extension Connection {
  /// Runs a closure while no connection, in this process or another one, has a database open or can open it. The file may
  /// be damaged, or gone.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/busy`` when somebody has it open; what the closure throws.
  package static func withoutConnections<Result>(
    to path: String, disk: String? = nil, _ body: () throws -> Result
  ) throws -> Result {
    let handle = try handle(path, disk: disk)
    defer { sqlite3_close_v2(handle) }
    let result = tenon_lock_exclusively(handle)
    guard result == SQLITE_OK else {
      throw SQLiteError(
        resultCode: result, message: "the database is open elsewhere", sql: nil, path: path)
    }
    defer { tenon_unlock(handle) }
    return try body()
  }

  /// Whether the log of a database, which nobody has open, has lost transactions that were acknowledged.
  package static func isLogDamaged(of path: String) -> Bool { WriteAheadLog(of: path).damage() != nil }

  /// Looks for damage that SQLite would not report: it would begin with an empty database, or with fewer transactions.
  static func checkLog(_ handle: OpaquePointer, path: String) throws(SQLiteError) {
    let log = WriteAheadLog(of: path)
    // Whoever else has the database open has read the log already, and may be writing it.
    guard log.size > 0, tenon_lock_exclusively(handle) == SQLITE_OK else { return }
    defer { tenon_unlock(handle) }
    if let damage = log.damage() { throw damaged(damage, path) }
  }

  /// A log belongs to a database that has at least one page. The log is looked at first: it comes later.
  static func checkPresence(_ path: String) throws(SQLiteError) {
    guard WriteAheadLog(of: path).size > 0, WriteAheadLog.size(of: path) == 0 else { return }
    throw damaged("the file is empty or gone, but its write-ahead log \(path)-wal is there", path)
  }

  private static func damaged(_ message: String, _ path: String) -> SQLiteError {
    SQLiteError(code: .damaged, message: message, resultCode: 0, sql: nil, path: path)
  }
}

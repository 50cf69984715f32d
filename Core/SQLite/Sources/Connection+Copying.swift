internal import CSQLite
internal import TenonChecksums

/// Copies of whole databases, with SQLite's online backup (https://sqlite.org/backup.html).
extension Connection {
  /// The number of pages that are copied between two calls of a progress closure: 256 KiB with SQLite's page
  /// size.
  private static let pagesPerStep: CInt = 64

  /// Replaces the content of another database with a copy of this one, in one transaction of the other one.
  ///
  /// The copy is the state of this database when the call begins. For a database in a file, a read
  /// transaction keeps that state for the duration, which no writer waits for, and the copy never starts
  /// over; the write-ahead log can't shrink during the copy.
  ///
  /// - Parameters:
  ///   - other: the connection to the other database. It must have the same page size, keep checksums if this
  ///     database has some, and be encrypted if this database is; see ``makeCopy(at:checksums:key:)``.
  ///   - report: called after every 64 pages with the sizes in bytes that were copied and that will have
  ///     been; an error that it throws before the last step ends the copy.
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/readOnly`` if the page sizes differ; the error that
  ///   `report` throws. The other database is unchanged in these cases.
  package func copy(
    into other: Connection, reporting report: (_ copied: Int64, _ total: Int64) throws -> Void
  ) throws {
    try transaction(.deferred) {
      // The first read begins the read transaction in the file.
      let pageSize = try first("PRAGMA page_size") { $0.integer(0) } ?? 0
      _ = try first("SELECT 1 FROM sqlite_schema") { _ in true }
      guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
        throw other.error(sqlite3_errcode(other.handle), "backup")
      }
      var result: CInt
      do {
        repeat {
          result = sqlite3_backup_step(backup, Self.pagesPerStep)
          guard result == SQLITE_OK || result == SQLITE_DONE else { break }
          let pages = Int64(clamping: sqlite3_backup_pagecount(backup))
          let copied = (pages &- Int64(clamping: sqlite3_backup_remaining(backup))) &* pageSize
          let total = pages &* pageSize
          // The last step has committed the copy, so that it can no longer be ended.
          if result == SQLITE_DONE {
            try? report(copied, total)
          } else {
            try report(copied, total)
          }
        } while result == SQLITE_OK
      } catch {
        // Rolls the transaction of the other database back.
        sqlite3_backup_finish(backup)
        throw error
      }
      let finish = sqlite3_backup_finish(backup)
      guard result == SQLITE_DONE, finish == SQLITE_OK else {
        throw copyError(result == SQLITE_DONE ? finish : result, other)
      }
    }
  }

  /// Creates the error of a failed copy: that of the other database, unless damage was found in this one.
  private func copyError(_ result: CInt, _ other: Connection) -> SQLiteError {
    // The backup object doesn't tell which database couldn't be read.
    var damagedPage: Int64 = 0
    sqlite3_file_control(handle, "main", CInt(TENON_CHECKSUMS_DAMAGE), &damagedPage)
    let culprit = damagedPage == 0 ? other : self
    let message = culprit.damage(result) ?? String(cString: sqlite3_errstr(result))
    return SQLiteError(resultCode: result, message: message, sql: nil, path: culprit.path)
  }

  /// Creates an empty database in a separate file, to copy another one into. Nothing reads it before
  /// ``finishCopy()``.
  ///
  /// - Parameters:
  ///   - path: the path, at which no file exists.
  ///   - checksums: whether the database to be copied has checksums. They are kept then.
  ///   - key: the key of the copy, if the database to be copied is encrypted; otherwise `nil`.
  /// - Throws: ``SQLiteError``.
  package static func makeCopy(
    at path: String, checksums: Bool, key: DatabaseKey? = nil
  ) throws(SQLiteError) -> Connection {
    let connection = Connection(
      handle: try handle(path, disk: nil, checksums: checksums, key: key), path: path, key: key)
    if key != nil { try connection.avoidTemporaryFiles() }
    // An incomplete copy is deleted, so nothing has to be rolled back.
    try connection.execute("PRAGMA journal_mode = OFF")
    try connection.execute("PRAGMA synchronous = FULL")
    // Writes the header, without which the pages written before it would have no checksums.
    try connection.execute("CREATE TABLE copy (value)")
    return connection
  }

  /// Makes the database a single file that needs no log beside it, and flushes it to the disk.
  ///
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/busy`` if another connection has it open.
  package func finishCopy() throws(SQLiteError) {
    try execute("PRAGMA synchronous = FULL")
    // The header of a copied database states that there is a write-ahead log.
    try execute("PRAGMA journal_mode = DELETE")
  }

  /// Opens a database that no other connection may open before this one is released, for a transaction that
  /// replaces its content. No other connection can then keep values of the previous content.
  ///
  /// - Parameters:
  ///   - path: the path of an existing database.
  ///   - disk: the name of an SQLite VFS; `nil` for the default one.
  ///   - key: the key of the database; `nil` if it isn't encrypted.
  ///   - forEncryption: whether ``encrypt(into:key:)`` will be called.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/busy`` if a connection of this or another process has
  ///   it open; as ``open(_:durability:busyTimeout:disk:salvages:readsOnly:checksums:key:)`` if the key isn't
  ///   that of the database.
  package static func openExclusively(
    _ path: String, disk: String? = nil, key: DatabaseKey? = nil, forEncryption: Bool = false
  ) throws -> Connection {
    let path = followingLinks(path)
    let connection = Connection(
      handle: try handle(path, disk: disk, key: key, encrypts: forEncryption), path: path, key: key)
    try checkKey(connection.handle, key, path: path)
    if forEncryption || key != nil { try connection.avoidTemporaryFiles() }
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    try connection.execute("PRAGMA synchronous = FULL")
    // The first read acquires the lock.
    _ = try connection.first("SELECT 1 FROM sqlite_schema") { _ in true }
    return connection
  }
}

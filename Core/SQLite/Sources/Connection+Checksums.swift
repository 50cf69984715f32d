internal import CSQLite
internal import TenonChecksums

extension Connection {
  /// Opens a database and brings its schema up to date. If the database was created by a version of this
  /// library without checksums, adds checksums to its pages.
  ///
  /// Checksums are added in place, in one transaction that needs space for two copies of the database. If
  /// another connection has the database open, or there isn't enough space, the database is used without
  /// checksums.
  ///
  /// - Parameters:
  ///   - path: the path of the file; `nil` for a database in memory.
  ///   - migrations: the steps of the schema; see ``migrate(_:)``. They must include one that versions
  ///     without checksums don't know, because these versions can't write to such a file.
  ///   - disk: the name of an SQLite VFS; `nil` for the default one.
  ///   - busyTimeout: how long to wait for the locks of other connections; 10 seconds by default.
  ///   - owned: the statements of tables and indexes of which a database of this program has at least one;
  ///     `nil` to accept any database.
  ///   - key: the key of an encrypted database, or of a new one that is to be encrypted; `nil` if it isn't.
  /// - Returns: a connection to the database.
  /// - Throws: ``SQLiteError`` as
  ///   ``open(_:durability:busyTimeout:disk:salvages:readsOnly:owned:checksums:key:)`` and ``migrate(_:)``
  ///   do, with ``SQLiteError/Code/damaged`` if the database has tables but no schema version, with
  ///   ``SQLiteError/Code/foreign`` if it has none of the statements, and with ``SQLiteError/Code/readOnly``
  ///   if it needs migrations but can't be written; the error that a migration throws.
  package static func open(
    _ path: String?, migrations: [Migration], disk: String? = nil, busyTimeout: Duration = .seconds(10),
    owned: Set<String>? = nil, key: DatabaseKey? = nil
  ) throws -> Connection {
    do {
      let connection = try migrated(path, migrations, disk, busyTimeout, owned, key)
      guard path != nil, !connection.hasChecksums, !connection.isReadOnly else { return connection }
      // The connection is closed at the end of this scope, because adding checksums requires exclusive
      // access.
    }
    if let path { try addChecksums(to: path, disk: disk) }
    return try migrated(path, migrations, disk, busyTimeout, owned, key)
  }

  /// Opens a database whose tables all come from migrations, and runs them.
  ///
  /// - Throws: ``SQLiteError``; the error that a migration throws.
  private static func migrated(
    _ path: String?, _ migrations: [Migration], _ disk: String?, _ busyTimeout: Duration,
    _ owned: Set<String>?, _ key: DatabaseKey?
  ) throws -> Connection {
    let connection = try open(path, busyTimeout: busyTimeout, disk: disk, owned: owned, key: key)
    do { try connection.migrate(migrations, ownsTables: true) } catch let error as SQLiteError {
      // Migrations are correct for every database that they created, so an error of the SQL means that the
      // file is damaged.
      throw error.ofFile
    }
    return connection
  }

  /// Whether the pages of the database have checksums, or are authenticated because they are encrypted. Those
  /// of a database in memory have none.
  package var hasChecksums: Bool {
    var hasChecksums: CInt = 0
    let result = sqlite3_file_control(handle, "main", CInt(TENON_CHECKSUMS_ARE_KEPT), &hasChecksums)
    return result == SQLITE_OK && hasChecksums != 0
  }

  /// Rewrites a database with space for checksums. Like any transaction, this one is written to the log
  /// first. SQLite holds an exclusive lock, so that no other connection can open the file during the check.
  ///
  /// - Throws: ``SQLiteError``. If the database is in use or the disk is full, the database is left as it is
  ///   and no error is thrown.
  private static func addChecksums(to path: String, disk: String?) throws(SQLiteError) {
    let connection = Connection(handle: try handle(path, disk: disk), path: path)
    do throws(SQLiteError) {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      try connection.execute("PRAGMA synchronous = FULL")
      try connection.execute("VACUUM")
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      guard [.busy, .full].contains(error.code) else { throw error.ofFile }
    }
  }

  /// Returns the name of the VFS that adds checksums to another one.
  ///
  /// - Parameters:
  ///   - disk: the name of the other VFS; `nil` for the default one.
  ///   - path: the path of the database, for the error.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/cannotOpen`` if there is no such VFS.
  static func checksumsDisk(
    over disk: String?, for path: String?
  ) throws(SQLiteError) -> String? {
    guard let name = tenon_checksums_disk(disk) else {
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN, message: "there is no disk \(disk ?? "")", sql: nil, path: path)
    }
    return String(cString: name)
  }

  /// Reserves space at the end of each page for a checksum, or for what encryption needs, in a database that
  /// is about to be created or rewritten.
  static func reserve(_ handle: OpaquePointer, forEncryption: Bool) {
    var size = forEncryption ? CInt(TENON_ENCRYPTION_SIZE) : CInt(TENON_CHECKSUM_SIZE)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
  }

  /// Returns a sentence that describes the damage, if a result code reports a checksum that doesn't match, or
  /// the key, if it doesn't fit; otherwise `nil`.
  func damage(_ result: CInt) -> String? {
    if result == CInt(TENON_IOERR_KEY) { return "it isn't encrypted with the key with which it was opened" }
    guard result == Int32(TENON_IOERR_DATA) else { return nil }
    var number: Int64 = 0
    sqlite3_file_control(handle, "main", CInt(TENON_CHECKSUMS_DAMAGE), &number)
    let place = number < 0 ? "page \(-number) of its write-ahead log" : "page \(number) of the file"
    return "\(place) doesn't match its checksum"
  }

  /// Reads bytes of the file through the VFS, as SQLite does.
  ///
  /// - Parameters:
  ///   - bytes: the buffer to fill.
  ///   - offset: the offset of the first byte.
  /// - Returns: SQLite's result code.
  func read(_ bytes: inout [UInt8], at offset: Int64) -> CInt {
    bytes.withUnsafeMutableBytes { tenon_read(handle, $0.baseAddress, CInt($0.count), offset) }
  }
}

internal import CSQLite
internal import TenonChecksums

extension Connection {
  /// Opens a database, brings its schema up to date, and adds checksums to its pages if it was created by a version of this
  /// library that had none.
  ///
  /// Checksums are added to the file in place, in one transaction, which needs room for two copies of the database. As long as
  /// another connection has it open, or there isn't enough room, it is used without checksums.
  ///
  /// - Parameters:
  ///   - path: the file; `nil` for a database in memory.
  ///   - migrations: see ``migrate(_:)``. They must include one that versions without checksums don't know, because these
  ///     versions can't write such a file.
  ///   - disk: see ``open(_:durability:busyTimeout:disk:salvages:)``.
  /// - Throws: what ``migrate(_:)`` throws, and ``SQLiteError/Code/damaged`` when there are tables but no schema version.
  package static func open(
    _ path: String?, migrations: [Migration], disk: String? = nil
  ) throws -> Connection {
    do {
      let connection = try migrated(path, migrations, disk)
      guard path != nil, !connection.hasChecksums else { return connection }
      // Closed here: adding checksums needs the database for itself.
    }
    if let path { try addChecksums(to: path, disk: disk) }
    return try migrated(path, migrations, disk)
  }

  private static func migrated(
    _ path: String?, _ migrations: [Migration], _ disk: String?
  ) throws -> Connection {
    let connection = try open(path, disk: disk)
    do { try connection.migrate(migrations, ownsTables: true) } catch let error as SQLiteError {
      // The migrations fit every database that was made by them.
      throw error.ofFile
    }
    return connection
  }

  /// Whether the pages of the database have checksums. A database in memory has none.
  package var hasChecksums: Bool {
    var answer: CInt = 0
    let result = sqlite3_file_control(handle, "main", CInt(TENON_CHECKSUMS_ARE_KEPT), &answer)
    return result == SQLITE_OK && answer != 0
  }

  /// Rewrites a database with room for checksums. The transaction is in the log first, as any other one; SQLite holds the lock
  /// that keeps other connections from opening the file.
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

  /// The name of the disk that verifies what SQLite reads from another one.
  static func checksumsDisk(
    over disk: String?, for path: String?
  ) throws(SQLiteError) -> String? {
    guard let name = tenon_checksums_disk(disk) else {
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN, message: "there is no disk \(disk ?? "")", sql: nil, path: path)
    }
    return String(cString: name)
  }

  /// Reserves room for checksums in a database that is about to be created, or rewritten.
  static func reserveChecksums(_ handle: OpaquePointer) {
    var size = CInt(TENON_CHECKSUM_SIZE)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
  }

  /// What is damaged, as a sentence, if that is what a result code says.
  func damage(_ result: CInt) -> String? {
    guard result == Int32(TENON_IOERR_DATA) else { return nil }
    var number: Int64 = 0
    sqlite3_file_control(handle, "main", CInt(TENON_CHECKSUMS_DAMAGE), &number)
    let place = number < 0 ? "page \(-number) of its write-ahead log" : "page \(number) of the file"
    return "\(place) doesn't match its checksum"
  }

  /// Reads bytes of the file as SQLite does.
  ///
  /// - Returns: SQLite's result code.
  func read(_ bytes: inout [UInt8], at offset: Int64) -> CInt {
    bytes.withUnsafeMutableBytes { tenon_read(handle, $0.baseAddress, CInt($0.count), offset) }
  }
}

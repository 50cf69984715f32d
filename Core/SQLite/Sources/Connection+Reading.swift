internal import CSQLite

/// Databases that are read without changing a byte of them or of the files beside them.
extension Connection {
  /// How SQLite finds the newest pages of a database that it must not change.
  private enum Access {
    /// The file alone. No process has the database open, so that SQLite takes no locks.
    case file
    /// The file, its log, and the index of the log that the processes share which have it open. An index that
    /// a killed process left isn't used, but made again in memory.
    case sharedIndex
    /// The file and its log, which were copied, or whose index was lost. SQLite makes the index in memory.
    case log

    /// Returns how a database is read.
    static func of(_ path: String) -> Access {
      // A transaction of a database without a log was interrupted; SQLite refuses to read it.
      if WriteAheadLog.size(of: path + "-journal") > 0 { return .sharedIndex }
      guard FileState(path + "-wal") != nil else { return .file }
      if FileState(path + "-shm") != nil { return .sharedIndex }
      return WriteAheadLog(of: path).size > 0 ? .log : .file
    }

    /// Whether no lock keeps other processes from changing what is read.
    var isUnprotected: Bool { self == .file || self == .log }

    /// Returns the state of the files that are read.
    func state(of path: String) -> [FileState?] {
      self == .file ? [FileState(path)] : [FileState(path), FileState(path + "-wal")]
    }

    /// The parameters of the database's URI (https://sqlite.org/uri.html).
    var parameters: String {
      switch self {
      case .file: "?immutable=1"
      case .sharedIndex: "?readonly_shm=1"
      case .log: ""
      }
    }

    /// The VFS that has no locks, if the index of the log is made in memory.
    var disk: String? {
      #if os(Windows)
        return self == .log ? "win32-none" : nil
      #else
        return self == .log ? "unix-none" : nil
      #endif
    }
  }

  /// Runs a closure with a connection to an existing database that is only read, in one read transaction.
  ///
  /// No file is created, changed or deleted, so the medium may be read-only. Other connections and processes
  /// may use the database at the same time; what the closure reads is one state, unless SQLite ends the
  /// transaction because it can't read a page.
  ///
  /// - Parameters:
  ///   - path: the path of the database.
  ///   - key: the key of an encrypted database; `nil` if it isn't encrypted.
  ///   - body: reads. It can't begin another transaction.
  /// - Returns: what `body` returns.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/cannotOpen`` if the database doesn't exist, with
  ///   ``SQLiteError/Code/damaged`` if its log has lost transactions, with ``SQLiteError/Code/keyMissing``,
  ///   ``SQLiteError/Code/keyWrong`` or ``SQLiteError/Code/notEncrypted`` if the key isn't that of the
  ///   database, and with ``SQLiteError/Code/changed`` if no process had the database open, but one has
  ///   changed it since; what `body` throws.
  /// - Complexity: O(*n*) in the size of the log, which is read once.
  package static func withoutChanging<Result>(
    _ path: String, key: DatabaseKey? = nil, _ body: (Connection) throws -> Result
  ) throws -> Result {
    let path = followingLinks(path)
    try checkPresence(path)
    try checkQuietLog(path)
    let access = Access.of(path)
    let before = access.state(of: path)
    let connection = try beginReading(path, access, key)
    // It may have ended already.
    defer { try? connection.execute("ROLLBACK") }
    let result = try body(connection)
    if access.isUnprotected, access.state(of: path) != before {
      throw SQLiteError(
        code: .changed, message: "another process has changed it while it was read", resultCode: 0, sql: nil,
        path: path)
    }
    return result
  }

  /// Opens a database and begins a read transaction.
  private static func beginReading(
    _ path: String, _ access: Access, _ key: DatabaseKey?
  ) throws -> Connection {
    let connection = try openForReading(path, access, key)
    let end = ContinuousClock.now + connection.busyTimeout
    while true {
      try connection.execute("BEGIN")
      // The first read begins the transaction in the file.
      do {
        _ = try connection.first("SELECT 1 FROM sqlite_schema") { _ in true }
        return connection
      } catch let error as SQLiteError
        where error.resultCode == Int32(TENON_READONLY_CANTLOCK) && ContinuousClock.now < end
      {
        // Others have just read further, and this connection can't mark how far it reads.
        try connection.execute("ROLLBACK")
        sqlite3_sleep(2)
      }
    }
  }

  /// Opens a database for reading.
  private static func openForReading(
    _ path: String, _ access: Access, _ key: DatabaseKey?
  ) throws(SQLiteError) -> Connection {
    let disk =
      key == nil
      ? try checksumsDisk(over: access.disk, for: path) : try encryptionDisk(over: access.disk, for: path)
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var handle: OpaquePointer?
    let result = opening(with: key) {
      sqlite3_open_v2("file:\(uri(path))\(access.parameters)", &handle, flags, disk)
    }
    guard result == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(resultCode: result, message: message, sql: nil, path: path)
    }
    let connection = Connection(handle: handle, path: path, busyTimeout: .seconds(10), key: key)
    try checkKey(handle, key, path: path)
    if key != nil { try connection.avoidTemporaryFiles() }
    // The log isn't moved into the file by the last connection that closes.
    tenon_keep_log(handle)
    connection.setBusyTimeout()
    // With this mode, SQLite makes the index of the log in memory.
    if access == .log { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
    try connection.execute("PRAGMA cache_size = -8192")
    return connection
  }

  /// Returns a path as it is written in a URI.
  private static func uri(_ path: String) -> String {
    #if os(Windows)
      let path = "///" + path.replacing("\\", with: "/")
    #endif
    return path.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/-._~:".utf8.contains(byte)
      if isPlain { return String(UnicodeScalar(byte)) }
      let hexadecimal = String(byte, radix: 16, uppercase: true)
      return (hexadecimal.utf8.count == 1 ? "%0" : "%") + hexadecimal
    }.joined()
  }

  /// Checks a log that a process left which was killed, as ``checkLog(_:path:)`` does with a lock. While a
  /// process writes to the log, it has been checked already.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/damaged``.
  private static func checkQuietLog(_ path: String) throws(SQLiteError) {
    for _ in 0..<3 {
      let before = Access.log.state(of: path)
      guard let damage = WriteAheadLog(of: path).damage() else { return }
      guard Access.log.state(of: path) == before else { continue }
      throw SQLiteError(code: .damaged, message: damage, resultCode: 0, sql: nil, path: path)
    }
  }

  // MARK: - Damage

  /// Returns the numbers of pages of the file that don't match their checksums, in ascending order; none if
  /// the pages have no checksums. Pages in the log aren't read.
  ///
  /// Pages that consist of zeros aren't among them: SQLite doesn't write a page that was free before it was
  /// ever used.
  ///
  /// - Parameter limit: the maximum number of pages to find.
  /// - Throws: ``SQLiteError``.
  /// - Complexity: O(*n*) in the size of the file.
  package func damagedPages(limit: Int) throws -> [Int64] {
    guard let path, hasChecksums else { return [] }
    let stated = try first("PRAGMA page_size") { Int(clamping: $0.integer(0)) } ?? 0
    let size = min(max(stated, 512), 65_536)
    // Checked: at least 512.
    var page = [UInt8](repeating: 0, count: size)
    var damaged: [Int64] = []
    for offset in stride(from: 0, to: WriteAheadLog.size(of: path), by: size) where damaged.count < limit {
      // Another process may be writing it.
      let isDamaged = (0..<3).allSatisfy { _ in
        read(&page, at: Int64(clamping: offset)) == Int32(TENON_IOERR_DATA)
      }
      guard isDamaged, page.contains(where: { $0 != 0 }) else { continue }
      damaged.append(Int64(clamping: offset / size) &+ 1)
    }
    return damaged
  }
}

internal import CSQLite
internal import TenonChecksums

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// Encrypted databases: AES-256-GCM for each page, in the file, its log and its rollback journal.
///
/// The layout is described in `PageCipher.h`. Whether a database is encrypted is determined by the key with
/// which it is opened: with one, a page that isn't encrypted is never accepted, and without one, an encrypted
/// database isn't read. Both have separate codes, never ``SQLiteError/Code/damaged``.
extension Connection {
  /// Whether the database has a key.
  package var isEncrypted: Bool { key != nil }

  /// Returns whether a key is the one of the database, as far as this connection knows.
  package func hasKey(_ key: DatabaseKey) -> Bool { self.key == key }

  /// Returns the name of the VFS that encrypts what another one stores.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/noCipher`` if the library of cryptography can't be
  ///   loaded, and with ``SQLiteError/Code/cannotOpen`` if there is no such VFS.
  static func encryptionDisk(over disk: String?, for path: String?) throws(SQLiteError) -> String? {
    if let reason = tenon_cipher_load() {
      throw SQLiteError(
        code: .noCipher,
        message: "libcrypto (OpenSSL 1.1.1 or newer) can't be loaded: \(String(cString: reason))",
        resultCode: 0, sql: nil, path: path)
    }
    guard let name = tenon_encryption_disk(disk) else {
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN, message: "there is no disk \(disk ?? "")", sql: nil, path: path)
    }
    return String(cString: name)
  }

  /// Runs a closure that opens databases with a key, or without one if it is `nil`.
  static func opening<Result, Failure: Error>(
    with key: DatabaseKey?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let key else { return try body() }
    return try key.withBytes { bytes throws(Failure) in
      tenon_encryption_use_key(bytes)
      defer { tenon_encryption_use_key(nil) }
      return try body()
    }
  }

  /// Checks that a database is encrypted with the key with which it was opened, or not at all. Reads only the
  /// beginning of the file, and its log if the key doesn't fit. SQLite finds damage, and a key that was
  /// replaced in the log, when it reads the first page.
  ///
  /// - Parameters:
  ///   - handle: the database, of which nothing was read.
  ///   - key: the key; `nil` if there is none.
  ///   - path: the path of the database.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/keyMissing``, ``SQLiteError/Code/keyWrong`` or
  ///   ``SQLiteError/Code/notEncrypted``.
  static func checkKey(
    _ handle: OpaquePointer, _ key: DatabaseKey?, path: String
  ) throws(SQLiteError) {
    var state: CInt = 0
    guard sqlite3_file_control(handle, "main", CInt(TENON_ENCRYPTION_STATE), &state) == SQLITE_OK else {
      return
    }
    let (code, message): (SQLiteError.Code, String)
    switch UInt32(bitPattern: state) {
    case TENON_KEY_MISSING.rawValue: (code, message) = (.keyMissing, "it is encrypted, and no key was given")
    case TENON_KEY_WRONG.rawValue: (code, message) = (.keyWrong, "it is encrypted with another key")
    case TENON_NOT_ENCRYPTED.rawValue where key != nil:
      (code, message) = (.notEncrypted, "it isn't encrypted, but a key was given")
    default: return
    }
    throw SQLiteError(code: code, message: message, resultCode: 0, sql: nil, path: path)
  }

  /// Keeps what SQLite would write to temporary files in memory. The VFS of encrypted databases has none.
  func avoidTemporaryFiles() throws(SQLiteError) { try execute("PRAGMA temp_store = MEMORY") }

  /// Replaces the key of the database.
  ///
  /// The pages are encrypted with a random key that belongs to the database and stays the same; what is
  /// replaced is the record that contains it, encrypted with the key of the user. This is one small
  /// transaction, after which the write-ahead log is moved into the file, so that the former record is in
  /// neither. Other connections that have the database open aren't affected.
  ///
  /// - Parameter key: the new key.
  /// - Throws: ``SQLiteError``, after which the former key is the key of the database; with
  ///   ``SQLiteError/Code/busy`` if the new key is, but the file still contains the former record below the
  ///   log, because another connection is reading.
  package func replaceKey(with key: DatabaseKey) throws {
    guard isEncrypted else {
      throw SQLiteError(
        code: .notEncrypted, message: "it isn't encrypted, so its key can't be replaced", resultCode: 0,
        sql: nil,
        path: path)
    }
    try transaction {
      // The transaction has read the newest record. Setting the version changes page 1, which contains it.
      let version = try first("PRAGMA user_version") { $0.integer(0) } ?? 0
      let result = key.withBytes { bytes in
        sqlite3_file_control(
          handle, "main", CInt(TENON_ENCRYPTION_REPLACE_KEY), UnsafeMutableRawPointer(mutating: bytes))
      }
      guard result == SQLITE_OK else { throw error(result, "replacing the key") }
      isReplacingKey = true
      try execute("PRAGMA user_version = \(version)")
    }
    isReplacingKey = false
    self.key = key
    // Its first column is 1 if another connection is reading or writing.
    if try first("PRAGMA wal_checkpoint(TRUNCATE)", [], { $0.integer(0) }) != 0 {
      throw SQLiteError(
        code: .busy, message: "another connection is using the write-ahead log", resultCode: 0, sql: nil,
        path: path)
    }
  }

  /// Returns to the former key after a transaction that replaced it has failed.
  func keepFormerKey() {
    guard isReplacingKey else { return }
    isReplacingKey = false
    sqlite3_file_control(handle, "main", CInt(TENON_ENCRYPTION_KEEP_KEY), nil)
  }

  /// Writes an encrypted copy of a database that isn't encrypted to a new file.
  ///
  /// - Parameters:
  ///   - copy: the path of the copy, at which no file exists.
  ///   - key: the key of the copy.
  /// - Throws: ``SQLiteError``. The caller then deletes the incomplete copy.
  /// - Precondition: the connection was opened with ``openExclusively(_:disk:key:forEncryption:)`` for
  ///   encryption.
  package func encrypt(into copy: String, key: DatabaseKey) throws(SQLiteError) {
    Self.reserve(handle, forEncryption: true)
    try Self.opening(with: key) { () throws(SQLiteError) in try run("VACUUM INTO ?", [.text(copy)]) }
  }

  /// Makes the database a single file, beside which this connection neither has nor deletes others, so that
  /// another file can take its place while it is locked.
  ///
  /// - Precondition: the connection was opened with ``openExclusively(_:disk:key:forEncryption:)``, and
  ///   nothing will be written through it.
  package func removeLog() throws(SQLiteError) {
    try execute("PRAGMA journal_mode = DELETE")
    // While SQLite holds an exclusive lock, it keeps the journal of that change. This closes it.
    try execute("PRAGMA journal_mode = MEMORY")
    if let path { remove("\(path)-journal") }
  }
}

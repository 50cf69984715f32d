internal import CSQLite
internal import TenonChecksums

/// A connection to an SQLite database.
///
/// A connection isn't `Sendable`: confine it to an actor whose executor may block, because every call may
/// read or write the disk. Prepared statements are cached by their SQL. Databases in files use a write-ahead
/// log, so that readers and a writer, also in different processes, don't block one another.
///
/// Each page of a database that this library creates ends with a checksum, which is verified when the page is
/// read: changed bytes are reported as ``SQLiteError/Code/damaged`` and never returned. Other programs can
/// read such a file but must not write to it, because the pages that they write have no matching checksums.
package final class Connection {
  /// How durable a commit is when it returns (https://sqlite.org/pragma.html#pragma_synchronous).
  package struct Durability: Sendable, Hashable {
    /// The value of `PRAGMA synchronous`.
    let pragma: String
    /// A commit survives a power failure once it has returned. The log is synchronized at each commit.
    package static let full = Durability(pragma: "FULL")
    /// A commit survives the end of the process once it has returned, but not necessarily a power failure.
    /// The log is synchronized before it is moved into the file.
    package static let normal = Durability(pragma: "NORMAL")
  }

  /// The path of the database, not of a symbolic link to it; `nil` for a database in memory.
  package let path: String?
  /// SQLite's connection object, which this value owns.
  let handle: OpaquePointer
  /// The key of the database; `nil` if it isn't encrypted.
  var key: DatabaseKey?
  /// Whether the transaction that is running replaces the key.
  var isReplacingKey = false
  /// The prepared statements by their SQL; at most ``statementLimit``.
  private var statements: [String: Statement] = [:]
  /// The statements that ran most recently, at most ``recentLimit``. They are found by comparing the SQL,
  /// without hashing it, which is faster for the statements that a transaction repeats for each of its rows.
  private var recent: [(sql: String, statement: Statement)] = []
  /// Whether the function of ``sum(_:of:_:)`` was added.
  var hasSum = false
  /// Whether the function of ``sums(of:at:reading:in:_:checking:)`` was added.
  var hasSums = false
  /// Whether ``transaction(_:_:)`` is running, inside which another transaction can't begin.
  private var isInTransaction = false

  /// The size of the page cache in KiB. A transaction that changes more pages than the cache holds writes
  /// some of them twice. SQLite's default is 2 MiB.
  private static let cacheKibibytes = 8 * 1024

  /// The number of pages at which the write-ahead log is moved into the file; 0 until ``limitLog()`` sets it.
  var logLimit = 0
  /// The number of transactions until the limit of the log is adjusted to the size of the file again.
  private var transactionsToLogCheck = Connection.logCheckInterval
  /// The number of committed transactions between two adjustments of the log's limit.
  private static let logCheckInterval = 32
  /// How long statements wait for the locks of other connections.
  var busyTimeout: Duration
  /// Whether the database can only be read, because its medium is read-only or the process has no permission
  /// to write the file or its directory.
  package let isReadOnly: Bool
  /// The time at which a read last checked that the file is at its path.
  var lastPlaceCheck: ContinuousClock.Instant?

  /// The largest number of cached statements. SQL that is generated at run time must not make the cache grow
  /// without limit.
  private static let statementLimit = 200
  /// The largest number of statements that are found without hashing their SQL.
  private static let recentLimit = 8

  /// Creates a connection that owns a handle and closes it.
  ///
  /// - Parameters:
  ///   - handle: SQLite's connection object.
  ///   - path: the path of the database; `nil` for a database in memory.
  ///   - busyTimeout: how long statements wait for the locks of other connections.
  ///   - isReadOnly: whether the database can only be read.
  ///   - key: the key with which it was opened; `nil` if there is none.
  init(
    handle: OpaquePointer, path: String?, busyTimeout: Duration = .zero, isReadOnly: Bool = false,
    key: DatabaseKey? = nil
  ) {
    self.handle = handle
    self.path = path
    self.key = key
    self.busyTimeout = busyTimeout
    self.isReadOnly = isReadOnly
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement.pointer) }
    sqlite3_close_v2(handle)
  }

  /// Opens a database, and creates it if it doesn't exist.
  ///
  /// Enables foreign keys and the write-ahead log, and verifies a log that an earlier process left. A file
  /// that can't be written is opened for reading; see ``isReadOnly``.
  ///
  /// - Parameters:
  ///   - path: the path of the file, whose directory must exist; `nil` for a database in memory that is
  ///     private to the connection.
  ///   - durability: what a commit waits for; ``Durability/full`` by default.
  ///   - busyTimeout: how long to wait for the locks of other connections; 10 seconds by default.
  /// - Returns: a connection, which is closed when it is released.
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/damaged`` if the file isn't a database or was changed
  ///   by something other than SQLite, or if its write-ahead log has lost transactions, and with
  ///   ``SQLiteError/Code/readOnly`` if it can't be written and wasn't closed. The files are left unchanged
  ///   in these cases.
  /// - Complexity: O(*n*) in the size of the write-ahead log, which is read once if no other connection has
  ///   the database open; it doesn't depend on the size of the database.
  package static func open(
    _ path: String?,
    durability: Durability = .full,
    busyTimeout: Duration = .seconds(10)
  ) throws(SQLiteError) -> Connection {
    try open(path, durability: durability, busyTimeout: busyTimeout, disk: nil)
  }

  /// Opens a database on a disk, that is, an SQLite VFS (https://sqlite.org/vfs.html).
  ///
  /// - Parameters:
  ///   - path: the path of the file; `nil` for a database in memory.
  ///   - durability: what a commit waits for.
  ///   - busyTimeout: how long to wait for the locks of other connections.
  ///   - disk: the name of the VFS; `nil` for the default one. Tests have one that fails.
  ///   - salvages: whether to read as much as possible of a damaged database: the transactions before the
  ///     damage in a log, and the rows below interior pages whose checksums don't match. Pages that hold rows
  ///     are still verified.
  ///   - readsOnly: whether the connection is one that only reads, beside another one of this process that
  ///     has verified the log and keeps it short. Statements that would change the database throw. The file
  ///     must exist.
  ///   - owned: the statements of tables and indexes of which a database of this program has at least one;
  ///     `nil` to accept any database. That of another program isn't changed, and throws
  ///     ``SQLiteError/Code/foreign``.
  ///   - checksums: whether to verify pages, and to add checksums to a new database. Benchmarks measure the
  ///     cost.
  ///   - key: the key of an encrypted database, or of a new one that is to be encrypted; `nil` if it isn't. A
  ///     database in memory has none, but then can be copied with ``encrypt(into:key:)``.
  /// - Throws: ``SQLiteError``, as ``open(_:durability:busyTimeout:)`` does; with
  ///   ``SQLiteError/Code/keyMissing``, ``SQLiteError/Code/keyWrong`` or ``SQLiteError/Code/notEncrypted`` if
  ///   the key isn't that of the database, in which case nothing was changed; with
  ///   ``SQLiteError/Code/noCipher`` if the library of cryptography can't be loaded.
  package static func open(
    _ path: String?,
    durability: Durability = .full,
    busyTimeout: Duration = .seconds(10),
    disk: String?,
    salvages: Bool = false,
    readsOnly: Bool = false,
    owned: Set<String>? = nil,
    checksums: Bool = true,
    key: DatabaseKey? = nil
  ) throws(SQLiteError) -> Connection {
    let path = path.map(followingLinks)
    if let path { try checkPresence(path) }
    if let path, !salvages, isOnReadOnlyMedium(path) {
      return try openReadOnly(path, disk: disk, owned: owned, checksums: checksums, key: key)
    }
    let handle = try handle(path, disk: disk, creates: !readsOnly, checksums: checksums, key: key)
    let connection = Connection(
      handle: handle, path: path, busyTimeout: busyTimeout, key: path == nil ? nil : key)
    if let path { try checkKey(handle, key, path: path) }
    if salvages {
      sqlite3_file_control(handle, "main", Int32(TENON_CHECKSUMS_SALVAGE), nil)
    } else if let path, !readsOnly {
      try checkLog(handle, path: path)
    }
    connection.setBusyTimeout()
    if path != nil, let owned { try connection.checkOwner(owned) }
    if path != nil { try connection.useLog(waitingAtMost: busyTimeout) }
    try connection.execute("PRAGMA synchronous = \(durability.pragma)")
    try connection.execute("PRAGMA foreign_keys = ON")
    try connection.execute("PRAGMA cache_size = -\(cacheKibibytes)")
    if key != nil { try connection.avoidTemporaryFiles() }
    if readsOnly {
      try connection.execute("PRAGMA query_only = ON")
    } else if path != nil {
      if !salvages { connection.trimLeftLog() }
      try connection.limitLog()
    }
    return connection
  }

  /// Makes statements wait for the locks of other connections, for up to the timeout that was passed to
  /// `open` or ``waitForLocks(upTo:)``.
  func setBusyTimeout() {
    let (seconds, attoseconds) = busyTimeout.components
    tenon_busy_timeout(handle, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }

  /// Sets how long statements wait for the locks of other connections.
  package func waitForLocks(upTo timeout: Duration) {
    busyTimeout = timeout
    setBusyTimeout()
  }

  /// Switches the database to write-ahead logging. SQLite's busy timeout doesn't cover a database that
  /// another process is just creating, or recovering after a process was killed, so this function retries by
  /// itself.
  ///
  /// - Parameter limit: how long to retry.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/busy`` at the end of that time.
  private func useLog(waitingAtMost limit: Duration) throws(SQLiteError) {
    let end = ContinuousClock.now + limit
    while true {
      do throws(SQLiteError) { return try execute("PRAGMA journal_mode = WAL") } catch {
        if error.code == .keyWrong { tenon_keep_log(handle) }
        guard error.code == .busy, ContinuousClock.now < end else { throw error.ofFile }
        sqlite3_sleep(2)
      }
    }
  }

  /// Opens a database file; SQLite reads nothing of it but its header.
  ///
  /// - Parameters:
  ///   - path: the path of the file; `nil` for a database in memory.
  ///   - disk: the name of the VFS; `nil` for the default one.
  ///   - creates: whether to create the file if it doesn't exist.
  ///   - checksums: whether to verify pages, and to add checksums to a new database.
  ///   - key: the key of the database; `nil` if it isn't encrypted.
  ///   - encrypts: whether databases that are attached may have a key.
  /// - Returns: a handle that the caller must close.
  static func handle(
    _ path: String?, disk: String?, creates: Bool = true, checksums: Bool = true, key: DatabaseKey? = nil,
    encrypts: Bool = false
  ) throws(SQLiteError) -> OpaquePointer {
    let access = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
    return try handle(
      name: path ?? ":memory:", path, access, disk: disk, checksums: checksums, key: key, encrypts: encrypts)
  }

  /// Opens a database file with SQLite's flags for the access.
  ///
  /// - Parameters:
  ///   - name: the name that SQLite receives, which may be a URI.
  ///   - path: the path of the file; `nil` for a database in memory.
  ///   - access: the flags.
  ///   - disk: the name of a VFS; `nil` for the default one.
  ///   - checksums: whether to verify pages, and to add checksums to a new database.
  ///   - key: the key of the database; `nil` if it isn't encrypted.
  ///   - encrypts: whether databases that are attached may have a key.
  /// - Returns: a handle that the caller must close.
  static func handle(
    name: String, _ path: String?, _ access: CInt, disk: String?, checksums: Bool, key: DatabaseKey? = nil,
    encrypts: Bool = false
  ) throws(SQLiteError) -> OpaquePointer {
    var handle: OpaquePointer?
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let checksums = checksums && path != nil
    let disk =
      encrypts || key != nil
      ? try encryptionDisk(over: disk, for: path)
      : checksums ? try checksumsDisk(over: disk, for: path) : disk
    let result = opening(with: key) { sqlite3_open_v2(name, &handle, flags, disk) }
    guard result == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(resultCode: result, message: message, sql: nil, path: path)
    }
    if checksums { reserve(handle, forEncryption: key != nil) }
    return handle
  }

  // MARK: - Statements

  /// Runs SQL without bindings. It may consist of several statements; rows are ignored.
  ///
  /// - Throws: ``SQLiteError`` of the first statement that fails. The statements before it have taken effect.
  package func execute(_ sql: String) throws(SQLiteError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql) }
  }

  /// Runs a statement that returns no rows. Rows of a query are ignored.
  ///
  /// - Parameters:
  ///   - sql: one statement, with `?` for each bound value.
  ///   - bindings: one value for each `?`.
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/misuse`` if the number of values doesn't match, and with
  ///   ``SQLiteError/Code/io`` in a transaction that SQLite has rolled back.
  package func run(_ sql: String, _ bindings: [SQLValue] = []) throws(SQLiteError) {
    // A failure of the disk rolls back, and an extension such as FTS5 can overlook its error. What follows would be
    // committed for itself.
    if isInTransaction, sqlite3_get_autocommit(handle) != 0 {
      throw SQLiteError(
        code: .io, message: "SQLite has rolled the transaction back, because the file couldn't be used",
        resultCode: 0, sql: sql, path: path)
    }
    let statement = try bound(sql, bindings)
    defer { release(statement) }
    var result = sqlite3_step(statement.pointer)
    while result == SQLITE_ROW { result = sqlite3_step(statement.pointer) }
    guard result == SQLITE_DONE else { throw error(result, sql) }
  }

  /// Runs a query and passes its rows to a closure one at a time. Rows are read from the disk as they are
  /// needed.
  ///
  /// - Parameters:
  ///   - sql: one query, with `?` for each bound value.
  ///   - bindings: one value for each `?`.
  ///   - body: receives each row; returns `false` to stop. It may run further statements, also the same
  ///     query.
  /// - Throws: ``SQLiteError``; the error that `body` throws.
  package func forEachRow(
    _ sql: String,
    _ bindings: [SQLValue] = [],
    _ body: (borrowing Row) throws -> Bool
  ) throws {
    let statement = try bound(sql, bindings)
    defer { release(statement) }
    while true {
      let result = sqlite3_step(statement.pointer)
      if result == SQLITE_DONE { return }
      guard result == SQLITE_ROW else { throw error(result, sql) }
      guard try body(Row(statement: statement.pointer)) else { return }
    }
  }

  /// Runs a query and returns the values that a closure makes of its rows.
  ///
  /// - Parameters:
  ///   - sql: one query, with `?` for each bound value.
  ///   - bindings: one value for each `?`.
  ///   - body: converts a row.
  /// - Returns: the values in the order of the rows.
  /// - Throws: ``SQLiteError``; the error that `body` throws.
  package func rows<Element>(
    _ sql: String,
    _ bindings: [SQLValue] = [],
    _ body: (borrowing Row) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    try forEachRow(sql, bindings) { row in
      elements.append(try body(row))
      return true
    }
    return elements
  }

  /// Runs a query and returns the value that a closure makes of its first row; `nil` if there are no rows.
  ///
  /// - Parameters:
  ///   - sql: one query, with `?` for each bound value.
  ///   - bindings: one value for each `?`.
  ///   - body: converts the row.
  /// - Throws: ``SQLiteError``; the error that `body` throws.
  package func first<Element>(
    _ sql: String,
    _ bindings: [SQLValue] = [],
    _ body: (borrowing Row) throws -> Element
  ) throws -> Element? {
    var element: Element?
    try forEachRow(sql, bindings) { row in
      element = try body(row)
      return false
    }
    return element
  }

  /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
  package var changes: Int { Int(clamping: sqlite3_changes64(handle)) }

  /// The row ID of the last row that this connection inserted; 0 if there was none.
  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A number that changes when another connection commits a change to the database. Commits of this
  /// connection don't change it (https://sqlite.org/pragma.html#pragma_data_version).
  package var dataVersion: Int64 {
    get throws { try first("PRAGMA data_version") { $0.integer(0) } ?? 0 }
  }

  // MARK: - Transactions

  /// The time at which a transaction acquires the write lock (https://sqlite.org/lang_transaction.html).
  package struct TransactionKind: Sendable, Hashable {
    /// The statement that begins the transaction.
    let sql: String
    /// When it first writes, if ever. Use it to read several times from one state of the database.
    package static let deferred = TransactionKind(sql: "BEGIN DEFERRED")
    /// When it begins, so that it can't fail later because of another writer. The default.
    package static let immediate = TransactionKind(sql: "BEGIN IMMEDIATE")
  }

  /// Runs a closure in a transaction, which is committed when the closure returns and rolled back when it
  /// throws.
  ///
  /// - Parameters:
  ///   - kind: when to acquire the write lock; ``TransactionKind/immediate`` by default.
  ///   - body: reads and writes through this connection.
  /// - Returns: the value that `body` returns.
  /// - Throws: the error that `body` throws; ``SQLiteError`` if the transaction can't begin or be committed,
  ///   with ``SQLiteError/Code/misuse`` inside another transaction, and with ``SQLiteError/Code/moved`` if
  ///   the file is no longer at its path; see ``checkPlace()``. The transaction is rolled back in each of
  ///   these cases. If a commit fails with ``SQLiteError/Code/io`` and the process is killed before it can
  ///   write again, the next connection may still find the transaction committed.
  package func transaction<Result>(
    _ kind: TransactionKind = .immediate,
    _ body: () throws -> Result
  ) throws -> Result {
    guard !isInTransaction else {
      throw SQLiteError(
        code: .misuse,
        message: "a transaction can't begin inside another one",
        resultCode: 0,
        sql: nil,
        path: path
      )
    }
    if kind == .deferred { try checkPlaceOccasionally() }
    try run(kind.sql)
    isInTransaction = true
    defer { isInTransaction = false }
    var isCommitting = false
    do {
      let result = try body()
      if kind == .immediate { try checkPlace() }
      isCommitting = true
      try run("COMMIT")
      if path != nil, kind == .immediate { didCommit() }
      return result
    } catch {
      // SQLite itself has rolled back after some errors, for example when the disk is full.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      // Before anything else is written, which would contain the new key.
      keepFormerKey()
      if isCommitting, (error as? SQLiteError)?.code == .io { writeOverLastTransaction() }
      throw error
    }
  }

  /// Runs a closure in a transaction that survives the end of the process when this returns, but not
  /// necessarily a power failure, on a connection whose transactions otherwise do (``Durability/full``). It
  /// doesn't wait for the disk.
  ///
  /// - Throws: as ``transaction(_:_:)``.
  package func unsyncedTransaction(_ body: () throws -> Void) throws {
    try execute("PRAGMA synchronous = \(Durability.normal.pragma)")
    defer { try? execute("PRAGMA synchronous = \(Durability.full.pragma)") }
    try transaction(.immediate, body)
  }

  /// Adjusts the limit of the log to the size of the file after every ``logCheckInterval`` transactions.
  /// Errors are ignored, because the transaction has been committed.
  private func didCommit() {
    transactionsToLogCheck -= 1
    guard transactionsToLogCheck <= 0 else { return }
    transactionsToLogCheck = Self.logCheckInterval
    try? limitLog()
  }

  /// Replaces a transaction whose commit was written but couldn't be synchronized. It is complete in the log,
  /// so the next connection after the end of this process would recover it although its commit was reported
  /// as failed. A transaction that changes nothing overwrites it.
  private func writeOverLastTransaction() {
    guard let version = try? first("PRAGMA user_version", [], { $0.integer(0) }) else { return }
    try? execute("BEGIN IMMEDIATE; PRAGMA user_version = \(version); COMMIT")
    if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
  }

  // MARK: - Prepared statements

  /// A prepared statement.
  final class Statement {
    let pointer: OpaquePointer
    /// Whether the statement is in the cache; otherwise it is finalized after use.
    let isKept: Bool
    /// Whether a caller is stepping through the rows of the statement.
    var isInUse = true

    init(_ pointer: OpaquePointer, isKept: Bool) { (self.pointer, self.isKept) = (pointer, isKept) }
  }

  /// Returns a prepared statement with its bindings. The caller must release it.
  ///
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/misuse`` if the number of values doesn't match.
  private func bound(_ sql: String, _ bindings: [SQLValue]) throws(SQLiteError) -> Statement {
    let statement = try prepared(sql)
    let expected = Int(clamping: sqlite3_bind_parameter_count(statement.pointer))
    guard expected == bindings.count else {
      release(statement)
      throw SQLiteError(
        code: .misuse,
        message: "the statement has \(expected) parameters, but \(bindings.count) values are bound",
        resultCode: 0,
        sql: sql,
        path: path
      )
    }
    for (index, value) in bindings.enumerated() {
      let result = value.bind(to: statement.pointer, at: Int32(clamping: index + 1))
      guard result == SQLITE_OK else {
        let error = error(result, sql)
        release(statement)
        throw error
      }
    }
    return statement
  }

  /// Returns a prepared statement from the cache, or prepares it. The caller must release it.
  ///
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/misuse`` if the SQL is invalid.
  /// - Complexity: O(1) in the number of cached statements.
  func prepared(_ sql: String) throws(SQLiteError) -> Statement {
    if let recent = recent.first(where: { $0.sql == sql })?.statement, !recent.isInUse {
      recent.isInUse = true
      return recent
    }
    let kept = statements[sql]
    if let kept, !kept.isInUse {
      kept.isInUse = true
      if recent.count == Self.recentLimit { recent.removeFirst() }
      recent.append((sql, kept))
      return kept
    }
    var pointer: OpaquePointer?
    let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard result == SQLITE_OK, let pointer else { throw error(result, sql) }
    // While a query runs, the same query inside it gets its own statement, which isn't cached.
    guard kept == nil else { return Statement(pointer, isKept: false) }
    if statements.count >= Self.statementLimit { dropStatements() }
    let statement = Statement(pointer, isKept: true)
    statements[sql] = statement
    return statement
  }

  /// Ends the use of a statement: resets it and clears its bindings, or finalizes it if it isn't cached.
  func release(_ statement: Statement) {
    guard statement.isKept else {
      sqlite3_finalize(statement.pointer)
      return
    }
    sqlite3_reset(statement.pointer)
    sqlite3_clear_bindings(statement.pointer)
    statement.isInUse = false
  }

  /// Empties the cache, except for the statements that are in use.
  private func dropStatements() {
    recent = []
    for (sql, statement) in statements where !statement.isInUse {
      sqlite3_finalize(statement.pointer)
      statements[sql] = nil
    }
  }
  /// Creates the error for a result code of this connection.
  ///
  /// - Parameters:
  ///   - result: the code that SQLite returned last.
  ///   - sql: the statement that failed.
  func error(_ result: Int32, _ sql: String) -> SQLiteError {
    SQLiteError(
      resultCode: result,
      message: damage(result) ?? String(cString: sqlite3_errmsg(handle)),
      sql: sql,
      path: path
    )
  }
}

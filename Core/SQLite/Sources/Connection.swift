internal import CSQLite
internal import TenonChecksums

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A connection to one SQLite database.
///
/// It isn't `Sendable`: confine it to an actor whose executor may block, because every call reads or writes the disk.
/// Statements are prepared once and kept. Databases in files use a write-ahead log, so that readers and a writer,
/// also in other processes, don't stop each other.
///
/// Every page of a database that this library creates has a checksum, which is verified when the page is read; changed bytes
/// are reported as ``SQLiteError/Code/damaged`` and never returned. Other programs can read such a file, but must not write it:
/// they would leave pages whose checksums don't match.
public final class Connection {
  /// How a commit reaches the disk (https://sqlite.org/pragma.html#pragma_synchronous).
  public struct Durability: Sendable, Hashable {
    let pragma: String
    /// A commit that has returned survives the loss of power.
    public static let full = Durability(pragma: "FULL")
    /// A commit that has returned survives the end of the process, but perhaps not the loss of power.
    public static let normal = Durability(pragma: "NORMAL")
  }

  /// The database's file; `nil` for a database in memory.
  public let path: String?
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// Statements that are found again without hashing their text: those that a transaction runs for each of its rows.
  private var recent: [(sql: String, statement: Statement)] = []
  private var isInTransaction = false

  /// A transaction that changes more pages than fit writes some of them twice. SQLite's own default is 2 MiB.
  private static let cacheKibibytes = 8 * 1024

  /// How many pages the write-ahead log may have, kept by Connection+Log; 0 before it is known.
  var logLimit = 0
  /// How many transactions there are until the limit of the log is looked at again.
  private var transactionsToLogCheck = Connection.logCheckInterval
  private static let logCheckInterval = 32
  private let busyTimeout: Duration

  /// SQL that is made at run time must not fill the memory with statements.
  private static let statementLimit = 200
  private static let recentLimit = 8

  init(handle: OpaquePointer, path: String?, busyTimeout: Duration = .zero) {
    self.handle = handle
    self.path = path
    self.busyTimeout = busyTimeout
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement.pointer) }
    sqlite3_close_v2(handle)
  }

  /// Opens a database, and creates it if it isn't there.
  ///
  /// - Parameters:
  ///   - path: the file, whose directory must exist; `nil` for a database in memory, private to the connection.
  ///   - durability: what a commit waits for; ``Durability/full`` by default.
  ///   - busyTimeout: how long to wait for another connection's lock; 10 seconds by default.
  /// - Throws: ``SQLiteError``; ``SQLiteError/Code/damaged`` when the file isn't a database or was changed by something else
  ///   than SQLite, or its write-ahead log has lost transactions. The files are never changed then.
  public static func open(
    _ path: String?,
    durability: Durability = .full,
    busyTimeout: Duration = .seconds(10)
  ) throws(SQLiteError) -> Connection {
    try open(path, durability: durability, busyTimeout: busyTimeout, disk: nil)
  }

  /// Opens a database on a disk that SQLite knows by a name (a VFS), the default one when `nil`: tests have one that fails.
  ///
  /// - Parameters:
  ///   - salvages: reads as much as possible of a damaged database: the transactions before the damage in a log, and the
  ///     rows below pages whose checksums don't match. Pages that hold rows themselves are verified all the same.
  ///   - checksums: whether pages are verified, and get checksums in a new database; benchmarks measure what that costs.
  package static func open(
    _ path: String?,
    durability: Durability = .full,
    busyTimeout: Duration = .seconds(10),
    disk: String?,
    salvages: Bool = false,
    checksums: Bool = true
  ) throws(SQLiteError) -> Connection {
    if let path { try checkPresence(path) }
    let handle = try handle(path, disk: disk, checksums: checksums)
    let connection = Connection(handle: handle, path: path, busyTimeout: busyTimeout)
    if salvages {
      sqlite3_file_control(handle, "main", Int32(TENON_CHECKSUMS_SALVAGE), nil)
    } else if let path {
      try checkLog(handle, path: path)
    }
    connection.setBusyTimeout()
    if path != nil { try connection.useLog(waitingAtMost: busyTimeout) }
    try connection.execute("PRAGMA synchronous = \(durability.pragma)")
    try connection.execute("PRAGMA foreign_keys = ON")
    try connection.execute("PRAGMA cache_size = -\(cacheKibibytes)")
    if path != nil {
      if !salvages { connection.trimLeftLog() }
      try connection.limitLog()
    }
    return connection
  }

  /// Has statements wait for the locks of other connections, up to the time that was given when the database was opened.
  func setBusyTimeout() {
    let (seconds, attoseconds) = busyTimeout.components
    sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }

  /// Chooses the write-ahead log. SQLite's own waiting for locks doesn't cover a database that another process is just
  /// creating, or bringing back to order after one that was killed.
  private func useLog(waitingAtMost limit: Duration) throws(SQLiteError) {
    let end = ContinuousClock.now + limit
    while true {
      do throws(SQLiteError) { return try execute("PRAGMA journal_mode = WAL") } catch {
        guard error.code == .busy, ContinuousClock.now < end else { throw error.ofFile }
        sqlite3_sleep(2)
      }
    }
  }

  /// Opens the file, and reads nothing but its header.
  static func handle(_ path: String?, disk: String?, checksums: Bool = true) throws(SQLiteError)
    -> OpaquePointer
  {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let checksums = checksums && path != nil
    let disk = checksums ? try checksumsDisk(over: disk, for: path) : disk
    let result = sqlite3_open_v2(path ?? ":memory:", &handle, flags, disk)
    guard result == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(resultCode: result, message: message, sql: nil, path: path)
    }
    if checksums { reserveChecksums(handle) }
    return handle
  }

  // MARK: - Statements

  /// Runs SQL without bindings, which may hold several statements; rows are ignored.
  public func execute(_ sql: String) throws(SQLiteError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql) }
  }

  /// Runs a statement that gives no rows.
  ///
  /// - Parameters:
  ///   - sql: one statement, with `?` for what is bound.
  ///   - bindings: one value for each `?`.
  public func run(_ sql: String, _ bindings: [SQLValue] = []) throws(SQLiteError) {
    let statement = try bound(sql, bindings)
    defer { release(statement) }
    var result = sqlite3_step(statement.pointer)
    while result == SQLITE_ROW { result = sqlite3_step(statement.pointer) }
    guard result == SQLITE_DONE else { throw error(result, sql) }
  }

  /// Runs a query and hands out its rows one by one, until `body` returns `false`.
  public func forEachRow(
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

  /// Runs a query and collects what `body` makes of each row.
  public func rows<Element>(
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

  /// What `body` makes of a query's first row; `nil` when there is none.
  public func first<Element>(
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

  /// How many rows the last `INSERT`, `UPDATE` or `DELETE` changed.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The row id of the last `INSERT`.
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A number that differs from the one before when another connection has changed the database since.
  public var dataVersion: Int64 {
    get throws { try first("PRAGMA data_version") { $0.integer(0) } ?? 0 }
  }

  // MARK: - Transactions

  /// When a transaction takes the lock for writing.
  public struct TransactionKind: Sendable, Hashable {
    let sql: String
    /// Never, or when it first writes: for reading from one state of the database.
    public static let deferred = TransactionKind(sql: "BEGIN DEFERRED")
    /// At its beginning, so that it can't fail for another writer later. The default.
    public static let immediate = TransactionKind(sql: "BEGIN IMMEDIATE")
  }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  ///
  /// - Throws: what `body` throws; ``SQLiteError`` when the transaction can't begin or commit, and
  ///   ``SQLiteError/Code/misuse`` inside another transaction.
  public func transaction<Result>(
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
    try run(kind.sql)
    isInTransaction = true
    defer { isInTransaction = false }
    var isCommitting = false
    do {
      let result = try body()
      isCommitting = true
      try run("COMMIT")
      if path != nil, kind == .immediate { noteTransaction() }
      return result
    } catch {
      // SQLite has rolled back by itself after some errors, for example a full disk.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      if isCommitting, (error as? SQLiteError)?.code == .io { writeOverLastTransaction() }
      throw error
    }
  }

  /// Looks at the size of the file now and then. The transaction is committed, whatever comes of that.
  private func noteTransaction() {
    transactionsToLogCheck -= 1
    guard transactionsToLogCheck <= 0 else { return }
    transactionsToLogCheck = Self.logCheckInterval
    try? limitLog()
  }

  /// A commit that failed after it was written, when it was to reach the disk, is whole in the log: if the process ended now,
  /// whoever opened the database next would find it made. A transaction that changes nothing takes its place.
  private func writeOverLastTransaction() {
    guard let version = try? first("PRAGMA user_version", [], { $0.integer(0) }) else { return }
    try? execute("BEGIN IMMEDIATE; PRAGMA user_version = \(version); COMMIT")
    if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
  }

  // MARK: - Prepared statements

  /// A prepared statement, and whether somebody is reading its rows.
  final class Statement {
    let pointer: OpaquePointer
    let isKept: Bool
    var isInUse = true

    init(_ pointer: OpaquePointer, isKept: Bool) { (self.pointer, self.isKept) = (pointer, isKept) }
  }

  private func bound(_ sql: String, _ bindings: [SQLValue]) throws(SQLiteError) -> Statement {
    let statement = try prepared(sql)
    let expected = Int(sqlite3_bind_parameter_count(statement.pointer))
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
      let result = bind(value, to: statement.pointer, at: Int32(index + 1))
      guard result == SQLITE_OK else {
        let error = error(result, sql)
        release(statement)
        throw error
      }
    }
    return statement
  }

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
    // A query inside the same query gets a statement of its own, for this once.
    guard kept == nil else { return Statement(pointer, isKept: false) }
    if statements.count >= Self.statementLimit { dropStatements() }
    let statement = Statement(pointer, isKept: true)
    statements[sql] = statement
    return statement
  }

  func release(_ statement: Statement) {
    guard statement.isKept else {
      sqlite3_finalize(statement.pointer)
      return
    }
    sqlite3_reset(statement.pointer)
    sqlite3_clear_bindings(statement.pointer)
    statement.isInUse = false
  }

  private func dropStatements() {
    recent = []
    for (sql, statement) in statements where !statement.isInUse {
      sqlite3_finalize(statement.pointer)
      statements[sql] = nil
    }
  }

  private func bind(_ value: SQLValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
    case .real(let real): return sqlite3_bind_double(statement, index, real)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          tenon_bind_text(statement, index, $0.baseAddress, sqlite3_uint64($0.count))
        }
      }
    case .blob(let data):
      return data.withUnsafeBytes {
        tenon_bind_blob(statement, index, $0.baseAddress, sqlite3_uint64($0.count))
      }
    }
  }

  func error(_ result: Int32, _ sql: String) -> SQLiteError {
    SQLiteError(
      resultCode: result,
      message: damage(result) ?? String(cString: sqlite3_errmsg(handle)),
      sql: sql,
      path: path
    )
  }
}

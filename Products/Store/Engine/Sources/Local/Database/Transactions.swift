import TenonDocuments
import TenonFoundation
import TenonSQLite

/// Read access to the database, which the tables use. Only a ``WriteTransaction`` writes.
///
/// Statements see the open transaction of the connection, including its own changes. Without one, each
/// statement sees the newest committed state, so that consecutive statements may see different states;
/// ``Transactions/read(_:)`` prevents that. Prepared statements are cached by the connection under their SQL
/// text, so values belong into `bindings`.
struct DatabaseReader {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The path of the database file; `nil` for a database in memory.
  var path: String? { connection.path }

  /// Returns the result of `body` for the first row; `nil` if there is none. The remaining rows aren't read.
  ///
  /// - Parameters:
  ///   - sql: a query, with `?` for each value.
  ///   - bindings: one value for each `?`.
  ///   - body: converts the row, which is valid only during the call.
  /// - Throws: `SQLiteError`; what `body` throws.
  func first<Element>(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Element
  ) throws -> Element? { try connection.first(sql, bindings, body) }

  /// Returns the results of `body` for all rows, in their order; the parameters are those of
  /// ``first(_:_:_:)``.
  ///
  /// - Throws: `SQLiteError`; what `body` throws.
  func rows<Element>(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Element
  ) throws -> [Element] { try connection.rows(sql, bindings, body) }

  /// Calls `body` with each row until it returns `false`. Rows are read from the disk as they are needed, and
  /// `body` may run other statements; the other parameters are those of ``first(_:_:_:)``.
  ///
  /// - Throws: `SQLiteError`; what `body` throws.
  func forEachRow(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Bool
  ) throws { try connection.forEachRow(sql, bindings, body) }

  /// Returns the sum of an expression over the rows of a query; see `Connection.sum`.
  ///
  /// - Throws: `SQLiteError`; what `check` throws.
  func sum(
    _ expression: String, of source: String, _ bindings: [SQLValue], checking check: () throws -> Void
  ) throws -> SQLSum { try connection.sum(expression, of: source, bindings, checking: check) }

  /// Returns the sums of fields of stored documents; see `Connection.sums`.
  ///
  /// - Parameters:
  ///   - fields: the fields; at most `Connection.sumsLimit`.
  ///   - source: what follows `FROM` in the query, in which `d` is the table of documents.
  /// - Throws: `SQLiteError`; what `check` throws.
  func sums(
    of fields: [StoredField], in source: String, _ bindings: [SQLValue], checking check: () throws -> Void
  ) throws -> SQLSums {
    try connection.sums(
      of: "d.fields", at: fields.map { .blob(Data($0.encodedPath)) }, reading: StoredField.numberReader,
      in: source, bindings, checking: check)
  }

  /// Returns whether the query returns a row; at most one is read.
  ///
  /// - Throws: `SQLiteError`.
  func hasRow(_ sql: String, _ bindings: [SQLValue] = []) throws -> Bool {
    try connection.first(sql, bindings) { _ in true } ?? false
  }
}

/// An open transaction, and the only way to write. Every function that changes a table requires one.
///
/// It is valid until ``Transactions/write(_:)`` has returned.
final class WriteTransaction {
  private let connection: Connection
  /// The sequence number of the transaction, with which the use of targets and documents is dated; 0 without
  /// a remote.
  let number: Int64

  /// - Parameters:
  ///   - connection: the connection on which the transaction runs.
  ///   - number: the sequence number of the transaction.
  fileprivate init(_ connection: Connection, number: Int64) {
    self.connection = connection
    self.number = number
  }

  /// Runs a statement that returns no rows.
  ///
  /// - Parameters:
  ///   - sql: one statement, with `?` for each value.
  ///   - bindings: one value for each `?`.
  /// - Throws: `SQLiteError`. The transaction remains open; it is rolled back if the error is passed on.
  func run(_ sql: String, _ bindings: [SQLValue] = []) throws { try connection.run(sql, bindings) }

  /// Runs `body` with a prepared statement for repeated execution; see `Connection.repeating`.
  ///
  /// - Parameters:
  ///   - sql: one statement, with `?` for each value.
  ///   - bytes: the memory of all blobs that `body` binds, as ranges of it.
  ///   - body: binds values and runs the statement, any number of times.
  /// - Throws: `SQLiteError`; what `body` throws.
  func repeating<Result>(
    _ sql: String, of bytes: Span<UInt8>, _ body: (borrowing RepeatedStatement) throws -> Result
  ) throws -> Result { try connection.repeating(sql, of: bytes, body) }

  /// The number of rows that the last statement changed.
  var changedRows: Int { connection.changes }
  /// The row ID of the last `INSERT`.
  var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
}

/// The state of the database at the beginning of a transaction, which is read with a single statement for all
/// participants.
struct DatabaseState {
  /// The number of the newest change in the change log; 0 if it is empty.
  let newestChange: Int64
  /// The number of times that the declarations of indexes have changed, in all processes.
  let indexGeneration: Int64
}

/// A table with in-memory state besides its rows. The state must follow the transaction: it is written on
/// commit, and restored on rollback.
///
/// The methods are called in this order: ``transactionBegins(_:at:)``, ``transactionWillCommit(_:)``, then
/// either ``transactionCommitted()`` or ``transactionRolledBack()``. The last two don't throw: by then the
/// transaction has ended, and memory must agree with the file. Read transactions don't involve participants.
protocol TransactionParticipant: AnyObject {
  /// Called when a transaction has begun and the write lock is held.
  ///
  /// - Parameters:
  ///   - transaction: the transaction.
  ///   - state: the state of the database, before any change of the transaction.
  /// - Throws: an error, which rolls the transaction back.
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws
  /// Called before a commit; writes deferred changes. An error rolls the transaction back.
  func transactionWillCommit(_ transaction: WriteTransaction) throws
  /// Called after a commit.
  func transactionCommitted()
  /// Called when the transaction failed, possibly before it began, or before this participant was notified of
  /// its beginning; discards the state acquired in it.
  func transactionRolledBack()
}

extension TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws {}
  func transactionWillCommit(_ transaction: WriteTransaction) throws {}
  func transactionCommitted() {}
  func transactionRolledBack() {}
}

/// Runs transactions, one at a time. Not thread-safe: its owner confines it, and the connection, to one
/// isolation domain.
///
/// Transactions don't nest: a write within a write, or within a read, is a programming error, which the
/// connection reports as `misuse`. A read within a write is part of it.
final class Transactions {
  private let connection: Connection
  private let indexes: IndexTable
  private let participants: [any TransactionParticipant]
  /// Called after each commit, when all participants have been notified.
  private let onCommit: () -> Void
  /// The number of the last transaction of this process; `nil` if transactions aren't numbered because there
  /// is no remote. It is read from the file once. Processes that use the file at the same time may therefore
  /// assign the same numbers; the order of last uses, which is all that numbers determine, is then
  /// approximate.
  private(set) var lastNumber: Int64?
  /// Whether a read or write transaction is open.
  private var isOpen = false
  /// Whether FTS5 may have kept wrong totals of the text indexes since a transaction failed.
  private var hasUnknownTotals = false

  /// - Parameters:
  ///   - connection: the connection.
  ///   - globals: the table in which earlier versions recorded the number of the last transaction.
  ///   - indexes: the composite indexes, which are refreshed before each read.
  ///   - isNumbered: whether transactions have numbers, with which the use of targets and documents is dated.
  ///   - participants: the tables with in-memory state, in the order in which they write before a commit.
  ///   - onCommit: called after each commit.
  /// - Throws: `SQLiteError`.
  init(
    _ connection: Connection, globals: GlobalTable, indexes: IndexTable, isNumbered: Bool,
    participants: [any TransactionParticipant], onCommit: @escaping () -> Void
  ) throws {
    self.connection = connection
    self.indexes = indexes
    self.participants = participants
    self.onCommit = onCommit
    lastNumber = isNumbered ? try Self.lastNumber(connection, globals) : nil
  }

  /// Returns the greatest number with which a use is dated; 0 if there is none. No transaction has to record its
  /// number for that, which would change a page in each of them. Up to version 15 of the schema, all did.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the number is damaged; `SQLiteError`.
  private static func lastNumber(_ connection: Connection, _ globals: GlobalTable) throws -> Int64 {
    let number = try connection.first(
      """
      SELECT max(coalesce((SELECT max(sequence) FROM targets), 0), coalesce((SELECT max(sequence) FROM uses), 0))
      """
    ) { $0.integer(0) }
    return max(
      try GlobalTable.counter(number ?? 0, "sequence", in: connection.path), try globals.counter("sequence"))
  }

  /// Runs `body` in a transaction, which is committed when `body` returns and rolled back if it throws.
  ///
  /// The transaction holds the write lock from its beginning (`BEGIN IMMEDIATE`), so what it reads can't
  /// change before it commits, and it can't fail later because another process has written. Other writers
  /// wait for it. When this returns, the changes are as durable as the connection's setting, which for the
  /// databases of ``StoreFile`` includes a power failure.
  ///
  /// Besides the statements of `body`, it reads the ``DatabaseState``, and runs the deferred writes of the
  /// participants in their order; all of these are in the same transaction.
  ///
  /// - Parameter body: reads and writes. What it reads includes its own changes, except for changes that a
  ///   participant defers, such as those of ``EntryTable``.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` or a participant throws; `SQLiteError`, in particular with the code `busy` if
  ///   another process holds the write lock for longer than the connection's timeout; ``StoreError`` with
  ///   ``StoreError/Code/failedPrecondition`` if the database can only be read. Neither the file nor
  ///   the participants' state has changed then, with the exception described at `Connection.transaction`.
  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    guard !connection.isReadOnly else { throw StoreError.readOnly(connection.path, "nothing was changed") }
    isOpen = true
    defer { isOpen = false }
    try discardTotals()
    let number = lastNumber.map { $0 + 1 }
    let transaction = WriteTransaction(connection, number: number ?? 0)
    let result: Result
    do {
      result = try connection.transaction {
        let state = try currentState()
        for participant in participants { try participant.transactionBegins(transaction, at: state) }
        let result = try body(transaction)
        for participant in participants { try participant.transactionWillCommit(transaction) }
        return result
      }
    } catch {
      for participant in participants { participant.transactionRolledBack() }
      if error is SQLiteError, !indexes.textIndexes.isEmpty {
        hasUnknownTotals = true
        try? discardTotals()
      }
      // The next transaction, for example a deletion, may then do with the space of the log.
      if (error as? SQLiteError)?.code == .full { connection.makeSpaceInLog() }
      throw error
    }
    lastNumber = number
    for participant in participants { participant.transactionCommitted() }
    onCommit()
    return result
  }

  /// Makes FTS5 discard the totals of the text indexes after a failed transaction; it reads them again when it
  /// needs them.
  ///
  /// If FTS5 can't read the totals, SQLite rolls back before FTS5 has returned, and FTS5 then keeps zeros as if it
  /// had read them (seen with version 3.40). The next change of a document and each search that is sorted by rank
  /// would find the index damaged, and an insertion would store wrong totals. FTS5 discards them when a
  /// transaction in which it takes part is rolled back, even if nothing was changed.
  ///
  /// - Throws: `SQLiteError` if the disk still fails; the next transaction tries again.
  private func discardTotals() throws {
    guard hasUnknownTotals else { return }
    do {
      try connection.execute("BEGIN IMMEDIATE")
      for index in indexes.textIndexes.values {
        do { try connection.execute("INSERT INTO \(index.table) (rowid) SELECT 0 WHERE 0") } catch
          where error.message.hasPrefix("no such table")
        {
          // The failed transaction had created it, or another process has dropped it.
        }
      }
      try connection.execute("ROLLBACK")
    } catch {
      // Without effect if SQLite has rolled back.
      try? connection.execute("ROLLBACK")
      throw error
    }
    hasUnknownTotals = false
  }

  /// Runs `body` in a transaction that survives the end of the process, but not necessarily a power failure,
  /// and doesn't wait for the disk. It isn't numbered, and the participants don't take part in it, so `body`
  /// must change none of their tables but `globals`.
  ///
  /// - Throws: what `body` throws; `SQLiteError`, as ``write(_:)``.
  func writeUnsynced(_ body: (WriteTransaction) throws -> Void) throws {
    isOpen = true
    defer { isOpen = false }
    try connection.unsyncedTransaction {
      try body(WriteTransaction(connection, number: lastNumber ?? 0))
    }
  }

  /// Returns the state that every transaction needs, with one statement. Both values are found without a
  /// scan.
  ///
  /// - Throws: `SQLiteError`.
  private func currentState() throws -> DatabaseState {
    try connection.first(
      "SELECT (SELECT max(sequence) FROM changes), (SELECT value FROM globals WHERE name = 'indexes')"
    ) {
      DatabaseState(
        newestChange: try GlobalTable.counter($0.integer(0), "changes", in: connection.path),
        indexGeneration: $0.integer(1))
    } ?? DatabaseState(newestChange: 0, indexGeneration: 0)
  }

  /// Runs `body` on a consistent snapshot of the database: in the open transaction, if there is one, or in a
  /// read transaction.
  ///
  /// A read transaction takes no lock that a writer waits for, and begins by refreshing the composite
  /// indexes, so that all statements of `body` and the indexes they use belong to one snapshot.
  ///
  /// - Parameter body: reads; it must not write unless a write transaction is open.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; `SQLiteError`.
  func read<Result>(_ body: () throws -> Result) throws -> Result {
    if isOpen { return try body() }
    try discardTotals()
    return try connection.transaction(.deferred) { try readWithin(body) }
  }

  /// Runs `body` as ``read(_:)`` does, in a read transaction that the caller has opened.
  func readWithin<Result>(_ body: () throws -> Result) throws -> Result {
    isOpen = true
    defer { isOpen = false }
    try indexes.refresh()
    return try body()
  }
}

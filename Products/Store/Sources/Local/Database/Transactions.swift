import TenonSQLite

/// Read access to the database, which the tables use. Only a ``WriteTransaction`` writes.
struct DatabaseReader {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The path of the database file; `nil` for a database in memory.
  var path: String? { connection.path }

  /// Returns the result of `body` for the first row; `nil` if there is none.
  func first<Element>(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Element
  ) throws -> Element? { try connection.first(sql, bindings, body) }

  /// Returns the results of `body` for all rows.
  func rows<Element>(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Element
  ) throws -> [Element] { try connection.rows(sql, bindings, body) }

  /// Calls `body` with each row until it returns `false`.
  func forEachRow(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Bool
  ) throws { try connection.forEachRow(sql, bindings, body) }

  /// Returns whether the query returns a row.
  func hasRow(_ sql: String, _ bindings: [SQLValue] = []) throws -> Bool {
    try connection.first(sql, bindings) { _ in true } ?? false
  }
}

/// An open transaction, and the only way to write. Every function that changes a table requires one.
final class WriteTransaction {
  private let connection: Connection
  /// The sequence number of the transaction, with which the use of targets and documents is dated; 0 without a remote.
  let number: Int64

  /// - Parameters:
  ///   - connection: the connection on which the transaction runs.
  ///   - number: the sequence number of the transaction.
  fileprivate init(_ connection: Connection, number: Int64) {
    self.connection = connection
    self.number = number
  }

  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ bindings: [SQLValue] = []) throws { try connection.run(sql, bindings) }

  /// Runs `body` with a prepared statement for repeated execution; see `Connection.repeating`.
  func repeating<Result>(
    _ sql: String, of bytes: Span<UInt8>, _ body: (borrowing RepeatedStatement) throws -> Result
  ) throws -> Result { try connection.repeating(sql, of: bytes, body) }

  /// The number of rows that the last statement changed.
  var changedRows: Int { connection.changes }
  /// The row ID of the last `INSERT`.
  var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
}

/// The state of the database at the beginning of a transaction.
struct DatabaseState {
  /// The number of the newest change in the change log.
  let newestChange: Int64
  /// The number of times that the declarations of indexes have changed.
  let indexGeneration: Int64
}

/// A table with in-memory state besides its rows. The state must follow the transaction: it is written on commit, and restored on
/// rollback.
protocol TransactionParticipant: AnyObject {
  /// Called when a transaction has begun.
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws
  /// Called before a commit; writes deferred changes.
  func transactionWillCommit(_ transaction: WriteTransaction) throws
  /// Called after a commit.
  func transactionCommitted()
  /// Called when the transaction failed, possibly before it began; discards the state acquired in it.
  func transactionRolledBack()
}

extension TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws {}
  func transactionWillCommit(_ transaction: WriteTransaction) throws {}
  func transactionCommitted() {}
  func transactionRolledBack() {}
}

/// Runs transactions, one at a time. Not thread-safe.
final class Transactions {
  private let connection: Connection
  private let globals: GlobalTable
  private let indexes: IndexTable
  private let participants: [any TransactionParticipant]
  private let onCommit: () -> Void
  /// The number of the last transaction; `nil` if transactions are not numbered because there is no remote.
  private var lastNumber: Int64?
  private var isOpen = false

  /// - Parameters:
  ///   - connection: the connection.
  ///   - globals: the table with the number of the last transaction.
  ///   - indexes: the composite indexes, which are refreshed before each read.
  ///   - isNumbered: whether transactions have numbers, with which the use of targets and documents is dated.
  ///   - participants: the tables with in-memory state, in the order in which they write before a commit.
  ///   - onCommit: called after each commit.
  init(
    _ connection: Connection, globals: GlobalTable, indexes: IndexTable, isNumbered: Bool,
    participants: [any TransactionParticipant], onCommit: @escaping () -> Void
  ) throws {
    self.connection = connection
    self.globals = globals
    self.indexes = indexes
    self.participants = participants
    self.onCommit = onCommit
    lastNumber = isNumbered ? try globals.integer("sequence") ?? 0 : nil
  }

  /// Runs `body` in a transaction, which is committed when `body` returns and rolled back if it throws.
  ///
  /// - Throws: what `body` throws; `SQLiteError`.
  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    isOpen = true
    defer { isOpen = false }
    let number = lastNumber.map { $0 + 1 }
    let transaction = WriteTransaction(connection, number: number ?? 0)
    let result: Result
    do {
      result = try connection.transaction {
        let state = try currentState()
        for participant in participants { try participant.transactionBegins(transaction, at: state) }
        let result = try body(transaction)
        if let number { try globals.set("sequence", .integer(number), in: transaction) }
        for participant in participants { try participant.transactionWillCommit(transaction) }
        return result
      }
    } catch {
      for participant in participants { participant.transactionRolledBack() }
      throw error
    }
    lastNumber = number
    for participant in participants { participant.transactionCommitted() }
    onCommit()
    return result
  }

  /// Returns the state that every transaction needs, with one statement.
  private func currentState() throws -> DatabaseState {
    try connection.first(
      "SELECT (SELECT max(sequence) FROM changes), (SELECT value FROM globals WHERE name = 'indexes')"
    ) { DatabaseState(newestChange: $0.integer(0), indexGeneration: $0.integer(1)) }
      ?? DatabaseState(newestChange: 0, indexGeneration: 0)
  }

  /// Runs `body` on a consistent snapshot of the database: in the open transaction, if there is one, or in a read transaction.
  func read<Result>(_ body: () throws -> Result) throws -> Result {
    if isOpen { return try body() }
    isOpen = true
    defer { isOpen = false }
    return try connection.transaction(.deferred) {
      try indexes.refresh()
      return try body()
    }
  }
}

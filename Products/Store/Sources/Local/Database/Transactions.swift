import TenonSQLite

/// Reads from the database. Tables keep one; only a ``WriteTransaction`` writes.
struct DatabaseReader {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The database's file; `nil` for a database in memory.
  var path: String? { connection.path }

  /// Returns what `body` makes of the first row; `nil` if there is none.
  func first<Element>(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Element
  ) throws -> Element? { try connection.first(sql, bindings, body) }

  /// Returns what `body` makes of each row.
  func rows<Element>(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Element
  ) throws -> [Element] { try connection.rows(sql, bindings, body) }

  /// Calls `body` with each row until it returns `false`.
  func forEachRow(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: (borrowing Row) throws -> Bool
  ) throws { try connection.forEachRow(sql, bindings, body) }

  /// Returns whether there is a row.
  func hasRow(_ sql: String, _ bindings: [SQLValue] = []) throws -> Bool {
    try connection.first(sql, bindings) { _ in true } ?? false
  }
}

/// An open transaction, and the only way to write. Every function that changes a table takes one.
final class WriteTransaction {
  private let connection: Connection
  /// The number of the transaction among all of the database, which dates targets and documents; 0 without a remote.
  let number: Int64

  fileprivate init(_ connection: Connection, number: Int64) {
    self.connection = connection
    self.number = number
  }

  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ bindings: [SQLValue] = []) throws { try connection.run(sql, bindings) }

  /// Runs `body` with a statement to run many times; see `Connection.repeating`.
  func repeating<Result>(
    _ sql: String, of bytes: Span<UInt8>, _ body: (borrowing RepeatedStatement) throws -> Result
  ) throws -> Result { try connection.repeating(sql, of: bytes, body) }

  /// The number of rows that the last statement changed.
  var changedRows: Int { connection.changes }
  /// The row id of the last `INSERT`.
  var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
}

/// The state of the database at the beginning of a transaction.
struct DatabaseState {
  /// The number of the newest change in the change log.
  let newestChange: Int64
  /// The number of times that the declared indexes have changed.
  let indexGeneration: Int64
}

/// A table that keeps state in memory beside its rows, which has to follow the transaction: it is written, or restored.
protocol TransactionParticipant: AnyObject {
  /// A transaction has begun.
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws
  /// The transaction is about to commit: writes what was put off.
  func transactionWillCommit(_ transaction: WriteTransaction) throws
  func transactionCommitted()
  /// The transaction failed, perhaps before it began: drops what was learned in it.
  func transactionRolledBack()
}

extension TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws {}
  func transactionWillCommit(_ transaction: WriteTransaction) throws {}
  func transactionCommitted() {}
  func transactionRolledBack() {}
}

/// Opens transactions, one at a time.
final class Transactions {
  private let connection: Connection
  private let globals: GlobalTable
  private let indexes: IndexTable
  private let participants: [any TransactionParticipant]
  private let onCommit: () -> Void
  /// The number of the last transaction; `nil` if transactions aren't numbered, as without a remote.
  private var lastNumber: Int64?
  private var isOpen = false

  /// - Parameters:
  ///   - isNumbered: whether transactions have numbers, which date targets and documents.
  ///   - participants: the tables that follow transactions; they write in this order before a commit.
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

  /// Runs `body` wholly or not at all.
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

  /// What every transaction has to know first, in one statement.
  private func currentState() throws -> DatabaseState {
    try connection.first(
      "SELECT (SELECT max(sequence) FROM changes), (SELECT value FROM globals WHERE name = 'indexes')"
    ) { DatabaseState(newestChange: $0.integer(0), indexGeneration: $0.integer(1)) }
      ?? DatabaseState(newestChange: 0, indexGeneration: 0)
  }

  /// Runs `body` on a consistent snapshot of the database: within the transaction that is open, or in one of its own.
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

package import TenonSQLite

/// Reading a database outside of an engine.
extension LocalReader {
  /// Creates a reader of a database that is only read.
  ///
  /// - Parameters:
  ///   - tables: the tables of the connection.
  ///   - connection: the connection.
  /// - Throws: `SQLiteError`.
  package convenience init(inspecting tables: LocalTables, on connection: Connection) throws {
    let transactions = try Transactions(
      connection, globals: tables.globals, indexes: tables.indexes, isNumbered: false, participants: [],
      onCommit: {})
    let isShared = try DatabaseOpening.lastSharing(tables.globals) != .localOnly
    self.init(tables, transactions, hasRemote: isShared, isCancellable: true)
  }

  /// Runs a closure in the read transaction that the connection has begun, after reading the indexes.
  package func readWithin<Result>(_ body: () throws -> Result) throws -> Result {
    try transactions.readWithin(body)
  }
}

import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// Reads of the present, of the past and in transactions.
extension DocumentDatabase {
  /// Reads documents of one state of a database.
  ///
  /// - Parameters:
  ///   - paths: the paths of the documents.
  ///   - database: the ID of the database.
  ///   - caller: the user whose access the rules decide.
  ///   - point: the state; `nil` for the current one.
  /// - Returns: the documents in the order of the paths, with `nil` fields for those that don't exist.
  /// - Throws: `StoreRemoteError`: `failedPrecondition` if the state is no longer known, `invalidArgument` if
  ///   it is in the future or the transaction isn't active.
  func fetch(
    _ paths: [ResourcePath], _ database: String, _ caller: Caller, at point: ReadConsistency?
  ) throws -> DocumentReading<[RemoteDocument]> {
    try reading(database, caller, point) { history in
      for path in paths { try path.checkDocument() }
      let documents = try history.documents(at: paths)
      try rules.checkGets(documents, database, caller, history)
      return documents
    } noting: {
      $0.note(paths)
    }
  }

  /// Runs a query on one state of a database. It stops when the task is cancelled.
  ///
  /// - Returns: the matching documents in the order of the query, up to its limit.
  /// - Throws: `StoreRemoteError`, as ``fetch(_:_:_:at:)``; `CancellationError`.
  func run(
    _ query: StructuredQuery, _ database: String, _ caller: Caller, at point: ReadConsistency?
  ) throws -> DocumentReading<[RemoteDocument]> {
    let resolved = try mappingErrors { try ResolvedQuery(query.withoutEmptyLimit) }
    return try reading(database, caller, point) { history in
      try rules.checkList(query, database, caller, history)
      return query.limit == 0 ? [] : try history.result(of: resolved)
    } noting: {
      $0.note(resolved)
    }
  }

  /// Checks that a query without all fields is only counted. The texts are Google's.
  private static func checkSelection(
    of query: StructuredQuery, for aggregations: [QueryAggregation]
  ) throws(StoreRemoteError) {
    let fields = aggregations.compactMap(\.field)
    guard let selection = query.selection, !fields.isEmpty else { return }
    guard !selection.allSatisfy({ $0 == .documentID() }) else {
      throw StoreRemoteError(
        .invalidArgument,
        "Aggregation over non-key properties is not supported for base query that only returns keys.")
    }
    for field in fields where !selection.contains(where: { $0.isPrefix(of: field) }) {
      throw StoreRemoteError(
        .invalidArgument,
        "The aggregation property \(field.text) is not present in the base query's property mask.")
    }
    throw StoreRemoteError(
      .invalidArgument, "Cannot apply property masks when aggregation fields are present.")
  }

  /// Computes aggregations on one state of a database. It stops when the task is cancelled.
  ///
  /// - Returns: a value for each aggregation, in their order.
  /// - Throws: `StoreRemoteError`, as ``fetch(_:_:_:at:)``; `CancellationError`.
  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], _ database: String,
    _ caller: Caller,
    at point: ReadConsistency?
  ) throws -> DocumentReading<[Value]> {
    let resolved = try mappingErrors { try ResolvedQuery(query.withoutEmptyLimit) }
    try Self.checkSelection(of: query, for: aggregations)
    return try reading(database, caller, point) { history in
      try rules.checkList(query, database, caller, history)
      guard query.limit != 0 else { return AggregationState(aggregations).values }
      return try history.aggregate(resolved, aggregations)
    } noting: {
      $0.note(resolved)
    }
  }

  /// Begins a transaction.
  ///
  /// - Parameters:
  ///   - database: the ID of the database.
  ///   - caller: the user, who alone can use it.
  ///   - options: whether it can write, and what it reads. The transaction that is retried must be one, and has
  ///     no other meaning, because there are no locks.
  /// - Returns: the ID of the transaction.
  /// - Throws: `StoreRemoteError` with `resourceExhausted` if too many are active; the errors of
  ///   ``fetch(_:_:_:at:)``.
  func begin(_ database: String, _ caller: Caller, _ options: TransactionOptions) throws -> Data {
    if case .readWrite(let previous?) = options { try checkRetried(previous) }
    let begun: DocumentReading<Void> = try reading(database, caller, .newTransaction(options)) { _ in
    } noting: { _ in
    }
    return begun.transaction ?? Data()
  }

  /// Checks that a transaction that is retried is one of this database, whether or not it has ended.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument`.
  private func checkRetried(_ id: Data) throws {
    guard isTransaction(id) else { throw Self.unknownTransaction }
    guard transactions[id]?.isReadOnly != true else {
      throw StoreRemoteError(.invalidArgument, "Cannot retry a read-only transaction.")
    }
  }

  /// The error of an ID that no transaction had.
  private static let unknownTransaction = StoreRemoteError(.invalidArgument, "Invalid transaction.")

  /// Ends a transaction without a commit. It isn't an error if the transaction has ended already.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if no transaction had the ID.
  func rollBack(_ id: Data, _ database: String, _ caller: Caller) throws {
    guard transactions[id] != nil else {
      guard isTransaction(id) else { throw Self.unknownTransaction }
      return
    }
    _ = try transaction(id, database, caller)
    transactions[id] = nil
  }

  /// Checks that nothing that a transaction has read was changed since, and ends it.
  ///
  /// - Parameters:
  ///   - id: the ID of the transaction.
  ///   - hasWrites: whether the commit has writes.
  ///   - table: the current documents.
  /// - Throws: `StoreRemoteError` with `aborted` if something was changed, with `invalidArgument` if the
  ///   transaction isn't active or can't write.
  func finish(
    _ id: Data, _ database: String, _ caller: Caller, hasWrites: Bool, _ table: PresentDocuments
  ) throws {
    let transaction = try transaction(id, database, caller)
    transactions[id] = nil
    guard hasWrites else { return }
    guard !transaction.isReadOnly else {
      throw StoreRemoteError(.invalidArgument, "Cannot modify entities in a read-only transaction.")
    }
    let changes = try table.transitions(since: transaction.readTime)
    guard let changes, !changes.contains(where: transaction.conflicts) else {
      throw StoreRemoteError(
        .aborted, "Too much contention on these documents. Please try again.")
    }
  }

  // MARK: - States

  /// Runs a closure on the state of a database that a request reads.
  ///
  /// - Parameters:
  ///   - database: the ID of the database.
  ///   - caller: the user.
  ///   - point: the state; `nil` for the current one.
  ///   - body: reads the documents.
  ///   - note: notes in the transaction what was read.
  func reading<Result: Sendable>(
    _ database: String, _ caller: Caller, _ point: ReadConsistency?,
    _ body: (any DocumentListing) throws -> Result,
    noting note: (inout DocumentTransaction) -> Void = { _ in }
  ) throws -> DocumentReading<Result> {
    try mappingErrors {
      try read(database) { table in
        table.stopsWhenCancelled = true
        var id: Data?
        var current: DocumentTransaction?
        let history: any DocumentListing
        switch point {
        case nil: history = table
        case .readTime(let time): history = try state(of: table, at: time)
        case .transaction(let known):
          let transaction = try transaction(known, database, caller)
          (id, current) = (known, transaction)
          history = try state(of: table, at: transaction.readTime)
        case .newTransaction(let options):
          try removeEndedTransactions()
          var isReadOnly = false
          if case .readOnly(let time) = options {
            isReadOnly = true
            history = try time.map { try state(of: table, at: $0) } ?? table
          } else {
            history = table
          }
          id = newTransactionID()
          current = DocumentTransaction(
            database: database, readTime: history.commitTime, isReadOnly: isReadOnly,
            owner: caller.principal, now: time.now())
        }
        let result = try body(history)
        guard let id, var current else {
          return DocumentReading(result: result, readTime: history.commitTime)
        }
        note(&current)
        current.lastUse = time.now()
        transactions[id] = current
        if case .newTransaction = point {
          return DocumentReading(result: result, readTime: history.commitTime, transaction: id)
        }
        return DocumentReading(result: result, readTime: history.commitTime)
      }
    }
  }

  /// Returns the state of a database at a time.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for a time in the future, with `failedPrecondition`
  ///   if the changes since then were deleted.
  private func state(of table: PresentDocuments, at past: Timestamp) throws -> any DocumentListing {
    guard past.compare(table.commitTime) < 0 else {
      // A commit can still get the present time, but none before it.
      guard past == table.commitTime || past.compare(time.timestamp()) < 0 else {
        throw StoreRemoteError(
          .invalidArgument, "The read time is in the future. Read at a time in the past.")
      }
      return table
    }
    guard let state = try PastDocuments(table, at: past) else {
      throw StoreRemoteError(
        .failedPrecondition,
        "The state of the database at the read time is no longer kept. Read at a later time.")
    }
    return state
  }

  /// Returns an active transaction.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if there is none with that ID, or it belongs to
  ///   another database or user.
  private func transaction(
    _ id: Data, _ database: String, _ caller: Caller
  ) throws -> DocumentTransaction {
    guard let transaction = transactions[id], transaction.database == database,
      transaction.owner == caller.principal, !transaction.isOver(at: time.now())
    else {
      guard isTransaction(id) else { throw Self.unknownTransaction }
      throw StoreRemoteError(.invalidArgument, "Transaction is invalid or closed.")
    }
    return transaction
  }

  /// Returns the ID of a new transaction: a random number, and a checksum by which an ID is recognized after
  /// the transaction has ended.
  private func newTransactionID() -> Data {
    let number = Data(RandomText.make(count: 24).utf8)
    return number + transactionSecret.checksum(of: number)
  }

  /// Whether an ID is that of a transaction that was begun by this database, and may have ended.
  private func isTransaction(_ id: Data) -> Bool {
    id.count == 32 && transactionSecret.checksum(of: Data(id.prefix(24))) == Data(id.dropFirst(24))
  }

  /// Removes the transactions whose time is over, before another one begins.
  ///
  /// - Throws: `StoreRemoteError` with `resourceExhausted` if too many are still active.
  private func removeEndedTransactions() throws {
    guard transactions.count >= DocumentTransaction.mostActive else { return }
    let now = time.now()
    transactions = transactions.filter { !$0.value.isOver(at: now) }
    guard transactions.count < DocumentTransaction.mostActive else {
      throw StoreRemoteError(
        .resourceExhausted,
        "\(DocumentTransaction.mostActive) transactions are active. Commit them, or roll them back.")
    }
  }
}

/// What administrators do with a whole database.
extension DocumentDatabase {
  /// Deletes all documents of a database in one commit.
  ///
  /// - Throws: `StoreRemoteError`; `permissionDenied` for users if there are rules.
  func clear(_ database: String, _ caller: Caller) throws {
    let paths = try mappingErrors {
      try rules.checkAdministration(caller)
      return try read(database) { try $0.allPaths() }
    }
    guard !paths.isEmpty else { return }
    _ = try commit(
      RemoteBatch(writes: paths.map { DocumentWrite($0, .delete) }), database, .administrator)
  }
}

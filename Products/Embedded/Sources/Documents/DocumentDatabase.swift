import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop

/// The database of documents: an SQLite database in a file or in memory.
///
/// The actor has a dedicated thread, because SQLite blocks and documents shouldn't wait for objects. A
/// commit is durable when it returns.
actor DocumentDatabase {
  /// The thread of the actor.
  private let executor = QueueExecutor(label: "tenon.embedded.documents")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The state of the connection.
  private enum State {
    /// No request has been made.
    case unopened
    /// The file is open.
    case open(Connection)
    /// The app was deleted.
    case closed
  }

  /// The ID of the database that every project has from the beginning. Others are created by the first write
  /// that is applied to them; until then they are read as empty ones.
  static let defaultName = "(default)"

  /// The ID of the project.
  nonisolated let projectID: String
  /// The rules of the app.
  nonisolated let rules: DocumentRules
  /// The file; `nil` for a database in memory.
  nonisolated let file: DocumentFile?
  /// The functions of this process that receive events; `nil` for another project than the backend's.
  nonisolated let events: EventRegistry?
  /// The functions that are stored.
  private var storedFunctions = StoredFunctions()
  /// Shows other processes that this one uses the file; `nil` before it is opened, and in memory.
  private var lease: DirectoryLease?
  /// Receives the errors that can't be reported to a caller.
  let logger: AppLogger?
  /// The clock.
  nonisolated let time: TimeSource
  /// The connection, once it has been opened.
  private var state = State.unopened
  /// The IDs of the databases that are known to exist.
  private var names: Set<String> = []
  /// The error with which all writes fail after a commit has found damage.
  private var damage: StoreRemoteError?
  /// The number of commits, which determines when the history is pruned.
  private var commits = 0
  /// The part of the history that is kept.
  private let retention = DocumentSchema.Retention()

  /// The active transactions by their IDs; see DocumentDatabase+Transactions.
  var transactions: [Data: DocumentTransaction] = [:]
  /// Recognizes the IDs of transactions that have ended.
  let transactionSecret = TransactionSecret()

  // The state of DocumentDatabase+Listening:
  /// The events that wait for remote clients.
  nonisolated let unreadEvents = ListenQueue.Total()
  /// The streams by their IDs, which increase.
  var listeners: [Int: DocumentListener] = [:]
  /// The ID of the stream that was opened last.
  var lastListenerID = 0
  /// The version of the file when it was last checked for commits of other processes.
  var lastDataVersion: Int64 = 0
  /// The task that checks for commits of other processes; `nil` without streams.
  var poller: Task<Void, Never>?
  /// The task that waits before it sends snapshots without changes; `nil` if no stream is owed one.
  var snapshots: Task<Void, Never>?
  /// The task that waits for the time at which the next ID token of a stream expires, in seconds since 1970.
  var expirations: (task: Task<Void, Never>, next: Int64)?

  /// Creates a database that is opened by the first request.
  ///
  /// - Parameters:
  ///   - directory: the directory of the backend, which is created if necessary; `nil` for a database in
  ///     memory.
  ///   - projectID: the ID of the project.
  ///   - rules: the rules of the app.
  ///   - events: the functions that receive events; `nil` for another project than the backend's.
  ///   - logger: receives errors that can't be reported to a caller.
  ///   - time: the clock.
  init(
    directory: String?, projectID: String, rules: DocumentRules, events: EventRegistry?, logger: AppLogger?,
    time: TimeSource
  ) {
    self.events = events
    file = directory.map { DocumentFile(directory: "\($0)/backend") }
    self.projectID = projectID
    self.rules = rules
    self.logger = logger
    self.time = time
  }

  /// Ends all streams and closes the database. Later requests fail with `unavailable`.
  func close() {
    endListeners(Self.closed)
    expirations?.task.cancel()
    transactions = [:]
    state = .closed
    lease = nil
    file?.unregister(self)
  }

  // MARK: - Requests

  /// Applies a batch of writes, or returns the result of a batch with the same ID that was applied before.
  ///
  /// When it returns, the batch is durable and its changes were sent to the listeners of this app.
  ///
  /// - Parameters:
  ///   - batch: the writes.
  ///   - database: the ID of the database, which is created if it doesn't exist and the batch is applied.
  ///   - caller: the user whose access the rules decide.
  ///   - transaction: the transaction that ends with the commit; `nil` for none. Nothing is applied if what
  ///     it has read was changed.
  /// - Returns: the time of the commit and the results of the writes.
  /// - Throws: `StoreRemoteError`: that of a failed precondition or rule; `dataLoss` if the file is damaged,
  ///   after which all writes fail; `unavailable` if another process holds the lock. Nothing was changed in
  ///   any of these cases.
  func commit(
    _ batch: RemoteBatch, _ database: String, _ caller: Caller, ending transaction: Data? = nil
  ) throws -> RemoteCommit {
    var changeBytes = 0
    var hasEvents = false
    let answer: RemoteCommit
    do {
      answer = try mappingErrors {
        try checkIsCurrent(caller)
        try storeFunctions()
        return try write(database) { table in
          defer { (changeBytes, hasEvents) = (table.changeBytes, table.hasEvents) }
          if let transaction {
            try finish(transaction, database, caller, hasWrites: !batch.writes.isEmpty, table)
          }
          table.recordsEvents = events?.areEnabled ?? true
          return try table.commit(batch, now: time.timestamp()) { steps, changed, time in
            try rules.checkWrites(batch.writes, steps, changed, at: time, database, caller, table)
          }
        }
      }
    } catch let error as StoreRemoteError where error.code == .dataLoss {
      damage = error
      throw error
    }
    deliverChanges(of: database)
    if hasEvents { events?.wake(.documents) }
    file?.notifyOthers(except: self)
    pruneIfDue(changeBytes)
    return answer
  }

  /// Checks that the ID token of a caller hasn't expired since the caller's stream was opened.
  ///
  /// - Throws: `StoreRemoteError` with `unauthenticated`.
  func checkIsCurrent(_ caller: Caller) throws(StoreRemoteError) {
    if caller.isExpired(at: time.timestamp()) { throw Self.expired }
  }

  /// The error of a stream whose ID token has expired.
  static let expired = StoreRemoteError(
    .unauthenticated, "The ID token of the stream has expired. Open another stream with a new token.")

  /// Checks that batches can be applied.
  ///
  /// - Throws: `StoreRemoteError` if the file can't be opened, or if an earlier commit has found damage.
  func checkWritable(_ database: String) throws {
    if let damage { throw damage }
    try mappingErrors { _ = try read(database) { $0.commitTime } }
  }

  /// Reads documents.
  ///
  /// - Parameters:
  ///   - paths: the paths of the documents.
  ///   - database: the ID of the database.
  ///   - caller: the user whose access the rules decide.
  /// - Returns: the documents in the order of the paths, with `nil` fields for those that don't exist.
  /// - Throws: `StoreRemoteError`.
  func fetch(
    _ paths: [ResourcePath], _ database: String, _ caller: Caller
  ) throws -> [RemoteDocument] {
    try mappingErrors {
      try read(database) { table in
        for path in paths { try path.checkDocument() }
        let documents = try table.documents(at: paths)
        try rules.checkGets(documents, database, caller, table)
        return documents
      }
    }
  }

  /// Runs a query. It stops when the task is cancelled.
  ///
  /// - Returns: the matching documents in the order of the query, up to its limit.
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  /// - Complexity: O(*n*) in the number of documents of the collection.
  func run(
    _ query: StructuredQuery, _ database: String, _ caller: Caller
  ) throws -> [RemoteDocument] {
    try mappingErrors {
      let resolved = try ResolvedQuery(query)
      return try read(database) { table in
        try rules.checkList(query, database, caller, table)
        table.stopsWhenCancelled = true
        return try table.result(of: resolved)
      }
    }
  }

  /// Computes aggregations over the results of a query. It stops when the task is cancelled.
  ///
  /// - Returns: a value for each aggregation, in their order.
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  /// - Complexity: O(*n*) in the number of documents of the collection; O(1) in memory.
  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], _ database: String, _ caller: Caller
  ) throws -> [Value] {
    try mappingErrors {
      let resolved = try ResolvedQuery(query)
      return try read(database) { table in
        try rules.checkList(query, database, caller, table)
        table.stopsWhenCancelled = true
        return try table.aggregate(resolved, aggregations)
      }
    }
  }

  // MARK: - Transactions

  /// Runs a closure on one state of a database.
  ///
  /// - Parameters:
  ///   - database: the ID of the database.
  ///   - body: reads the documents.
  /// - Returns: the value that `body` returns.
  /// - Throws: the error that `body` throws; the errors of ``opened()``.
  func read<Result>(_ database: String, _ body: (PresentDocuments) throws -> Result) throws -> Result {
    let connection = try prepared(database)
    return try connection.transaction(.deferred) { try body(table(database, connection)) }
  }

  /// Runs a closure in a transaction that can write.
  ///
  /// - Parameters:
  ///   - database: the ID of the database.
  ///   - body: reads and writes the documents.
  /// - Returns: the value that `body` returns. All changes are durable.
  /// - Throws: the error that `body` throws, after which nothing was changed; the errors of ``opened()``.
  func write<Result>(_ database: String, _ body: (PresentDocuments) throws -> Result) throws -> Result {
    let connection = try prepared(database)
    let (result, exists) = try connection.transaction {
      let table = try table(database, connection)
      let result = try body(table)
      return (result, table.exists)
    }
    if exists { names.insert(database) }
    return result
  }

  /// Returns the table of a database, inside a transaction.
  ///
  /// - Throws: `StoreRemoteError` with `dataLoss` if another process deleted the database.
  private func table(_ name: String, _ connection: Connection) throws -> PresentDocuments {
    let table = try PresentDocuments(connection, projectID: projectID, name: name)
    guard table.exists || !names.contains(name) else {
      throw StoreRemoteError(.dataLoss, "The database \(name) of the embedded backend was deleted.")
    }
    return table
  }

  /// Returns the connection, after checking the ID of a database, and creating the default one.
  ///
  /// - Parameter name: the ID: 1 to 63 visible characters of ASCII without a slash. Of other characters,
  ///   texts with different bytes can be equal.
  /// - Throws: `StoreRemoteError` with `invalidArgument` for other IDs.
  private func prepared(_ name: String) throws -> Connection {
    let connection = try opened()
    guard !names.contains(name) else { return connection }
    guard (1...63).contains(name.utf8.count),
      name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") })
    else {
      throw StoreRemoteError(
        .invalidArgument,
        "\"\(name.prefix(100))\" can't be the ID of a database. An ID has 1 to 63 letters, digits and hyphens, or is (default)."
      )
    }
    guard name == Self.defaultName else { return connection }
    try connection.transaction {
      try PresentDocuments.create(connection, projectID: projectID, name: name, now: time.timestamp())
    }
    names.insert(name)
    return connection
  }

  /// Returns the connection; opens the file if necessary.
  ///
  /// - Throws: `StoreRemoteError` with `unavailable` after ``close()``, with `failedPrecondition` if the
  ///   directory can't be created; `SQLiteError` if the file can't be opened.
  func opened() throws -> Connection {
    switch state {
    case .open(let connection): return connection
    case .closed: throw Self.closed
    case .unopened:
      let connection = try Connection.open(try file?.prepare(), migrations: DocumentSchema.migrations)
      state = .open(connection)
      file?.register(self)
      lease = connection.path.map { DirectoryLease("\($0).lock") }
      // Otherwise, the events are attempted again when the time for which they are reserved is over.
      if lease?.isExclusive ?? true { try? EventTable.releaseAll(connection, now: time.timestamp()) }
      lease?.share()
      prune(retention)
      return connection
    }
  }

  /// The error of requests after ``close()``.
  private static let closed = StoreRemoteError(.unavailable, "The app of this backend was deleted.")

  /// Prunes the history after every 1,000 commits, and when it has become too large.
  ///
  /// - Parameter changeBytes: the size of the documents in the changes, in bytes.
  private func pruneIfDue(_ changeBytes: Int) {
    commits += 1
    var kept = retention
    if changeBytes > kept.bytes {
      // More than necessary, so that not every further commit has to prune.
      kept.bytes /= 2
    } else if commits % 1_000 != 0 {
      return
    }
    prune(kept)
  }

  /// Prunes the history. Errors are logged: the next attempt can succeed.
  private func prune(_ kept: DocumentSchema.Retention) {
    do {
      let connection = try opened()
      try connection.transaction {
        try PresentDocuments.prune(connection, now: time.timestamp(), keeping: kept)
      }
    } catch {
      // A history that is longer than necessary does no harm.
      logger?.warning(
        "The history of the embedded backend's documents can't be pruned: \(error.systemReason)")
    }
  }

  /// Runs a closure and converts its errors to `StoreRemoteError`.
  ///
  /// - Throws: `StoreRemoteError`; `CancellationError` if the task was cancelled before `body` began.
  func mappingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      // After this check, a batch is applied as a whole, even if its caller is cancelled.
      try Task.checkCancellation()
      return try body()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw StoreRemoteError.wrapping(error)
    }
  }
}

extension DocumentDatabase: EventSource {
  nonisolated var isShared: Bool { file != nil }

  func withEvents<Result: Sendable>(_ body: @Sendable (EventTable) throws -> Result) throws -> Result {
    try storeFunctions()
    let connection = try opened()
    return try connection.transaction { try body(EventTable(connection: connection, projectID: projectID)) }
  }

  func hasForeignEvents() throws -> Bool {
    try storeFunctions()
    return try storedFunctions.noteVersion(opened().dataVersion)
  }

  /// Stores the functions of this process that were registered since the last call.
  private func storeFunctions() throws {
    guard let events else { return }
    try storedFunctions.update(from: events, .documents, opened(), projectID, now: time.timestamp())
  }
}

extension StoreRemoteError {
  /// Returns the error of a remote for an error of the database or the values.
  ///
  /// - Parameter error: any error; a `StoreRemoteError` is returned as it is.
  static func wrapping(_ error: any Error) -> StoreRemoteError {
    switch error {
    case let error as StoreRemoteError: error
    case let error as DocumentError where error.code == .damaged:
      StoreRemoteError(.dataLoss, error.message, underlying: error)
    case let error as DocumentError: StoreRemoteError(.invalidArgument, error.message, underlying: error)
    case let error as SQLiteError where error.code == .busy:
      StoreRemoteError(
        .unavailable, "Another process has locked the embedded backend's documents; try again.",
        underlying: error)
    case let error as SQLiteError where error.code == .full:
      StoreRemoteError(.resourceExhausted, "The disk is full.", underlying: error)
    case let error as SQLiteError where error.code == .moved:
      StoreRemoteError(
        .unavailable,
        "The file \(error.path ?? "") of the embedded backend's documents was deleted or moved while it was open. "
          + "Put it back, or restart the app to begin with an empty one.",
        underlying: error)
    case let error as SQLiteError where [.damaged, .io].contains(error.code):
      StoreRemoteError(
        .dataLoss,
        "The embedded backend's documents are damaged and were left unchanged: \(error). "
          + "Replace the file with a copy, or move it away to begin with an empty one, and restart the app.",
        underlying: error)
    case let error as SQLiteError where [.cannotOpen, .readOnly, .newerSchema].contains(error.code):
      StoreRemoteError(
        .failedPrecondition,
        "The embedded backend's documents can't be opened: \(error). "
          + "Correct the file's permissions or update the program, and restart the app.",
        underlying: error)
    default:
      StoreRemoteError(.internal, "The embedded backend failed: \(error.systemReason)", underlying: error)
    }
  }
}

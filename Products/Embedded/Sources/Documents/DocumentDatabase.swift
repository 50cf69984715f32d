import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The documents of the embedded backend, in one SQLite database: a file in a directory, or memory.
///
/// It runs on a queue of its own, because SQLite blocks and documents shouldn't wait for objects. What a commit answered
/// is on the disk.
actor DocumentDatabase {
  private let executor = QueueExecutor(label: "tenon.embedded.documents")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private enum State {
    case unopened
    case open(Connection)
    case closed
  }

  nonisolated let projectID: String
  nonisolated let rules: DocumentRules
  nonisolated let file: DocumentFile?
  let logger: Logger?
  private let now: @Sendable () -> DocumentTime
  private var state = State.unopened
  private var names: Set<String> = []
  /// Why nothing can be written any more: a commit met damage.
  private var damage: StoreRemoteError?
  private var commits = 0
  private let retention = DocumentSchema.Retention()

  // Kept by DocumentDatabase+Listening.
  var listenings: [Int: DocumentListening] = [:]
  var lastListening = 0
  var lastDataVersion: Int64 = 0
  var poller: Task<Void, Never>?

  /// The database is opened with the first request.
  ///
  /// - Parameters:
  ///   - directory: where its file is, or is to be; in memory when `nil`.
  ///   - now: tells the time.
  init(
    directory: String?, projectID: String, rules: DocumentRules, logger: Logger?,
    now: @escaping @Sendable () -> DocumentTime
  ) {
    file = directory.map { DocumentFile(directory: "\($0)/backend") }
    self.projectID = projectID
    self.rules = rules
    self.logger = logger
    self.now = now
  }

  /// Ends all listening and closes the database. Later requests fail.
  func close() {
    endListening(Self.closed)
    state = .closed
    file?.leave(self)
  }

  // MARK: - Requests

  /// Applies a batch. When this returns it is durable, and the listeners of this process have been told.
  func commit(_ batch: RemoteBatch, _ database: String, _ caller: DocumentCaller) throws -> RemoteCommit {
    var changeBytes = 0
    let answer: RemoteCommit
    do {
      answer = try wrapping {
        try write(database) { table in
          defer { changeBytes = table.changeBytes }
          return try table.commit(batch, now: now()) { try rules.checkWrite($0, database, caller) }
        }
      }
    } catch let error as StoreRemoteError where error.code == .dataLoss {
      damage = error
      throw error
    }
    deliverChanges(of: database)
    file?.tellOthers(than: self)
    pruneIfDue(changeBytes)
    return answer
  }

  /// Checks that batches can be applied.
  ///
  /// - Throws: ``StoreRemoteError`` when the file can't be opened, or a commit has met damage since it was.
  func checkWriting(_ database: String) throws {
    if let damage { throw damage }
    try wrapping { _ = try read(database) { $0.moment } }
  }

  func fetch(
    _ paths: [ResourcePath], _ database: String, _ caller: DocumentCaller
  ) throws -> [RemoteDocument] {
    try wrapping {
      try read(database) { table in
        for path in paths { try path.checkDocument() }
        let documents = try table.documents(at: paths)
        for document in documents { try rules.checkGet(document.path, document, database, caller) }
        return documents
      }
    }
  }

  func run(
    _ query: StructuredQuery, _ database: String, _ caller: DocumentCaller
  ) throws -> [RemoteDocument] {
    try wrapping {
      let resolved = try ResolvedQuery(query)
      try rules.checkList(query, database, caller)
      return try read(database) { table in
        table.stopsWhenCancelled = true
        return try table.documents(of: resolved, limit: query.limit)
      }
    }
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], _ database: String, _ caller: DocumentCaller
  ) throws -> [Value] {
    try wrapping {
      let resolved = try ResolvedQuery(query)
      try rules.checkList(query, database, caller)
      return try read(database) { table in
        table.stopsWhenCancelled = true
        return try table.aggregate(resolved, aggregations)
      }
    }
  }

  // MARK: - Transactions

  func read<Result>(_ database: String, _ body: (DocumentTable) throws -> Result) throws -> Result {
    let connection = try prepared(database)
    return try connection.transaction(.deferred) { try body(table(database, connection)) }
  }

  private func write<Result>(_ database: String, _ body: (DocumentTable) throws -> Result) throws -> Result {
    let connection = try prepared(database)
    return try connection.transaction { try body(table(database, connection)) }
  }

  private func table(_ name: String, _ connection: Connection) throws -> DocumentTable {
    guard let table = try DocumentTable(connection, projectID: projectID, name: name) else {
      throw StoreRemoteError(.dataLoss, "The database \(name) of the embedded backend is gone.")
    }
    return table
  }

  /// The connection, with a database of that name.
  private func prepared(_ name: String) throws -> Connection {
    let connection = try opened()
    guard !names.contains(name) else { return connection }
    guard (1...63).contains(name.utf8.count), !name.utf8.contains(UInt8(ascii: "/")) else {
      throw StoreRemoteError(.invalidArgument, "\"\(name)\" can't be the name of a database.")
    }
    try connection.transaction {
      try DocumentTable.create(connection, projectID: projectID, name: name, now: now())
    }
    names.insert(name)
    return connection
  }

  func opened() throws -> Connection {
    switch state {
    case .open(let connection): return connection
    case .closed: throw Self.closed
    case .unopened:
      let connection = try Connection.open(try file?.prepare(), migrations: DocumentSchema.migrations)
      state = .open(connection)
      file?.join(self)
      prune(retention)
      return connection
    }
  }

  private static let closed = StoreRemoteError(.unavailable, "The app of this backend was deleted.")

  private func pruneIfDue(_ changeBytes: Int) {
    commits += 1
    var kept = retention
    if changeBytes > kept.bytes {
      // More than is needed, so that not every commit has to.
      kept.bytes /= 2
    } else if commits % 1_000 != 0 {
      return
    }
    prune(kept)
  }

  private func prune(_ kept: DocumentSchema.Retention) {
    do {
      let connection = try opened()
      try connection.transaction { try DocumentTable.prune(connection, now: now(), keeping: kept) }
    } catch {
      // What is kept for longer does no harm.
      logger?.warning("What documents of the embedded backend were can't be pruned: \(error)")
    }
  }

  private func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      // From here on a batch is applied whole and told, whoever waits for it.
      try Task.checkCancellation()
      return try body()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw StoreRemoteError.wrapping(error)
    }
  }
}

extension StoreRemoteError {
  /// The error of a remote for what went wrong below it.
  static func wrapping(_ error: any Error) -> StoreRemoteError {
    switch error {
    case let error as StoreRemoteError: error
    case let error as DocumentError where error.code == .damaged:
      StoreRemoteError(.dataLoss, error.message, underlying: error)
    case let error as DocumentError: StoreRemoteError(.invalidArgument, error.message, underlying: error)
    case let error as SQLiteError where error.code == .busy:
      StoreRemoteError(
        .unavailable, "Another process holds the embedded backend's documents.", underlying: error)
    case let error as SQLiteError where error.code == .full:
      StoreRemoteError(.resourceExhausted, "The disk is full.", underlying: error)
    case let error as SQLiteError where [.damaged, .io].contains(error.code):
      StoreRemoteError(
        .dataLoss,
        "The embedded backend's documents are damaged and were left as they are: \(error). "
          + "Replace the file with a copy, or move it away to begin with an empty one, and start the app again.",
        underlying: error)
    case let error as SQLiteError where [.cannotOpen, .readOnly, .newerSchema].contains(error.code):
      StoreRemoteError(
        .failedPrecondition,
        "The embedded backend's documents can't be used: \(error). "
          + "Correct the file's permissions or update the program, and start the app again.",
        underlying: error)
    default: StoreRemoteError(.internal, "The embedded backend failed: \(error)", underlying: error)
    }
  }
}

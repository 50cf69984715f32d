import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonValues

/// A transaction of a client (`google.firestore.v1.Firestore.BeginTransaction`): reads of one state of the
/// database, and a commit that is applied only if nothing that was read has changed since.
///
/// Transactions take no locks: of two that conflict, the second one to commit is aborted, and its client
/// repeats it.
struct DocumentTransaction {
  /// The ID of the database.
  let database: String
  /// The time of the state that it reads.
  let readTime: Timestamp
  /// Whether it can't commit writes.
  let isReadOnly: Bool
  /// Who began it, and alone can use it.
  let owner: Caller.Principal
  /// When it was begun and last used.
  let begin: ContinuousClock.Instant
  var lastUse: ContinuousClock.Instant
  /// The documents that were read.
  private var paths: Set<ResourcePath> = []
  /// The queries that were run.
  private var queries: [ResolvedQuery] = []
  /// Whether so much was read that any change of the database counts as a conflict.
  private var readsEverything = false

  /// The longest duration of a transaction, and the longest time without a request, as for Firestore
  /// (https://firebase.google.com/docs/firestore/quotas#writes_and_transactions).
  static let longestTime = Duration.seconds(270)
  static let longestRest = Duration.seconds(60)
  /// The greatest number of transactions that are active at a time.
  static let mostActive = 1_000
  /// The greatest numbers of documents and of queries that are remembered individually.
  private static let mostPaths = 10_000
  private static let mostQueries = 100

  /// Creates a transaction that has read nothing.
  init(
    database: String, readTime: Timestamp, isReadOnly: Bool, owner: Caller.Principal,
    now: ContinuousClock.Instant
  ) {
    self.database = database
    self.readTime = readTime
    self.isReadOnly = isReadOnly
    self.owner = owner
    begin = now
    lastUse = now
  }

  /// Returns whether the time of the transaction is over.
  func isOver(at now: ContinuousClock.Instant) -> Bool {
    now - begin > Self.longestTime || now - lastUse > Self.longestRest
  }

  /// Notes that documents were read, also those that don't exist.
  mutating func note(_ read: [ResourcePath]) {
    guard !isReadOnly, !readsEverything else { return }
    paths.formUnion(read)
    if paths.count > Self.mostPaths { (paths, queries, readsEverything) = ([], [], true) }
  }

  /// Notes that a query was run.
  mutating func note(_ query: ResolvedQuery) {
    guard !isReadOnly, !readsEverything else { return }
    queries.append(query)
    if queries.count > Self.mostQueries { (paths, queries, readsEverything) = ([], [], true) }
  }

  /// Returns whether a change of a document affects what was read.
  func conflicts(with change: DocumentTransition) -> Bool {
    if readsEverything || paths.contains(change.path) { return true }
    return queries.contains { query in
      [change.before?.fields, change.after.fields].contains { fields in
        fields.map { query.matches($0, at: change.path) } ?? false
      }
    }
  }
}

/// The result of a request that reads.
struct DocumentReading<Result: Sendable>: Sendable {
  /// The result.
  var result: Result
  /// The time of the state that was read.
  var readTime: Timestamp
  /// The ID of the transaction that was begun; `nil` if none was.
  var transaction: Data?
}

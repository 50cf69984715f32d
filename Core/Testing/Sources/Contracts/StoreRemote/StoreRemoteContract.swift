import TenonDocuments
public import TenonStoreInterop
import Testing

/// The contract of `StoreRemote` as a test that every implementation can run.
///
/// The rules are those of `google.firestore.v1`, whose messages the interop module mirrors. Each group of
/// checks uses a new collection, so that checks don't affect each other and a database can be used by several
/// tests concurrently.
///
/// Not covered: credentials and users, the durability of commits, lost connections, and concurrent writers.
/// These are left to the tests of each implementation.
///
/// ```swift
/// @Test func keepsTheContract() async throws {
///   try await StoreRemoteContract.check(FakeStoreRemote(), database: "(default)", other: "other")
/// }
/// ```
public enum StoreRemoteContract {
  /// Optional parts of the contract, which the protocol or the server of some remotes doesn't support.
  public struct Abilities: OptionSet, Sendable {
    /// The abilities as a bit mask.
    public let rawValue: Int

    /// Creates abilities from a bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Resumed targets receive only what has changed since their resume token or read time.
    public static let resumption = Abilities(rawValue: 1)
    /// An existence filter reports that a listener expects a different number of documents than the target
    /// has.
    public static let existenceFilters = Abilities(rawValue: 2)
    /// A batch whose ID was applied before isn't applied again, and its first response is repeated.
    public static let batchIDs = Abilities(rawValue: 4)
    /// A target that can't be listened to ends with an error, and the other targets of its stream continue.
    public static let targetErrors = Abilities(rawValue: 8)

    /// All abilities.
    public static let all: Abilities = [.resumption, .existenceFilters, .batchIDs, .targetErrors]
  }

  /// Checks an implementation. Violations are recorded as issues of the running test.
  ///
  /// The checks run one after another, and an error ends them. They wait without a limit for events, so an
  /// implementation that doesn't send them suspends the check forever; give the test a time limit.
  ///
  /// - Parameters:
  ///   - remote: the implementation. All documents are written below a new document of the collection
  ///     `contract`, so a database can be used again. They aren't deleted afterwards.
  ///   - database: the database to use.
  ///   - other: another database of the same remote; `nil`, the default, skips the check that databases are
  ///     separate.
  ///   - abilities: the optional parts of the contract to check; all by default.
  /// - Throws: the errors of the implementation.
  public static func check(
    _ remote: any StoreRemote, database: String, other: String? = nil, abilities: Abilities = .all
  ) async throws {
    try await checkCommits(Place(remote, database))
    try await checkPreconditions(Place(remote, database))
    try await checkTransforms(Place(remote, database))
    try await checkReads(Place(remote, database))
    if let other { try await checkDatabases(Place(remote, database), other) }
    try await checkWriteStream(Place(remote, database))
    try await checkRejectedBatch(Place(remote, database))
    if abilities.contains(.batchIDs) { try await checkBatchIDs(Place(remote, database)) }
    try await checkListening(Place(remote, database))
    try await checkLimits(Place(remote, database))
    try await checkShapes(Place(remote, database))
    try await checkSeveralTargets(Place(remote, database))
    try await checkReusedTargetID(Place(remote, database))
    if abilities.contains(.targetErrors) { try await checkTargetErrors(Place(remote, database)) }
    if abilities.contains(.resumption) {
      try await checkResumption(Place(remote, database))
      try await checkResumedLimit(Place(remote, database))
      try await checkResumedDocuments(Place(remote, database))
    }
    if abilities.contains(.existenceFilters) { try await checkExistenceFilters(Place(remote, database)) }
  }

  /// A new collection below a new document, and the remote that stores it.
  ///
  /// The parent document itself is never written. The functions refer to documents of the collection by their
  /// IDs.
  struct Place {
    /// The implementation under test.
    let remote: any StoreRemote
    /// The database of the collection, without a user.
    let context: RemoteContext
    /// The document that contains the collection.
    let root: ResourcePath
    /// The ID of the collection, which no other collection of the database has. Firestore accepts collection
    /// group queries only at the root of the database, where one with this ID covers the place.
    let collection: String

    /// Chooses a new collection by an automatic ID, which is random. Nothing is written.
    ///
    /// - Parameters:
    ///   - remote: the implementation under test.
    ///   - database: the name of the database.
    init(_ remote: any StoreRemote, _ database: String) {
      self.remote = remote
      context = RemoteContext(database: database)
      root = ResourcePath(segments: ["contract", AutomaticID.make()])
      collection = "items-" + AutomaticID.make()
    }

    /// Returns the path of a document of the collection.
    func path(_ id: String) -> ResourcePath { root.appending(collection).appending(id) }

    /// A query of all documents of the collection.
    var all: StructuredQuery { StructuredQuery(parent: root, collectionID: collection) }
    /// A query of all documents of the collection and of those of the same ID at every depth.
    var group: StructuredQuery {
      StructuredQuery(
        parent: ResourcePath(segments: []), collectionID: collection, allDescendants: true)
    }

    /// Returns a query of the collection.
    ///
    /// - Parameters:
    ///   - filter: the filter; `nil` for all documents.
    ///   - field: the field to order by, ascending; `nil` for no explicit order.
    ///   - limit: the maximum number of documents; `nil` for no limit.
    func query(
      _ filter: QueryFilter? = nil, orderedBy field: FieldPath? = nil, limit: Int? = nil
    ) -> StructuredQuery {
      var query = all
      query.filter = filter
      query.orders = field.map { [QueryOrder(field: $0)] } ?? []
      query.limit = limit
      return query
    }

    /// Returns a write that creates or replaces a document of the collection.
    func set(_ id: String, _ fields: Fields) -> DocumentWrite { DocumentWrite(path(id), .set(fields)) }

    /// Commits writes as one batch with a new ID, outside any stream.
    ///
    /// - Parameter writes: the writes, in the order in which they are applied. They may be of any collection.
    /// - Returns: the commit time and the results of the writes.
    /// - Throws: the error of the remote, in particular ``StoreRemoteError`` if it rejects the batch.
    @discardableResult
    func commit(_ writes: DocumentWrite...) async throws -> RemoteCommit {
      try await remote.commit(RemoteBatch(writes: writes), in: context)
    }

    /// Fetches a document of the collection.
    ///
    /// - Returns: the document, without fields if it doesn't exist; `nil` if the remote returned none, which
    ///   is a violation.
    /// - Throws: the error of the remote.
    func fetch(_ id: String) async throws -> RemoteDocument? {
      try await remote.fetch([path(id)], in: context).first
    }

    /// Opens a listen stream without targets. The caller ends it with ``ListenClient/end()``.
    func listen() -> ListenClient { ListenClient(remote, context) }
  }

  /// Records an issue unless an operation throws a ``StoreRemoteError`` with a code.
  ///
  /// - Parameters:
  ///   - code: the expected code.
  ///   - comment: the requirement, for the issue.
  ///   - body: the operation.
  /// - Throws: errors of the operation of any other type, which end the check instead of being recorded as
  ///   issues.
  static func expect(
    _ code: StoreRemoteError.Code, _ comment: Comment, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      Issue.record("no error was thrown: \(comment)")
    } catch let error as StoreRemoteError {
      #expect(error.code == code, comment)
    }
  }
}

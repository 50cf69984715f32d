import TenonDocuments
public import TenonStoreInterop
import Testing

/// The contract of ``StoreRemote`` as a test that every implementation can run.
public enum StoreRemoteContract {
  /// Optional parts of the contract, which the protocol or the server of some remotes doesn't support.
  public struct Abilities: OptionSet, Sendable {
    /// The abilities as a bit mask.
    public let rawValue: Int

    /// Creates abilities from a bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Resumed targets receive only what has changed since their resume token or read time.
    public static let resumption = Abilities(rawValue: 1)
    /// An existence filter reports that a listener expects a different number of documents than the target has.
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
  /// - Parameters:
  ///   - remote: the implementation. All documents are written below a new document of the collection `contract`, so a
  ///     database can be used again.
  ///   - database: the database to use.
  ///   - other: another database of the same remote; `nil` if it has only one.
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

  /// A new collection, `items`, below a new document, and the remote that stores it.
  struct Place {
    /// The implementation under test.
    let remote: any StoreRemote
    /// The database of the collection, without a user.
    let context: RemoteContext
    /// The document that contains the collection.
    let root: ResourcePath

    /// Chooses a new collection by an automatic ID.
    init(_ remote: any StoreRemote, _ database: String) {
      self.remote = remote
      context = RemoteContext(database: database)
      root = ResourcePath(segments: ["contract", AutomaticID.make()])
    }

    /// Returns the path of a document of the collection.
    func path(_ id: String) -> ResourcePath { root.appending("items").appending(id) }

    /// A query of all documents of the collection.
    var all: StructuredQuery { StructuredQuery(parent: root, collectionID: "items") }

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

    /// Commits writes as one batch, outside any stream.
    @discardableResult
    func commit(_ writes: DocumentWrite...) async throws -> RemoteCommit {
      try await remote.commit(RemoteBatch(writes: writes), in: context)
    }

    /// Fetches a document of the collection. A document that doesn't exist has no fields.
    func fetch(_ id: String) async throws -> RemoteDocument? {
      try await remote.fetch([path(id)], in: context).first
    }

    /// Opens a listen stream without targets.
    func listen() -> RemoteListening { RemoteListening(remote, context) }
  }

  /// Records an issue unless an operation throws a ``StoreRemoteError`` with a code.
  ///
  /// - Parameters:
  ///   - code: the expected code.
  ///   - comment: the requirement, for the issue.
  ///   - body: the operation.
  /// - Throws: errors of the operation of any other type.
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

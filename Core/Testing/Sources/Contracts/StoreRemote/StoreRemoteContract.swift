import TenonDocuments
public import TenonStoreInterop
import Testing

/// What every ``StoreRemote`` must do, as a test.
public enum StoreRemoteContract {
  /// What not every remote can do, because its protocol or its server has no means for it.
  public struct Abilities: OptionSet, Sendable {
    /// The abilities as bits.
    public let rawValue: Int

    /// Creates abilities from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Continues targets from tokens with nothing but what changed since.
    public static let resumption = Abilities(rawValue: 1)
    /// Tells with a filter that a listener holds another number of documents.
    public static let existenceFilters = Abilities(rawValue: 2)
    /// Knows batches by their ids.
    public static let batchIDs = Abilities(rawValue: 4)
    /// Ends a target that can't be watched without ending the others.
    public static let targetErrors = Abilities(rawValue: 8)

    /// Everything there is.
    public static let all: Abilities = [.resumption, .existenceFilters, .batchIDs, .targetErrors]
  }

  /// Checks an implementation; what it breaks is recorded as an issue of the running test.
  ///
  /// - Parameters:
  ///   - remote: the implementation. All that is written lies below `contract` documents of a new id, so a database may be
  ///     used again.
  ///   - database: the database to use.
  ///   - other: another database of the same remote; `nil` when it has but one.
  ///   - abilities: what the remote can do beyond what each must; everything by default.
  public static func check(
    _ remote: any StoreRemote, database: String, other: String? = nil, abilities: Abilities = .all
  ) async throws {
    try await checkCommits(Place(remote, database))
    try await checkPreconditions(Place(remote, database))
    try await checkTransforms(Place(remote, database))
    try await checkReads(Place(remote, database))
    if let other { try await checkDatabases(Place(remote, database), other) }
    try await checkWriteStream(Place(remote, database))
    try await checkRefusedBatch(Place(remote, database))
    if abilities.contains(.batchIDs) { try await checkBatchIDs(Place(remote, database)) }
    try await checkListening(Place(remote, database))
    try await checkLimits(Place(remote, database))
    try await checkShapes(Place(remote, database))
    try await checkSeveralTargets(Place(remote, database))
    try await checkTargetsAnew(Place(remote, database))
    if abilities.contains(.targetErrors) { try await checkTargetErrors(Place(remote, database)) }
    if abilities.contains(.resumption) {
      try await checkResumption(Place(remote, database))
      try await checkResumedLimit(Place(remote, database))
      try await checkResumedDocuments(Place(remote, database))
    }
    if abilities.contains(.existenceFilters) { try await checkExistenceFilters(Place(remote, database)) }
  }

  /// A collection that nobody used before.
  struct Place {
    let remote: any StoreRemote
    let context: RemoteContext
    let root: ResourcePath

    init(_ remote: any StoreRemote, _ database: String) {
      self.remote = remote
      context = RemoteContext(database: database)
      root = ResourcePath(segments: ["contract", AutomaticID.make()])
    }

    func path(_ id: String) -> ResourcePath { root.appending("items").appending(id) }

    /// All documents of the collection.
    var all: StructuredQuery { StructuredQuery(parent: root, collectionID: "items") }

    func query(
      _ filter: QueryFilter? = nil, orderedBy field: FieldPath? = nil, limit: Int? = nil
    ) -> StructuredQuery {
      var query = all
      query.filter = filter
      query.orders = field.map { [QueryOrder(field: $0)] } ?? []
      query.limit = limit
      return query
    }

    func set(_ id: String, _ fields: Fields) -> DocumentWrite { DocumentWrite(path(id), .set(fields)) }

    @discardableResult
    func commit(_ writes: DocumentWrite...) async throws -> RemoteCommit {
      try await remote.commit(RemoteBatch(writes: writes), in: context)
    }

    func fetch(_ id: String) async throws -> RemoteDocument? {
      try await remote.fetch([path(id)], in: context).first
    }

    func listen() -> RemoteListening { RemoteListening(remote, context) }
  }

  /// Checks that something is refused with a code.
  static func expect(
    _ code: StoreRemoteError.Code, _ comment: Comment, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      Issue.record("nothing was refused: \(comment)")
    } catch let error as StoreRemoteError {
      #expect(error.code == code, comment)
    }
  }
}

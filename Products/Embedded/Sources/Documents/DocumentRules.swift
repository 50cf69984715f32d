import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTelemetry

/// The rules of an app or of a project, which allow or deny access to documents.
final class DocumentRules: Sendable {
  /// What decides, and how often it was replaced.
  private struct State {
    /// What decides; `nil` to allow all access.
    var authorizer: (any DocumentAuthorizer)?
    var version = 0
  }

  private let state = Lock(State())
  /// The clock.
  private let now: @Sendable () -> Timestamp
  /// Counts the verdicts.
  private let telemetry: Telemetry

  /// The rules that apply as long as these have none; `nil` if all access is allowed then.
  private let inherited: DocumentRules?

  /// Creates rules that allow all access, or what others allow as long as there are none.
  init(
    now: @escaping @Sendable () -> Timestamp, inheriting inherited: DocumentRules? = nil,
    telemetry: Telemetry = .silent
  ) {
    self.now = now
    self.telemetry = telemetry
    self.inherited = inherited
  }

  /// What decides; `nil` if all access is allowed.
  var current: (any DocumentAuthorizer)? { state.withLock { $0.authorizer } ?? inherited?.current }

  /// A number that changes whenever what decides is replaced.
  var version: Int { state.withLock { $0.version } &+ (inherited?.version ?? 0) }

  /// Replaces what decides; `nil` allows all access.
  func replace(with new: (any DocumentAuthorizer)?) {
    state.withLock { state in
      state.authorizer = new
      state.version &+= 1
    }
  }

  /// Changes the closures. Rules in another form no longer apply.
  func change(_ body: (inout DocumentClosures) -> Void) {
    state.withLock { state in
      var closures = state.authorizer as? DocumentClosures ?? DocumentClosures()
      body(&closures)
      state.authorizer = closures.isEmpty ? nil : closures
      state.version &+= 1
    }
  }

  /// Whether what is allowed depends on nothing but the documents that were read to decide about it.
  var dependOnlyOnDocuments: Bool { current?.dependsOnlyOnDocuments ?? true }

  /// Whether there are rules for a caller.
  func restrict(_ caller: Caller) -> Bool { !caller.isAdministrator && current != nil }

  /// Checks that a caller may read documents.
  ///
  /// - Parameters:
  ///   - documents: the documents, without fields if they don't exist.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  ///   - history: the documents of the database.
  /// - Returns: the paths of the documents that were read to decide.
  /// - Throws: `StoreRemoteError` with `permissionDenied` for the first document that isn't allowed.
  @discardableResult
  func checkGets(
    _ documents: [RemoteDocument], _ database: String, _ caller: Caller, _ history: any DocumentHistory
  ) throws -> Set<ResourcePath> {
    guard restrict(caller) else { return [] }
    let states = DocumentStates(reading: history)
    for document in documents {
      let existing = document.fields == nil ? nil : document
      try check(.get(document.path, existing), database, caller, states)
    }
    return states.readPaths
  }

  /// Checks that a caller may run a query.
  ///
  /// - Returns: the paths of the documents that were read to decide.
  /// - Throws: `StoreRemoteError` with `permissionDenied`.
  @discardableResult
  func checkList(
    _ query: StructuredQuery, _ database: String, _ caller: Caller, _ history: any DocumentHistory
  ) throws -> Set<ResourcePath> {
    // No closure and no rule has a path for all collections.
    if query.coversAllCollections { try checkAdministration(caller) }
    let states = DocumentStates(reading: history)
    try check(.list(query), database, caller, states)
    return states.readPaths
  }

  /// Checks that a caller may make the writes of a commit.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - steps: the documents before and after each write.
  ///   - changed: the documents after all writes.
  ///   - time: the time of the commit, to which server timestamps are set.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  ///   - history: the documents before the commit.
  /// - Throws: `StoreRemoteError` with `permissionDenied` for the first write that isn't allowed.
  func checkWrites(
    _ writes: [DocumentWrite], _ steps: [DocumentTransition], _ changed: [ResourcePath: RemoteDocument],
    at time: Timestamp,
    _ database: String, _ caller: Caller, _ history: any DocumentHistory
  ) throws {
    guard restrict(caller) else { return }
    let documents = DocumentStates(reading: history, writing: changed)
    for (write, step) in zip(writes, steps) {
      guard !write.isVerification else {
        try check(.get(step.path, step.before), at: time, database, caller, documents)
        continue
      }
      let method = DocumentRequest.Method(of: write, step)
      try check(.write(method, step), at: time, database, caller, documents)
    }
  }

  /// Checks that a caller may read all IDs of collections, or delete a database, for which there is no kind
  /// of access.
  ///
  /// - Throws: `StoreRemoteError` with `permissionDenied` for users if there are rules.
  func checkAdministration(_ caller: Caller) throws(StoreRemoteError) {
    guard restrict(caller) else { return }
    throw StoreRemoteError(
      .permissionDenied, "The rules of the embedded backend allow only administrators to do this.")
  }

  /// Checks a request. Administrators may do everything.
  ///
  /// - Throws: `StoreRemoteError` with `permissionDenied`; the errors of reading the documents.
  private func check(
    _ action: DocumentRequest.Action, at time: Timestamp? = nil, _ database: String, _ caller: Caller,
    _ documents: DocumentStates
  ) throws {
    guard !caller.isAdministrator, let authorizer = current else { return }
    let request = DocumentRequest(action: action, caller: caller, database: database, time: time ?? now())
    let refusal = try authorizer.refusal(of: request, documents)
    telemetry.countVerdict(on: "documents", isAllowed: refusal == nil)
    if let refusal { throw refusal }
  }
}

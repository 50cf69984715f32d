package import TenonCore
import TenonDocuments
package import TenonStoreInterop

/// Brings together what users do, what lies on the device and what the remote tells.
///
/// It runs on one thread and by itself does nothing: users, streams and timers call it, and it calls them. So a test can
/// drive every order of events.
package final class SyncEngine: RemoteSyncer {
  /// What comes from outside.
  package struct Environment {
    package var streams: (any RemoteStreams)?
    package var timers: any SyncTimers
    package var now: () -> Timestamp
    /// A number from 0 up to 1, new with each call.
    package var random: () -> Double
    package var logger: Logger
    /// How many documents are looked up at once of which nobody knows whether they belong to a result.
    package var limboLimit = 100
    /// Which process sends the writes of the database; `nil` when no other process can use it.
    package var lease: (any SendingLease)?
    /// Called when a write has left changes for ``SyncEngine/updateViews()``, which is to be called once the write has
    /// returned. Views are updated as part of the write when `nil`.
    package var defersViews: (() -> Void)?

    package init(
      streams: (any RemoteStreams)?, timers: any SyncTimers, now: @escaping () -> Timestamp,
      random: @escaping () -> Double, logger: Logger, limboLimit: Int = 100,
      lease: (any SendingLease)? = nil, defersViews: (() -> Void)? = nil
    ) {
      self.streams = streams
      self.timers = timers
      self.now = now
      self.random = random
      self.logger = logger
      self.limboLimit = limboLimit
      self.lease = lease
      self.defersViews = defersViews
    }
  }

  let local: LocalStore
  let environment: Environment
  private let retries: RetryQueue
  /// `nil` when there is no remote.
  package private(set) var remote: RemoteStore?
  /// Called when it becomes known whether the remote can be reached.
  var onOnlineState: (OnlineState) -> Void = { _ in }
  /// Called when nothing can be sent any more, before those who wait for it get the error.
  var onSendingFailure: () -> Void = {}
  /// Called when other writes may be listed as refused than before.
  var onRejectionsChange: () -> Void = {}
  /// Takes the snapshots of views.
  package private(set) var events: EventManager!

  // Kept by SyncEngine+Views.
  var views: [ViewQuery: QueryView] = [:]
  var queries: [Int: [ViewQuery]] = [:]
  var viewsByScope: [ViewQuery.Scope: [QueryView]] = [:]
  var lastLocalTarget = 0
  var unseen: [ResourcePath: StoredDocument?] = [:]
  var expectsConfirmedDocuments = false

  let limbo: LimboResolver
  let waiters: WriteWaiters

  package init(local: LocalStore, environment: Environment) {
    self.local = local
    self.environment = environment
    limbo = LimboResolver(limit: environment.limboLimit)
    waiters = WriteWaiters(local)
    retries = RetryQueue(timers: environment.timers, random: environment.random, logger: environment.logger)
    events = EventManager(self)
    local.isObserved = { [weak self] in self?.views.isEmpty == false }
    guard local.isShared, let streams = environment.streams else { return }
    let remote = RemoteStore(
      local: local, streams: streams, timers: environment.timers, retries: retries, syncer: self,
      random: environment.random, lease: environment.lease, logger: environment.logger)
    self.remote = remote
    limbo.remote = remote
    remote.onlineState.onChange = { [weak self] in self?.apply($0) }
  }

  /// Whether the remote can be reached, as far as is known.
  var onlineState: OnlineState { remote?.onlineState.state ?? (local.isShared ? .offline : .online) }

  // MARK: - Users

  /// Another user signs in: the writes of that one count from now on.
  package func changeUser(to user: String?) {
    retries.enqueue { [weak self] in
      guard let self else { return }
      guard let remote else { return try applyUserChange(to: user) }
      try remote.changeUser { try self.applyUserChange(to: user) }
    }
  }

  private func applyUserChange(to user: String?) throws {
    guard local.isShared, user != local.user else { return }
    updateViews()
    let outcome = try local.changeUser(to: user)
    waiters.changeUser(to: user)
    emit(outcome.changes)
    onRejectionsChange()
  }

  // MARK: - What the remote tells

  func applyRemoteEvent(_ event: RemoteEvent) throws {
    updateViews()
    let outcome = try local.apply(event)
    limbo.take(event.targetChanges)
    emit(outcome.changes, event)
  }

  func rejectListen(target id: Int, _ error: any Error) throws {
    guard let path = limbo.path(of: id) else {
      try local.release(target: id)
      removeTarget(id, error: error)
      return
    }
    // The user may not see the document any more: it goes.
    var event = RemoteEvent(version: .zero)
    event.documents[path] = .missing(at: .zero)
    event.resolvedLimboDocuments = [path]
    try applyRemoteEvent(event)
    limbo.reject(id)
  }

  private func apply(_ state: OnlineState) {
    updateViews()
    var snapshots: [ViewSnapshot] = []
    for kept in views.values {
      if let snapshot = kept.view.apply(state).snapshot { snapshots.append(snapshot) }
    }
    events.apply(state)
    onOnlineState(state)
    if !snapshots.isEmpty { events.deliver(snapshots) }
  }

  // MARK: - Bundles

  /// Takes in a bundle, unless it was loaded before.
  ///
  /// - Parameter report: called with how many documents have been taken in.
  package func load(_ bundle: Bundle, reporting report: (Int) -> Void = { _ in }) throws {
    guard try !local.hasLoaded(bundle) else { return }
    try bundle.checkQueries()
    let outcome = try local.loadDocuments(of: bundle, reporting: report)
    try local.saveQueries(of: bundle)
    emit(outcome.changes)
    try local.note(bundle)
  }

  // MARK: - Documents in limbo

  /// The documents that are looked up, by the numbers of their targets.
  package var activeLimboDocuments: [ResourcePath: Int] { limbo.targets }
  /// The documents that wait to be looked up.
  package var enqueuedLimboDocuments: [ResourcePath] { limbo.queue }

  /// The targets whose results lack a document that was looked up for them and found. The remote, or this device, is wrong
  /// about what belongs to them, although the number of documents may be right.
  func targets(lacking document: BaseDocument, at path: ResourcePath) -> [Int] {
    guard case .found(let fields) = document.content else { return [] }
    let found = StoredDocument(
      path: path, fields: fields, createTime: document.createTime, updateTime: document.version)
    return limbo.targets(showing: path).filter { target in
      (queries[target] ?? []).contains { query in
        // Of a result with a limit, other documents may have taken its place.
        query.limit == nil && views[query]?.view.lacks(path) == true && query.matches(found)
      }
    }
  }

  // MARK: - What the aggregator asks

  func target(_ id: Int) -> TargetData? { remote?.targets[id] }

  func remoteKeys(of target: Int) -> Set<ResourcePath> {
    if let keys = limbo.remoteKeys(of: target) { return keys }
    let queries = queries[target] ?? []
    if queries.count == 1 { return views[queries[0]]?.view.synced ?? [] }
    return queries.reduce(into: []) { $0.formUnion(views[$1]?.view.synced ?? []) }
  }
}

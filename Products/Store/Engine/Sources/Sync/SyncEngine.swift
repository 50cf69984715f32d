package import TenonCore
import TenonDocuments
package import TenonFoundation
package import TenonValues

/// Coordinates the writes and listeners of the app, the local database and the remote.
///
/// Not thread-safe, and entirely passive: the app, streams and timers call it, and it calls them. Tests can
/// therefore produce every order of events. ``StoreEngine`` owns it, on its executor, as long as the database
/// is open.
///
/// A change by the app or the remote is saved first. If it answers a write, the observer of the write is
/// notified next. Then all affected views are updated, and finally their snapshots are delivered together.
/// Listeners therefore never receive a state that wasn't saved, and all of them receive a change in the same
/// round.
package final class SyncEngine {
  /// The dependencies of an engine. All of them are called on the owner's executor.
  package struct Environment {
    /// The streams to the remote; `nil` if there is none, even if one is awaited.
    package var streams: (any RemoteStreams)?
    /// The timers of the engine.
    package var timers: any SyncTimers
    /// The time at which writes are made, and the randomness of backoffs.
    package var time: TimeSource
    /// Receives failures that no caller receives as an error.
    package var logger: AppLogger
    /// The maximum number of concurrent lookups of limbo documents; 100 by default, as in Firestore's
    /// clients.
    package var limboLimit: Int
    /// Decides which process sends the writes of the database; `nil` if no other process can use it.
    package var lease: (any SendingLease)?
    /// Called with events that the owner must handle, possibly in the middle of an operation.
    package var report: (SyncReport) -> Void
    /// Is told whether the remote can be reached, and why not.
    package var outage: RemoteOutage
    /// What is recorded for a provider of observability.
    package var telemetry: StoreTelemetry
    /// Decides by the rules of the app before writes are queued; `nil` if it has none.
    var judge: WriteJudge?

    package init(
      streams: (any RemoteStreams)?, timers: any SyncTimers, time: TimeSource, logger: AppLogger,
      limboLimit: Int = 100, lease: (any SendingLease)? = nil, outage: RemoteOutage? = nil,
      telemetry: StoreTelemetry = .silent,
      report: @escaping (SyncReport) -> Void = { _ in }
    ) {
      self.streams = streams
      self.timers = timers
      self.time = time
      self.logger = logger
      self.limboLimit = limboLimit
      self.lease = lease
      self.outage = outage ?? RemoteOutage(logger: logger, time: time)
      self.telemetry = telemetry
      self.report = report
    }
  }

  /// The local database.
  let local: LocalDatabase
  let environment: Environment
  /// Repeats failed operations of the database.
  private let retries: RetryQueue
  /// The exchange with the remote; `nil` if there is no remote.
  package private(set) var remote: RemoteExchange?
  /// The listeners, which receive the snapshots of views.
  package let listeners = ListenerGroups()
  /// The views of all queries with listeners.
  let views = OpenViews()
  /// The documents that writes have changed since the views were last updated.
  private var unseen: [ResourcePath: StoredDocument?] = [:]
  /// Called with the documents that have changed, in their current state; with `nil` if it isn't known which
  /// have changed.
  var onChange: (([ResourcePath: StoredDocument?]?) -> Void)? {
    didSet { trackChanges() }
  }
  /// Whether the timer for acknowledged documents is running.
  private var expectsAcknowledgedDocuments = false
  /// The documents that are looked up because their state at the remote is unknown.
  private(set) var limbo: LimboResolver
  /// The observers of writes.
  let waiters: WriteWaiters

  /// Creates an engine without listeners. Nothing is sent before the network of ``remote`` is enabled.
  ///
  /// - Parameters:
  ///   - local: the local database.
  ///   - environment: the dependencies.
  package init(local: LocalDatabase, environment: Environment) {
    self.local = local
    self.environment = environment
    limbo = LimboResolver(limit: environment.limboLimit)
    waiters = WriteWaiters(local)
    retries = RetryQueue(
      timers: environment.timers, random: environment.time.random, logger: environment.logger)
    local.tracksChanges = false
    guard local.hasRemote, let streams = environment.streams else { return }
    remote = RemoteExchange(
      local: local, streams: streams, timers: environment.timers, retries: retries, syncer: self,
      time: environment.time, lease: environment.lease, logger: environment.logger,
      outage: environment.outage)
  }

  // MARK: - Users

  /// Called when another user has signed in or out, whose writes are shown and sent from now on.
  ///
  /// A failure of the database is retried; until then the network isn't used, and the writes of the previous
  /// user remain visible.
  ///
  /// - Parameter user: the ID of the user; `nil` if no user is signed in.
  package func changeUser(to user: String?) {
    retries.enqueue { [weak self] in
      guard let self else { return }
      guard let remote else { return try showWrites(of: user) }
      try remote.changeUser { try self.showWrites(of: user) }
    }
  }

  /// Switches to another user, whose pending writes are shown and sent from then on; no effect if the user is
  /// the same.
  ///
  /// The writes of the previous user stay in the queue. The views of documents that either user has written
  /// to are updated.
  ///
  /// - Throws: `SQLiteError`.
  private func showWrites(of user: String?) throws {
    guard local.hasRemote, user != local.user else { return }
    updateViews()
    let outcome = try local.changeUser(to: user)
    waiters.changeUser(to: user)
    updateViews(with: outcome.changes)
    environment.report(.rejectionsChanged)
    try refuseOvertakenWrites()
  }

  /// Whether the remote can be reached, as far as is known. A database that awaits a remote is offline, and a
  /// local-only one is online.
  var onlineState: OnlineState { remote?.onlineState.state ?? (local.hasRemote ? .offline : .online) }

  // MARK: - Bundles

  /// Loads a bundle, unless it was loaded before.
  ///
  /// The bundle is marked as loaded in the end, so an interrupted loading is repeated as a whole the next
  /// time.
  ///
  /// - Parameters:
  ///   - bundle: the bundle.
  ///   - report: called with the number of documents saved so far, within the transaction that saves them.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if a query can't be read, in which
  ///   case nothing was saved; `SQLiteError`; `CancellationError`.
  package func load(_ bundle: Bundle, reporting report: (Int) -> Void = { _ in }) throws {
    guard try !local.hasLoaded(bundle) else { return }
    try bundle.checkQueries()
    let outcome = try local.saveDocuments(of: bundle, reporting: report)
    try local.saveQueries(of: bundle)
    updateViews(with: outcome.changes)
    try local.markLoaded(bundle)
  }

  // MARK: - Limbo documents

  /// The limbo documents being looked up, with the IDs of their targets.
  package var activeLimboDocuments: [ResourcePath: Int] { limbo.targets }
  /// The limbo documents waiting to be looked up.
  package var enqueuedLimboDocuments: [ResourcePath] { limbo.queue }

  /// Records which documents of a target have entered and left limbo, and starts and ends lookups.
  ///
  /// - Parameters:
  ///   - changes: the changes of one view of the target.
  ///   - target: the ID of the target.
  func trackLimbo(_ changes: View.LimboChanges, of target: Int) {
    request(limbo.track(changes, of: target))
  }

  /// Ends the lookups for a target.
  func removeLimbo(of target: Int) { request(limbo.removeTarget(target)) }

  /// Sends the requests of the limbo resolver.
  private func request(_ requests: [LimboResolver.Request]) {
    for request in requests {
      switch request {
      case .listen(let data): remote?.listen(to: data)
      case .unlisten(let target): remote?.unlisten(target: target)
      }
    }
  }

  // MARK: - Updating views

  /// Collects the documents that transactions change if there are views to update, or an observer.
  func trackChanges() { local.tracksChanges = !views.isEmpty || onChange != nil }

  /// Keeps the changes of a write until the write has returned, so that a writer waits for the disk only, not
  /// for listeners. The owner is told to call ``updateViews()`` then, once for all writes before it.
  ///
  /// - Parameter documents: the changed documents in their current state; `nil` for deleted ones.
  func updateViewsAfterWrite(_ documents: [ResourcePath: StoredDocument?]) {
    guard !documents.isEmpty else { return }
    guard unseen.isEmpty else { return unseen.merge(documents) { $1 } }
    unseen = documents
    environment.report(.viewsOutdated)
  }

  /// Updates the views with the changes of writes since the last call. This precedes every other update, so
  /// that listeners receive states in chronological order.
  package func updateViews() {
    guard !unseen.isEmpty else { return }
    let documents = unseen
    unseen = [:]
    update(documents, nil)
  }

  /// Updates the views affected by changes of documents and targets, and notifies their listeners.
  ///
  /// - Parameters:
  ///   - documents: the changed documents in their current state; `nil` for deleted ones.
  ///   - event: the consistent snapshot that has changed them; `nil` for other causes.
  /// - Complexity: proportional to the number of pairs of a changed document and a view that it concerns; see
  ///   ``View``.
  func updateViews(with documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent? = nil) {
    updateViews()
    update(documents, event)
  }

  /// Updates the affected views. A view that fails ends its listeners; the others are unaffected.
  ///
  /// All views are updated before the first snapshot is delivered, so that listeners receive the change in
  /// one round.
  private func update(_ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent?) {
    if !documents.isEmpty { onChange?(documents) }
    var concerned: [ObjectIdentifier: (kept: OpenView, documents: [ResourcePath: StoredDocument?])] = [:]
    func concern(_ kept: OpenView) {
      if concerned[ObjectIdentifier(kept)] == nil { concerned[ObjectIdentifier(kept)] = (kept, [:]) }
    }
    for (path, document) in views.isEmpty ? [:] : documents {
      for kept in views.views(concernedBy: path, document) {
        concern(kept)
        concerned[ObjectIdentifier(kept)]?.documents.updateValue(document, forKey: path)
      }
    }
    if let event {
      for id in Set(event.targetChanges.keys).union(event.mismatches.keys) {
        views.views(of: id).forEach(concern)
      }
      for kept in views.all where kept.view.awaitsAcknowledgedDocuments { concern(kept) }
    }
    var snapshots: [ViewSnapshot] = []
    var localChanges: [LocalViewChange] = []
    for (kept, documents) in concerned.values {
      do {
        guard let snapshot = try update(kept, documents, event) else { continue }
        snapshots.append(snapshot)
        guard kept.hasRemote else { continue }
        var localChange = LocalViewChange(target: kept.target, isFromCache: snapshot.isFromCache)
        for change in snapshot.steps.values {
          if change.kind == .added { localChange.added.append(change.document.path) }
          if change.kind == .removed { localChange.removed.append(change.document.path) }
        }
        localChanges.append(localChange)
      } catch {
        // The result of this view is no longer known; the other views are unaffected.
        failListeners(to: kept.query, StoreError.wrapping(error))
      }
    }
    listeners.deliver(snapshots)
    if !localChanges.isEmpty { recordViewChanges(localChanges) }
    // Not only acknowledgments lead here: a rejection may undo what was written after an acknowledged write.
    if concerned.values.contains(where: { $0.kept.view.hasRecentAcknowledgements }) {
      expectAcknowledgedDocuments()
    }
  }

  /// Updates one view, reading further documents if a result with a limit has a gap.
  ///
  /// - Parameters:
  ///   - kept: the view.
  ///   - documents: the changed documents that concern it.
  ///   - event: the consistent snapshot that has changed them; `nil` for other causes.
  /// - Returns: the new snapshot; `nil` if nothing changed.
  /// - Throws: the error of the database if further documents can't be read.
  private func update(
    _ kept: OpenView, _ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent?
  ) throws -> ViewSnapshot? {
    if let gap = kept.view.update(documents) {
      if let found = try local.documents(of: kept.query, beyond: gap.edge.document, limit: gap.limit) {
        kept.view.close(gap, with: found)
      } else {
        kept.view.replaceAll(with: try local.result(of: kept.query, target: nil).documents)
      }
    }
    let change = kept.view.makeChange(
      target: event?.targetChanges[kept.target],
      isPendingReset: event?.mismatches[kept.target] != nil, at: event?.version ?? .zero)
    trackLimbo(change.limbo, of: kept.target)
    return change.snapshot
  }

  /// Records which documents views show. Errors are logged, because they affect garbage collection only.
  func recordViewChanges(_ changes: [LocalViewChange]) {
    do { try local.viewsChanged(changes) } catch {
      environment.logger.warning("The documents that views show can't be recorded: \(error)")
    }
  }

  // MARK: - Documents of acknowledged writes

  /// How long the documents of acknowledged writes are expected before they are looked up individually.
  private static let acknowledgementTime = Duration.seconds(10)

  /// Ensures that documents of acknowledged writes don't stay pending in views if the remote has nothing more
  /// to send, and doesn't send them.
  ///
  /// A timer ages the acknowledgments. At its second expiry, which is ten to twenty seconds after an
  /// acknowledgment, documents that the last consistent snapshot should have included are looked up as limbo
  /// documents. The timer doesn't run while there are no such acknowledgments.
  private func expectAcknowledgedDocuments() {
    guard !expectsAcknowledgedDocuments, views.all.contains(where: { $0.view.hasRecentAcknowledgements })
    else { return }
    expectsAcknowledgedDocuments = true
    environment.timers.schedule(.acknowledgedDocuments, after: Self.acknowledgementTime) { [weak self] in
      guard let self else { return }
      expectsAcknowledgedDocuments = false
      var snapshots: [ViewSnapshot] = []
      for kept in views.all where kept.view.awaitsAcknowledgedDocuments {
        let change = kept.view.ageAcknowledgements()
        trackLimbo(change.limbo, of: kept.target)
        if let snapshot = change.snapshot { snapshots.append(snapshot) }
      }
      listeners.deliver(snapshots)
      expectAcknowledgedDocuments()
    }
  }
}

// MARK: - The remote

extension SyncEngine: RemoteSyncer {
  /// Saves the event, records what lookups have found, and then updates the views.
  func saveRemoteEvent(_ event: RemoteEvent) throws {
    updateViews()
    let outcome = try local.save(event)
    limbo.update(event.targetChanges)
    updateViews(with: outcome.changes, event)
  }

  /// Ends the listeners to the target with the error; the rejection of a lookup deletes its document from the
  /// cache instead.
  func rejectListen(target id: Int, _ error: any Error) throws {
    guard let path = limbo.path(of: id) else {
      try releaseTarget(id)
      removeTarget(id, error: error)
      return
    }
    // The user may have lost access to the document, which is removed.
    var event = RemoteEvent(version: .zero)
    event.documents[path] = .missing(at: .zero)
    event.resolvedLimboDocuments = [path]
    try saveRemoteEvent(event)
    request(limbo.reject(id))
  }

  /// Passes the event on to the owner.
  func remoteAnswered() { environment.report(.remoteAnswered) }

  /// Updates the views, whose results may be incomplete while offline, and delivers first snapshots that were
  /// waiting for the remote.
  func onlineStateChanged(to state: OnlineState) {
    updateViews()
    var snapshots: [ViewSnapshot] = []
    for kept in views.all {
      if let snapshot = kept.view.onlineStateChanged(to: state).snapshot { snapshots.append(snapshot) }
    }
    listeners.onlineStateChanged(to: state)
    environment.report(.onlineState(state))
    listeners.deliver(snapshots)
  }

  func targets(lacking document: BaseDocument, at path: ResourcePath) -> [Int] {
    guard case .found(let fields) = document.content else { return [] }
    let found = StoredDocument(
      path: path, fields: fields, createTime: document.createTime, updateTime: document.version)
    return limbo.targets(showing: path).filter { target in
      views.queries(of: target).contains { query in
        // In a result with a limit, other documents may have displaced it.
        query.limit == nil && views[query]?.view.lacks(path) == true && query.matches(found)
      }
    }
  }

  /// Returns a target that is listened to; `nil` for others.
  func target(_ id: Int) -> TargetData? { remote?.targets[id] }

  /// Returns the documents that belong to a target; for the target of several views, those of all of them.
  func remoteKeys(of target: Int) -> Set<ResourcePath> {
    if let keys = limbo.remoteKeys(of: target) { return keys }
    let kept = views.views(of: target)
    if kept.count == 1 { return kept[0].view.synced }
    return kept.reduce(into: []) { $0.formUnion($1.view.synced) }
  }
}

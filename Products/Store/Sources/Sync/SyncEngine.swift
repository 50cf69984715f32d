import Foundation
package import TenonCore
import TenonDocuments
import TenonSQLite
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
    /// Whether this process sends the writes of the database, which others may use as well.
    package var maySend: () -> Bool

    package init(
      streams: (any RemoteStreams)?, timers: any SyncTimers, now: @escaping () -> Timestamp,
      random: @escaping () -> Double, logger: Logger, limboLimit: Int = 100,
      maySend: @escaping () -> Bool = { true }
    ) {
      self.streams = streams
      self.timers = timers
      self.now = now
      self.random = random
      self.logger = logger
      self.limboLimit = limboLimit
      self.maySend = maySend
    }
  }

  /// A view that is kept, and the number of its target.
  private final class QueryView {
    let query: ViewQuery
    var view: View
    let target: Int

    init(_ query: ViewQuery, _ view: View, target: Int) {
      self.query = query
      self.view = view
      self.target = target
    }
  }

  private struct WriteCallback {
    let uuid: UUID
    let call: (Result<RemoteCommit?, any Error>) -> Void
  }

  private struct LimboResolution {
    let path: ResourcePath
    /// Whether the remote has sent the document.
    var isFound = false
  }

  let local: LocalStore
  private let environment: Environment
  private let retries: RetryQueue
  /// `nil` when there is no remote.
  package private(set) var remote: RemoteStore?
  /// Called when it becomes known whether the remote can be reached.
  var onOnlineState: (OnlineState) -> Void = { _ in }
  /// Takes the snapshots of views.
  package private(set) var events: EventManager!

  private var views: [ViewQuery: QueryView] = [:]
  private var queries: [Int: [ViewQuery]] = [:]
  private var viewsByScope: [ViewQuery.Scope: [QueryView]] = [:]

  private var limboReferences: [ResourcePath: Set<Int>] = [:]
  private var limboTargets: [ResourcePath: Int] = [:]
  private var limboResolutions: [Int: LimboResolution] = [:]
  private var limboQueue: [ResourcePath] = []
  private var lastLimboTarget = -1

  private var writeCallbacks: [Int64: WriteCallback] = [:]
  private var pendingWritesCallbacks: [(newest: Int64, callback: (Result<Void, any Error>) -> Void)] = []

  package init(local: LocalStore, environment: Environment) {
    self.local = local
    self.environment = environment
    retries = RetryQueue(timers: environment.timers, random: environment.random, logger: environment.logger)
    events = EventManager(self)
    guard local.isShared, let streams = environment.streams else { return }
    let remote = RemoteStore(
      local: local, streams: streams, timers: environment.timers, retries: retries, syncer: self,
      random: environment.random, maySend: environment.maySend, logger: environment.logger)
    self.remote = remote
    remote.onlineState.onChange = { [weak self] in self?.apply($0) }
  }

  /// Whether the remote can be reached, as far as is known.
  var onlineState: OnlineState { remote?.onlineState.state ?? (local.isShared ? .offline : .online) }

  // MARK: - Listening

  /// Begins to keep the view of a query.
  ///
  /// - Parameters:
  ///   - query: the query, which isn't kept yet.
  ///   - asksRemote: whether the remote is to be asked as well.
  /// - Returns: the first snapshot.
  func listen(to query: ViewQuery, asksRemote: Bool) throws -> ViewSnapshot? {
    guard local.isShared else { return try addView(of: query, target: nil) }
    let data = try local.allocate(query.target)
    do {
      let snapshot = try addView(of: query, target: data)
      if asksRemote { remote?.listen(to: data) }
      return snapshot
    } catch {
      if queries[data.id] == nil { try local.release(target: data.id) }
      throw error
    }
  }

  private func addView(of query: ViewQuery, target data: TargetData?) throws -> ViewSnapshot? {
    let result = try local.execute(query, knowing: data)
    var view = View(query, synced: result.remoteKeys, isShared: data != nil)
    let changes = view.changes(for: Dictionary(uniqueKeysWithValues: result.documents.map { ($0.path, $0) }))
    let change = view.apply(changes, target: data.map { TargetState.Change(token: $0.token) })
    if data != nil {
      note([
        LocalViewChange(
          target: data?.id ?? 0, isFromCache: true, added: result.documents.map(\.path))
      ])
    }
    // Without a remote, each view has a number of its own that nobody asks for.
    let id = data?.id ?? nextLocalTarget()
    let kept = QueryView(query, view, target: id)
    views[query] = kept
    queries[id, default: []].append(query)
    viewsByScope[query.scope, default: []].append(kept)
    track(change.limbo, of: id)
    return change.snapshot
  }

  private var lastLocalTarget = 0
  private func nextLocalTarget() -> Int {
    lastLocalTarget -= 1
    return lastLocalTarget
  }

  /// Asks the remote for a query that was only kept from the cache.
  func askRemote(for query: ViewQuery) throws {
    guard local.isShared else { return }
    remote?.listen(to: try local.allocate(query.target))
  }

  /// Ends asking the remote; the view stays.
  func stopAskingRemote(for query: ViewQuery) {
    guard let id = views[query]?.target, queries[id]?.count == 1 else { return }
    remote?.unlisten(target: id)
  }

  /// Ends the view of a query.
  func unlisten(_ query: ViewQuery, stopsRemote: Bool) throws {
    guard let id = views[query]?.target else { return }
    if let others = queries[id], others.count > 1 {
      queries[id] = others.filter { $0 != query }
      removeView(of: query)
      return
    }
    if local.isShared {
      try local.release(target: id)
      if stopsRemote { remote?.unlisten(target: id) }
    }
    removeTarget(id, error: nil)
  }

  private func removeView(of query: ViewQuery) {
    guard let view = views.removeValue(forKey: query) else { return }
    viewsByScope[query.scope]?.removeAll { $0 === view }
    if viewsByScope[query.scope]?.isEmpty == true { viewsByScope[query.scope] = nil }
    // What the view showed may be collected from now on.
    guard local.isShared else { return }
    note([
      LocalViewChange(
        target: view.target, isFromCache: true, removed: view.view.documents.documents.map(\.path))
    ])
  }

  private func removeTarget(_ id: Int, error: (any Error)?) {
    for query in queries.removeValue(forKey: id) ?? [] {
      removeView(of: query)
      if let error { events.fail(query, error) }
    }
    for (path, targets) in limboReferences where targets.contains(id) {
      limboReferences[path] = targets.count > 1 ? targets.subtracting([id]) : nil
      if targets.count == 1 { stopResolving(path) }
    }
  }

  // MARK: - Writing

  /// Makes writes here, and sends them when it is their turn.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - callback: what the remote answered, after a while; called once. Another process may have got the answer.
  package func write(
    _ writes: [DocumentWrite], callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws {
    _ = try write(making: { writes }, callback: callback)
  }

  /// Makes the writes that `make` gives in their transaction; none when it gives `nil`.
  ///
  /// - Returns: the batch.
  func write(
    making make: () throws -> [DocumentWrite]?, callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws -> MutationBatch? {
    let outcome = try local.changing(.write) {
      try make().map { try local.queue($0, at: environment.now()) }
    }
    guard let batch = outcome.result else { return nil }
    writeCallbacks[batch.id] = WriteCallback(uuid: batch.uuid, call: callback)
    emit(outcome.changes)
    remote?.fillPipeline()
    return batch
  }

  /// Makes writes that nobody has to confirm, if `isAllowed` still says so in their transaction.
  ///
  /// - Returns: whether they were made.
  func commit(_ writes: [DocumentWrite], if isAllowed: () throws -> Bool) throws -> Bool {
    let outcome = try local.changing(.write) {
      guard try isAllowed() else { return false }
      try local.apply(writes, at: environment.now())
      return true
    }
    emit(outcome.changes)
    return outcome.result
  }

  /// Puts writes of a user at the end of the queue that waited in another file, unless they are there.
  ///
  /// - Returns: for how many documents.
  func requeue(_ writes: [DocumentWrite], of user: String?, at moment: Timestamp, uuid: UUID) throws -> Int {
    let outcome = try local.changing(.write) {
      try local.requeue(writes, of: user, at: moment, uuid: uuid)?.paths.count ?? 0
    }
    emit(outcome.changes)
    remote?.fillPipeline()
    return outcome.result
  }

  func applySuccessfulWrite(_ batch: MutationBatch, _ commit: RemoteCommit, token: Data?) throws {
    let outcome = try local.acknowledge(batch, commit, token: token)
    finish(batch.id, .success(commit))
    emit(outcome.changes)
  }

  func rejectFailedWrite(_ batch: MutationBatch, _ error: StoreRemoteError) throws {
    let outcome = try local.reject(batch, error)
    environment.logger.warning(
      "The remote refused a write to \(batch.paths.map(\.text).joined(separator: ", ")): \(error.message)")
    finish(batch.id, .failure(error))
    emit(outcome.changes)
  }

  /// Takes a batch out of the queue, unless it was sent.
  ///
  /// - Returns: whether it was taken out.
  func cancel(_ batch: MutationBatch) throws -> Bool {
    guard remote?.isSent(batch.id) != true else { return false }
    let outcome = try local.cancel(batch)
    guard outcome.result else { return false }
    remote?.drop(batch.id)
    finish(batch.id, .failure(CancellationError()))
    emit(outcome.changes)
    remote?.fillPipeline()
    return true
  }

  private func finish(_ id: Int64, _ result: Result<RemoteCommit?, any Error>) {
    writeCallbacks.removeValue(forKey: id)?.call(result)
    tellWhoWaits()
  }

  /// Tells those who wait for several batches, of which none is left. One that is cancelled may leave older ones behind.
  private func tellWhoWaits() {
    guard !pendingWritesCallbacks.isEmpty else { return }
    do {
      let oldest = try local.oldestBatch() ?? .max
      let done = pendingWritesCallbacks.filter { $0.newest < oldest }
      pendingWritesCallbacks.removeAll { $0.newest < oldest }
      for waiter in done { waiter.callback(.success(())) }
    } catch {
      failWhoWaits(for: error)
    }
  }

  private func failWhoWaits(for error: any Error) {
    let waiters = pendingWritesCallbacks
    pendingWritesCallbacks = []
    for waiter in waiters { waiter.callback(.failure(error)) }
  }

  /// Nothing more will be heard here of what waits: the database is closed. The writes stay in its file.
  func stopWaiting(_ error: any Error) {
    let callbacks = writeCallbacks
    writeCallbacks = [:]
    for id in callbacks.keys.sorted() { callbacks[id]?.call(.failure(error)) }
    failWhoWaits(for: error)
  }

  /// Calls back when everything that waits now has been answered.
  package func waitForPendingWrites(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    let newest: Int64
    do { newest = try local.newestBatch() } catch { return callback(.failure(StoreError.wrapping(error))) }
    guard newest > 0 else { return callback(.success(())) }
    pendingWritesCallbacks.append((newest, callback))
  }

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
    let outcome = try local.changeUser(to: user)
    failWhoWaits(
      for: StoreError(.cancelled, "Another user signed in while writes of the former one waited."))
    emit(outcome.changes)
  }

  // MARK: - What the remote tells

  func applyRemoteEvent(_ event: RemoteEvent) throws {
    let outcome = try local.apply(event)
    for (id, change) in event.targetChanges where limboResolutions[id] != nil {
      if !change.added.isEmpty {
        limboResolutions[id]?.isFound = true
      } else if !change.removed.isEmpty {
        limboResolutions[id]?.isFound = false
      }
    }
    emit(outcome.changes, event)
  }

  func rejectListen(target id: Int, _ error: any Error) throws {
    guard let limbo = limboResolutions[id] else {
      try local.release(target: id)
      removeTarget(id, error: error)
      return
    }
    // The user may not see the document any more: it goes.
    var event = RemoteEvent(version: .zero)
    event.documents[limbo.path] = .missing(at: .zero)
    event.resolvedLimboDocuments = [limbo.path]
    try applyRemoteEvent(event)
    limboTargets[limbo.path] = nil
    limboResolutions[id] = nil
    resolveNext()
  }

  private func apply(_ state: OnlineState) {
    var snapshots: [ViewSnapshot] = []
    for kept in views.values {
      if let snapshot = kept.view.apply(state).snapshot { snapshots.append(snapshot) }
    }
    events.apply(state)
    onOnlineState(state)
    if !snapshots.isEmpty { events.deliver(snapshots) }
  }

  // MARK: - Views

  /// Takes in documents that another process has changed; everything is read anew when it isn't known which.
  func takeForeignChanges() throws {
    guard let paths = try local.reading({ try local.takeChanges() }) else { return try readAllAnew() }
    var changes: [ResourcePath: StoredDocument?] = [:]
    for path in paths { changes.updateValue(try local.document(path), forKey: path) }
    emit(changes)
    try settleForeignWrites()
    remote?.fillPipeline()
  }

  /// Whether somebody waits for what becomes of a write.
  var awaitsConfirmation: Bool { !writeCallbacks.isEmpty || !pendingWritesCallbacks.isEmpty }

  /// Whether somebody waits until all writes are answered.
  var waitsForPendingWrites: Bool { !pendingWritesCallbacks.isEmpty }

  /// Tells those who wait what became of writes that another process has sent.
  private func settleForeignWrites() throws {
    guard awaitsConfirmation else { return }
    let rejected = try local.rejections()
    for (id, waiter) in writeCallbacks.sorted(by: { $0.key < $1.key }) where try !local.hasBatch(id) {
      let refusal = rejected.first { $0.uuid == waiter.uuid }
      finish(id, refusal.map { .failure($0.error) } ?? .success(nil))
    }
    tellWhoWaits()
  }

  private func readAllAnew() throws {
    var snapshots: [ViewSnapshot] = []
    for kept in views.values {
      let documents = try local.execute(kept.query, knowing: nil).documents
      let change = kept.view.apply(kept.view.changes(toward: documents))
      track(change.limbo, of: kept.target)
      if let snapshot = change.snapshot { snapshots.append(snapshot) }
    }
    events.deliver(snapshots)
  }

  /// Updates the views that changes of documents and targets concern, and tells those who listen.
  private func emit(_ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent? = nil) {
    var concerned: [ObjectIdentifier: (kept: QueryView, documents: [ResourcePath: StoredDocument?])] = [:]
    func concern(_ kept: QueryView) {
      if concerned[ObjectIdentifier(kept)] == nil { concerned[ObjectIdentifier(kept)] = (kept, [:]) }
    }
    for (path, document) in viewsByScope.isEmpty ? [:] : documents {
      guard let collection = path.parent else { continue }
      for scope in [.document(path), .collection(collection), .group(collection.id)] as [ViewQuery.Scope] {
        for kept in viewsByScope[scope] ?? [] where kept.view.isConcerned(by: path, document) {
          concern(kept)
          concerned[ObjectIdentifier(kept)]?.documents.updateValue(document, forKey: path)
        }
      }
    }
    if let event {
      for id in Set(event.targetChanges.keys).union(event.mismatches.keys) {
        for query in queries[id] ?? [] { views[query].map(concern) }
      }
      for kept in views.values where kept.view.awaitsConfirmation { concern(kept) }
    }
    var snapshots: [ViewSnapshot] = []
    var localChanges: [LocalViewChange] = []
    for (kept, documents) in concerned.values {
      do {
        guard let snapshot = try update(kept, documents, event) else { continue }
        snapshots.append(snapshot)
        guard local.isShared else { continue }
        var localChange = LocalViewChange(target: kept.target, isFromCache: snapshot.isFromCache)
        for change in snapshot.changes.byPath.values {
          if change.kind == .added { localChange.added.append(change.document.path) }
          if change.kind == .removed { localChange.removed.append(change.document.path) }
        }
        localChanges.append(localChange)
      } catch {
        // Its result isn't known any more; the other views are.
        events.fail(kept.query, StoreError.wrapping(error))
        try? unlisten(kept.query, stopsRemote: true)
      }
    }
    if !snapshots.isEmpty { events.deliver(snapshots) }
    if !localChanges.isEmpty { note(localChanges) }
  }

  private func note(_ changes: [LocalViewChange]) {
    do { try local.note(changes) } catch {
      environment.logger.warning("It can't be noted what views show: \(error)")
    }
  }

  private func update(
    _ kept: QueryView, _ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent?
  ) throws -> ViewSnapshot? {
    var changes = kept.view.changes(for: documents)
    if changes.needsRefill {
      changes = kept.view.changes(
        toward: try local.execute(kept.query, knowing: nil).documents, after: changes)
    }
    let change = kept.view.apply(
      changes, target: event?.targetChanges[kept.target],
      isPendingReset: event?.mismatches[kept.target] != nil, at: event?.version ?? .zero)
    track(change.limbo, of: kept.target)
    return change.snapshot
  }

  // MARK: - Bundles

  /// Takes in a bundle, unless it was loaded before.
  package func load(_ bundle: Bundle) throws {
    guard try !local.hasLoaded(bundle) else { return }
    let outcome = try local.loadDocuments(of: bundle)
    try local.saveQueries(of: bundle)
    emit(outcome.changes)
    try local.note(bundle)
  }

  // MARK: - Documents in limbo

  private func track(_ changes: View.LimboChanges, of target: Int) {
    for path in changes.added {
      limboReferences[path, default: []].insert(target)
      guard limboTargets[path] == nil, !limboQueue.contains(path) else { continue }
      limboQueue.append(path)
    }
    if !changes.added.isEmpty { resolveNext() }
    for path in changes.removed {
      limboReferences[path]?.remove(target)
      guard limboReferences[path]?.isEmpty ?? true else { continue }
      limboReferences[path] = nil
      stopResolving(path)
    }
  }

  private func resolveNext() {
    while !limboQueue.isEmpty, limboTargets.count < environment.limboLimit {
      let path = limboQueue.removeFirst()
      lastLimboTarget += 2
      limboResolutions[lastLimboTarget] = LimboResolution(path: path)
      limboTargets[path] = lastLimboTarget
      var data = TargetData(id: lastLimboTarget, target: .document(path))
      data.purpose = .limboResolution
      remote?.listen(to: data)
    }
  }

  private func stopResolving(_ path: ResourcePath) {
    limboQueue.removeAll { $0 == path }
    guard let id = limboTargets.removeValue(forKey: path) else { return }
    remote?.unlisten(target: id)
    limboResolutions[id] = nil
    resolveNext()
  }

  /// The documents that are looked up, by the numbers of their targets.
  package var activeLimboDocuments: [ResourcePath: Int] { limboTargets }
  /// The documents that wait to be looked up.
  package var enqueuedLimboDocuments: [ResourcePath] { limboQueue }

  // MARK: - What the aggregator asks

  func target(_ id: Int) -> TargetData? { remote?.targets[id] }

  func remoteKeys(of target: Int) -> Set<ResourcePath> {
    if let limbo = limboResolutions[target] { return limbo.isFound ? [limbo.path] : [] }
    let queries = queries[target] ?? []
    if queries.count == 1 { return views[queries[0]]?.view.synced ?? [] }
    return queries.reduce(into: []) { $0.formUnion(views[$1]?.view.synced ?? []) }
  }
}

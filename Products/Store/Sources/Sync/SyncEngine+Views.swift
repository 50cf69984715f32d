import TenonCore
import TenonDocuments
import TenonStoreInterop

/// The views that are kept, and how they follow what changes.
extension SyncEngine {
  /// A view that is kept, and the number of its target.
  final class QueryView {
    let query: ViewQuery
    var view: View
    let target: Int
    /// Whether a listener wants the remote to be asked.
    var asksRemote: Bool

    init(_ query: ViewQuery, _ view: View, target: Int, asksRemote: Bool) {
      self.query = query
      self.view = view
      self.target = target
      self.asksRemote = asksRemote
    }
  }

  // MARK: - Listening

  /// Begins to keep the view of a query.
  ///
  /// - Parameters:
  ///   - query: the query, which isn't kept yet.
  ///   - asksRemote: whether the remote is to be asked as well.
  /// - Returns: the first snapshot.
  func listen(to query: ViewQuery, asksRemote: Bool) throws -> ViewSnapshot? {
    updateViews()
    guard local.isShared else { return try addView(of: query, target: nil, asksRemote: false) }
    let data = try local.allocate(query.target)
    do {
      let snapshot = try addView(of: query, target: data, asksRemote: asksRemote)
      if asksRemote {
        remote?.listen(to: data)
        remote?.retryAfterFailure()
      }
      return snapshot
    } catch {
      if queries[data.id] == nil { try local.release(target: data.id) }
      throw error
    }
  }

  private func addView(
    of query: ViewQuery, target data: TargetData?, asksRemote: Bool
  ) throws -> ViewSnapshot? {
    let result = try local.execute(query, knowing: data)
    var view = View(query, result.documents, synced: result.remoteKeys, isShared: data != nil)
    let change = view.apply(
      target: data.map { TargetState.Change(token: $0.token, isCurrent: isCurrent(target: $0.id)) })
    if data != nil {
      note([
        LocalViewChange(
          target: data?.id ?? 0, isFromCache: true, added: result.documents.map(\.path))
      ])
    }
    // Without a remote, each view has a number of its own that nobody asks for.
    let id = data?.id ?? nextLocalTarget()
    let kept = QueryView(query, view, target: id, asksRemote: asksRemote)
    views[query] = kept
    queries[id, default: []].append(query)
    viewsByScope[query.scope, default: []].append(kept)
    limbo.track(change.limbo, of: id)
    return change.snapshot
  }

  private func nextLocalTarget() -> Int {
    lastLocalTarget -= 1
    return lastLocalTarget
  }

  /// Whether the remote has sent the whole result of a target and keeps it up to date. A query that joins the target, as
  /// its mirror query does, isn't told so again.
  private func isCurrent(target id: Int) -> Bool {
    guard remote?.targets[id] != nil else { return false }
    return queries[id]?.contains { views[$0]?.view.isCurrent == true } ?? false
  }

  /// Asks the remote for a query that was only kept from the cache.
  func askRemote(for query: ViewQuery) throws {
    guard local.isShared else { return }
    remote?.listen(to: try local.allocate(query.target))
    remote?.retryAfterFailure()
    views[query]?.asksRemote = true
  }

  /// Ends asking the remote; the view stays.
  func stopAskingRemote(for query: ViewQuery) {
    guard let kept = views[query] else { return }
    kept.asksRemote = false
    leaveTargetIfUnasked(kept.target)
  }

  /// Stops watching a target that no query asks for any more. Views that still show it, from the cache, don't know from
  /// then on whether they are complete.
  private func leaveTargetIfUnasked(_ id: Int) {
    let kept = (queries[id] ?? []).compactMap { views[$0] }
    guard remote?.targets[id] != nil, !kept.contains(where: \.asksRemote) else { return }
    remote?.unlisten(target: id)
    let snapshots = kept.compactMap { $0.view.apply(.offline).snapshot }
    if !snapshots.isEmpty { events.deliver(snapshots) }
  }

  /// Ends the view of a query.
  func unlisten(_ query: ViewQuery) throws {
    guard let id = views[query]?.target else { return }
    if let others = queries[id], others.count > 1 {
      queries[id] = others.filter { $0 != query }
      removeView(of: query)
      leaveTargetIfUnasked(id)
      return
    }
    if local.isShared {
      try local.release(target: id)
      remote?.unlisten(target: id)
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

  func removeTarget(_ id: Int, error: (any Error)?) {
    for query in queries.removeValue(forKey: id) ?? [] {
      removeView(of: query)
      if let error { events.fail(query, error) }
    }
    limbo.removeTarget(id)
  }

  // MARK: - Changes

  /// Takes in documents that another process has changed; everything is read anew when it isn't known which.
  func takeForeignChanges() throws {
    if let paths = try local.reading({ try local.takeChanges() }) {
      var changes: [ResourcePath: StoredDocument?] = [:]
      for path in paths { changes.updateValue(try local.document(path), forKey: path) }
      emit(changes)
    } else {
      try readAllAnew()
    }
    try waiters.settleForeign()
    remote?.fillPipeline()
  }

  private func readAllAnew() throws {
    updateViews()
    var snapshots: [ViewSnapshot] = []
    for kept in views.values {
      let documents = try local.execute(kept.query, knowing: nil).documents
      kept.view.take(all: documents)
      let change = kept.view.apply()
      limbo.track(change.limbo, of: kept.target)
      if let snapshot = change.snapshot { snapshots.append(snapshot) }
    }
    events.deliver(snapshots)
  }

  /// Has views take in what a write changed once the write has returned: a writer waits for the disk, not for listeners.
  /// Writes that follow one another closely are taken in together.
  func emitAfterWrite(_ documents: [ResourcePath: StoredDocument?]) {
    guard let defersViews = environment.defersViews else { return emit(documents) }
    guard !documents.isEmpty else { return }
    guard unseen.isEmpty else { return unseen.merge(documents) { $1 } }
    unseen = documents
    defersViews()
  }

  /// Has views take in what writes have changed since the last call. All else that views take in comes after it, so that
  /// listeners get states in the order in which they came about.
  package func updateViews() {
    guard !unseen.isEmpty else { return }
    let documents = unseen
    unseen = [:]
    update(documents, nil)
  }

  /// Updates the views that changes of documents and targets concern, and notifies those who listen.
  func emit(_ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent? = nil) {
    updateViews()
    update(documents, event)
  }

  private func update(_ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent?) {
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
        for change in snapshot.steps.byPath.values {
          if change.kind == .added { localChange.added.append(change.document.path) }
          if change.kind == .removed { localChange.removed.append(change.document.path) }
        }
        localChanges.append(localChange)
      } catch {
        // Its result isn't known any more; the other views are.
        events.fail(kept.query, StoreError.wrapping(error))
        try? unlisten(kept.query)
      }
    }
    if !snapshots.isEmpty { events.deliver(snapshots) }
    if !localChanges.isEmpty { note(localChanges) }
    // Not only an acknowledgement leads there: a refusal may undo what was written after a confirmed write.
    if concerned.values.contains(where: { $0.kept.view.hasYoungConfirmations }) { expectConfirmedDocuments() }
  }

  /// How long documents of confirmed writes are expected before they are asked for one by one.
  private static let confirmationTime = Duration.seconds(10)

  /// Sees to it that documents of confirmed writes don't stay pending in views when the remote, which has nothing more to
  /// tell, doesn't send them.
  private func expectConfirmedDocuments() {
    guard !expectsConfirmedDocuments, views.values.contains(where: { $0.view.hasYoungConfirmations }) else {
      return
    }
    expectsConfirmedDocuments = true
    environment.timers.schedule(.confirmedDocuments, after: Self.confirmationTime) { [weak self] in
      guard let self else { return }
      expectsConfirmedDocuments = false
      var snapshots: [ViewSnapshot] = []
      for kept in views.values where kept.view.awaitsConfirmation {
        let change = kept.view.ageConfirmations()
        limbo.track(change.limbo, of: kept.target)
        if let snapshot = change.snapshot { snapshots.append(snapshot) }
      }
      if !snapshots.isEmpty { events.deliver(snapshots) }
      expectConfirmedDocuments()
    }
  }

  private func note(_ changes: [LocalViewChange]) {
    do { try local.note(changes) } catch {
      environment.logger.warning("It can't be noted what views show: \(error)")
    }
  }

  private func update(
    _ kept: QueryView, _ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent?
  ) throws -> ViewSnapshot? {
    if let gap = kept.view.take(documents) {
      if let found = try local.documents(of: kept.query, beyond: gap.edge.document, limit: gap.limit) {
        kept.view.take(found, closing: gap)
      } else {
        kept.view.take(all: try local.execute(kept.query, knowing: nil).documents)
      }
    }
    let change = kept.view.apply(
      target: event?.targetChanges[kept.target],
      isPendingReset: event?.mismatches[kept.target] != nil, at: event?.version ?? .zero)
    limbo.track(change.limbo, of: kept.target)
    return change.snapshot
  }
}

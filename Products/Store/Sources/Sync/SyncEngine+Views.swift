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

    init(_ query: ViewQuery, _ view: View, target: Int) {
      self.query = query
      self.view = view
      self.target = target
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
    limbo.track(change.limbo, of: id)
    return change.snapshot
  }

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
    guard let paths = try local.reading({ try local.takeChanges() }) else { return try readAllAnew() }
    var changes: [ResourcePath: StoredDocument?] = [:]
    for path in paths { changes.updateValue(try local.document(path), forKey: path) }
    emit(changes)
    try waiters.settleForeign()
    remote?.fillPipeline()
  }

  private func readAllAnew() throws {
    var snapshots: [ViewSnapshot] = []
    for kept in views.values {
      let documents = try local.execute(kept.query, knowing: nil).documents
      let change = kept.view.apply(kept.view.changes(toward: documents))
      limbo.track(change.limbo, of: kept.target)
      if let snapshot = change.snapshot { snapshots.append(snapshot) }
    }
    events.deliver(snapshots)
  }

  /// Updates the views that changes of documents and targets concern, and tells those who listen.
  func emit(_ documents: [ResourcePath: StoredDocument?], _ event: RemoteEvent? = nil) {
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
    limbo.track(change.limbo, of: kept.target)
    return change.snapshot
  }
}

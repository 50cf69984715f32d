import TenonCore
import TenonDocuments
import TenonSQLite
import TenonValues

/// Adds and removes listeners, with their views and targets.
extension SyncEngine {
  /// Adds a listener. If the query can't be run, the listener receives the error, and isn't added.
  ///
  /// The first listener to a query reads its local result, creates its view, and, if it asks the remote,
  /// requests its target; further ones share the view. If a first snapshot is due, it is delivered before
  /// this returns.
  package func listen(_ listener: QueryListener) {
    let query = listener.query
    var first: ViewSnapshot?
    do {
      if !listeners.hasListeners(to: query) {
        first = try makeView(of: query, asksRemote: listener.options.asksRemote)
      } else if listener.options.asksRemote, !listeners.asksRemote(for: query) {
        try askRemote(for: query)
      }
    } catch {
      listener.fail(error)
      return
    }
    listeners.add(listener, first: first, onlineState)
  }

  /// Removes a listener; no effect if it was already removed. It receives nothing afterwards.
  ///
  /// With the last listener to a query, its view is removed, and the target too, unless another query uses
  /// it.
  ///
  /// - Throws: a permanent error of the database while the state of the target is saved. The listener and the
  ///   view are still removed.
  package func unlisten(_ listener: QueryListener) throws {
    let query = listener.query
    guard listeners.remove(listener) else { return }
    if !listeners.hasListeners(to: query) {
      try removeView(of: query)
    } else if listener.options.asksRemote, !listeners.asksRemote(for: query) {
      stopAskingRemote(for: query)
    }
  }

  /// Ends all listeners with an error, because their results are no longer known.
  package func failListeners(_ error: any Error) {
    for query in listeners.queries { failListeners(to: query, error) }
  }

  /// Ends the listeners to a query with an error, and removes its view. An error of the database, while the
  /// state of the target is saved, is logged.
  func failListeners(to query: ListenQuery, _ error: any Error) {
    listeners.fail(query, error)
    do { try removeView(of: query) } catch {
      environment.logger.warning("The state of a listener that failed can't be saved: \(error)")
    }
  }

  // MARK: - Views

  /// Creates the view of a query.
  ///
  /// The target is allocated before the result is read, and requested after the view exists, because its
  /// events concern the view. If the local result can't be read, the target is released again, unless another
  /// query uses it.
  ///
  /// - Parameters:
  ///   - query: a query that has no view.
  ///   - asksRemote: whether the target is listened to at the remote.
  /// - Returns: the first snapshot.
  /// - Throws: the error of the database.
  private func makeView(of query: ListenQuery, asksRemote: Bool) throws -> ViewSnapshot? {
    updateViews()
    guard !local.isFinal(query.collectionID) else {
      return try addView(of: query, target: nil, asksRemote: false)
    }
    let data = try local.allocateTarget(query.target)
    do {
      let snapshot = try addView(of: query, target: data, asksRemote: asksRemote)
      if asksRemote {
        remote?.listen(to: data)
        remote?.retryAfterFailure()
      }
      return snapshot
    } catch {
      if views.queries(of: data.id).isEmpty { try releaseTarget(data.id) }
      throw error
    }
  }

  /// Reads the local result of a query, and creates its view.
  ///
  /// - Parameters:
  ///   - query: a query that has no view.
  ///   - data: the target; `nil` if the remote doesn't have the documents.
  ///   - asksRemote: whether the target is listened to at the remote.
  /// - Returns: the first snapshot. It is from the cache unless there is no remote, or another query keeps
  ///   the target up to date.
  /// - Throws: the error of the database.
  private func addView(
    of query: ListenQuery, target data: TargetData?, asksRemote: Bool
  ) throws -> ViewSnapshot? {
    let result = try local.result(of: query, target: data)
    var view = View(query, result.documents, synced: result.remoteKeys, hasRemote: data != nil)
    let change = view.makeChange(
      target: data.map { TargetState.Change(token: $0.token, isCurrent: isCurrent(target: $0.id)) })
    if let data {
      recordViewChanges([
        LocalViewChange(target: data.id, isFromCache: true, added: result.documents.map(\.path))
      ])
    }
    // Without a remote, each view has its own ID.
    let id = data?.id ?? views.makeLocalTarget()
    views.insert(OpenView(query, view, target: id, asksRemote: asksRemote))
    trackChanges()
    trackLimbo(change.limbo, of: id)
    return change.snapshot
  }

  /// Returns whether the remote has sent the whole result of a target and keeps it up to date. The remote
  /// doesn't repeat this when another query joins the target.
  private func isCurrent(target id: Int) -> Bool {
    remote?.targets[id] != nil && views.views(of: id).contains(where: \.view.isCurrent)
  }

  /// Listens at the remote to a query that so far had only cache listeners.
  private func askRemote(for query: ListenQuery) throws {
    guard views[query]?.hasRemote == true else { return }
    remote?.listen(to: try local.allocateTarget(query.target))
    remote?.retryAfterFailure()
    views[query]?.asksRemote = true
  }

  /// Stops listening at the remote to a query that has only cache listeners left; its view is kept.
  private func stopAskingRemote(for query: ListenQuery) {
    guard let kept = views[query] else { return }
    kept.asksRemote = false
    unlistenIfUnwanted(kept.target)
  }

  /// Stops listening to a target that no query needs any more. Views that still show it from the cache are no
  /// longer known to be complete.
  private func unlistenIfUnwanted(_ id: Int) {
    let kept = views.views(of: id)
    guard remote?.targets[id] != nil, !kept.contains(where: \.asksRemote) else { return }
    remote?.unlisten(target: id)
    listeners.deliver(kept.compactMap { $0.view.onlineStateChanged(to: .offline).snapshot })
  }

  /// Removes the view of a query, and its target unless another query uses it. Two queries share a target if
  /// one is the reverse of the other: the first documents in one order are the last ones in the opposite
  /// order.
  ///
  /// - Throws: a permanent error of the database while the state of the target is saved. The view and the
  ///   target are still removed.
  func removeView(of query: ListenQuery) throws {
    guard let id = views[query]?.target else { return }
    if views.queries(of: id).count > 1 {
      dropView(of: query)
      unlistenIfUnwanted(id)
      return
    }
    defer { removeTarget(id, error: nil) }
    guard views[query]?.hasRemote == true else { return }
    defer {
      // Also if its state couldn't be saved: a later listener must not share it with a view that is gone.
      local.deactivateTarget(id)
      remote?.unlisten(target: id)
    }
    try releaseTarget(id)
  }

  /// Releases a target. If its state can't be saved now, the next listener resumes from the state saved last.
  ///
  /// - Throws: a permanent error of the database, in which case the target stays active.
  func releaseTarget(_ id: Int) throws {
    do { try local.saveRelease(ofTarget: id) } catch let error as SQLiteError where error.mayPass {}
    local.deactivateTarget(id)
  }

  /// Removes the view of a query, and releases its documents.
  private func dropView(of query: ListenQuery) {
    guard let view = views.remove(query) else { return }
    trackChanges()
    // The documents of the view may be collected from now on.
    guard view.hasRemote else { return }
    recordViewChanges([
      LocalViewChange(
        target: view.target, isFromCache: true, removed: view.view.documents.documents.map(\.path))
    ])
  }

  /// Removes the views of a target; their listeners receive the error, if there is one.
  ///
  /// - Parameters:
  ///   - id: the target, which must have been released.
  ///   - error: the error; `nil` if there are no listeners left.
  func removeTarget(_ id: Int, error: (any Error)?) {
    for query in views.queries(of: id) {
      dropView(of: query)
      if let error { listeners.fail(query, error) }
    }
    removeLimbo(of: id)
  }

  // MARK: - Other processes

  /// Updates the views with the changes of other processes. If these aren't known in detail, all results are
  /// read again.
  ///
  /// Writes that another process has sent are settled, and the queue is filled, because other processes
  /// append to it as well.
  ///
  /// - Throws: the error of the database. The caller then ends the listeners, whose results are no longer
  ///   known.
  package func readForeignChanges() throws {
    if var changes = try local.changesSinceLastRead() {
      updateViews()
      let lost = try lostDocuments(changes)
      for path in lost.paths { changes.removeValue(forKey: path) }
      updateViews(with: changes)
      for target in lost.targets.sorted() { try remote?.requestAgain(target) }
    } else {
      try readAllViews()
    }
    try waiters.settleForeign()
    remote?.fillPipeline()
  }

  /// Returns the documents that another process has evicted or collected although the remote has assigned
  /// them to targets that are listened to here, and these targets. The remote doesn't send them again by
  /// itself; until it has been asked to, views show them as they were.
  private func lostDocuments(
    _ changes: [ResourcePath: StoredDocument?]
  ) throws -> (paths: [ResourcePath], targets: Set<Int>) {
    var lost: (paths: [ResourcePath], targets: Set<Int>) = ([], [])
    for (path, document) in changes where document == nil {
      let claims = views.views(claiming: path).filter(\.asksRemote)
      guard !claims.isEmpty, try local.isUnknown(path) else { continue }
      lost.paths.append(path)
      lost.targets.formUnion(claims.map(\.target))
    }
    return lost
  }

  /// Reads the results of the views again that may contain documents of the collections with an ID, which this
  /// process has dropped. The remote has none of these documents. An error of the database ends the listeners.
  func readViews(ofCollectionsWithID id: String) {
    do { try readAgain(views.all.filter { UTF8Text.areEqual($0.query.collectionID, id) }) } catch {
      failListeners(error)
      onChange?(nil)
    }
  }

  /// Reads the results of all views again.
  private func readAllViews() throws {
    try readAgain(views.all)
    for kept in views.all where kept.asksRemote {
      if try kept.view.synced.contains(where: local.isUnknown) { try remote?.requestAgain(kept.target) }
    }
  }

  private func readAgain(_ outdated: some Collection<OpenView>) throws {
    updateViews()
    onChange?(nil)
    var snapshots: [ViewSnapshot] = []
    for kept in outdated {
      kept.view.replaceAll(with: try local.result(of: kept.query, target: nil).documents)
      let change = kept.view.makeChange()
      trackLimbo(change.limbo, of: kept.target)
      if let snapshot = change.snapshot { snapshots.append(snapshot) }
    }
    listeners.deliver(snapshots)
  }
}

import TenonValues

/// A listener to a query. It decides which snapshots of the view its reader receives.
///
/// Confined to the engine's executor, on which its functions are called.
package final class QueryListener {
  /// What a listener receives, and from where.
  ///
  /// With the defaults, the first snapshot is delivered as soon as there is something to show: documents in
  /// the cache, or a confirmed result, even an empty one. While the remote may be reachable, an empty result
  /// from the cache is withheld, unless an earlier listener has received it from the remote.
  package struct Options {
    /// Whether snapshots in which only metadata has changed are delivered.
    package var includesMetadataChanges = false
    /// Whether the first snapshot waits until the remote has confirmed it, as long as the remote may be
    /// reachable.
    package var waitsForSync = false
    /// Whether the query is listened to at the remote, or in the cache only.
    package var asksRemote = true

    package init(includesMetadataChanges: Bool = false, waitsForSync: Bool = false, asksRemote: Bool = true) {
      self.includesMetadataChanges = includesMetadataChanges
      self.waitsForSync = waitsForSync
      self.asksRemote = asksRemote
    }
  }

  let query: ListenQuery
  let options: Options
  private let onSnapshot: (ViewSnapshot) -> Void
  private let onError: (any Error) -> Void
  /// The last snapshot of the view, delivered or not; `nil` before the first.
  private var snapshot: ViewSnapshot?
  /// Whether a snapshot was delivered.
  private var hasRaisedFirst = false
  /// Whether the remote can be reached, as far as is known.
  private var onlineState = OnlineState.unknown
  /// Whether the next snapshot is the first one of a view that differs from the last snapshot's.
  private var isMoving = false

  /// Creates a listener, which receives nothing before it is added.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - options: what it receives, and from where.
  ///   - onSnapshot: called with each snapshot that is due.
  ///   - onError: called at most once, with the error that ends the listener.
  package init(
    _ query: ListenQuery, _ options: Options, onSnapshot: @escaping (ViewSnapshot) -> Void,
    onError: @escaping (any Error) -> Void
  ) {
    self.query = query
    self.options = options
    self.onSnapshot = onSnapshot
    self.onError = onError
  }

  /// The documents of the last snapshot.
  var result: DocumentSet? { snapshot?.documents }

  /// Prepares the listener for another view of its query, because the database was replaced. A listener that
  /// has received a snapshot continues with the difference.
  func willMove() {
    isMoving = hasRaisedFirst
    if !hasRaisedFirst { snapshot = nil }
  }

  /// Delivers a snapshot, unless the options exclude it.
  ///
  /// - Parameter new: the next snapshot of the view. A snapshot that isn't delivered is still the basis of
  ///   comparison for the next one.
  /// - Returns: whether it was delivered.
  func deliver(_ new: ViewSnapshot) -> Bool {
    var new = new
    if isMoving, let snapshot { new = new.following(snapshot) }
    isMoving = false
    let delivered = options.includesMetadataChanges ? new : new.withoutMetadataChanges
    defer { snapshot = delivered }
    if !hasRaisedFirst {
      guard isFirstDue(delivered) else { return false }
      raiseFirst(delivered)
      return true
    }
    guard isDue(delivered) else { return false }
    onSnapshot(delivered)
    return true
  }

  /// Delivers the first snapshot if it was withheld, and the remote can't be reached.
  ///
  /// - Parameter state: the new state, which also decides about later snapshots.
  /// - Returns: whether a snapshot was delivered.
  func onlineStateChanged(to state: OnlineState) -> Bool {
    onlineState = state
    guard let snapshot, !hasRaisedFirst, isFirstDue(snapshot) else { return false }
    raiseFirst(snapshot)
    return true
  }

  /// Passes an error to the listener, which receives nothing afterwards.
  func fail(_ error: any Error) { onError(error) }

  /// Delivers a snapshot as the first one, in which all documents were added.
  private func raiseFirst(_ snapshot: ViewSnapshot) {
    hasRaisedFirst = true
    onSnapshot(snapshot.asInitial)
  }

  /// Returns whether a snapshot can be the first one: it is confirmed, or contains cached results, or the
  /// remote can't be reached.
  private func isFirstDue(_ snapshot: ViewSnapshot) -> Bool {
    if !snapshot.isFromCache || !options.asksRemote { return true }
    let mayBeOnline = onlineState != .offline
    if options.waitsForSync, mayBeOnline { return false }
    return !snapshot.documents.isEmpty || snapshot.hasCachedResults || !mayBeOnline
  }

  /// Returns whether a snapshot after the first one has changes for this listener: of documents, or if
  /// metadata changes are included, of whether the result is from the cache or has pending writes.
  private func isDue(_ new: ViewSnapshot) -> Bool {
    if new.hasChanges { return true }
    let pendingChanged = snapshot.map { $0.hasPendingWrites != new.hasPendingWrites } ?? false
    return (new.syncStateChanged || pendingChanged) && options.includesMetadataChanges
  }
}

/// The listeners by query, with the last snapshot of each query.
///
/// Listeners to the same query receive the same snapshots, in the order in which they were added; the order
/// of different queries in a round isn't defined. Owned by ``SyncEngine``, and confined to its executor.
package final class QueryListeners {
  /// The listeners to one query.
  private struct Group {
    var listeners: [QueryListener] = []
    /// The last snapshot of the view, which further listeners receive first.
    var snapshot: ViewSnapshot?
  }

  private var groups: [ListenQuery: Group] = [:]
  /// The observers of consistent snapshots, by the ID that was assigned to them.
  private var syncObservers: [Int: () -> Void] = [:]
  private var lastObserver = 0

  /// Whether there are neither listeners nor observers of consistent snapshots.
  package var isEmpty: Bool { groups.isEmpty && syncObservers.isEmpty }

  /// Returns whether a query has listeners.
  func hasListeners(to query: ListenQuery) -> Bool { groups[query] != nil }

  /// Returns whether a listener to a query requires listening at the remote.
  func asksRemote(for query: ListenQuery) -> Bool {
    groups[query]?.listeners.contains(where: \.options.asksRemote) == true
  }

  /// Adds a listener, which receives the last snapshot of its query as its first one, if it is due.
  ///
  /// - Parameters:
  ///   - listener: the listener.
  ///   - first: the first snapshot of the query, if it had no listeners before.
  ///   - state: whether the remote can be reached.
  func add(_ listener: QueryListener, first: ViewSnapshot?, _ state: OnlineState) {
    let query = listener.query
    let snapshot = groups[query]?.snapshot ?? first
    groups[query, default: Group(snapshot: snapshot)].listeners.append(listener)
    var isDelivered = listener.onlineStateChanged(to: state)
    if let snapshot { isDelivered = listener.deliver(snapshot) || isDelivered }
    if isDelivered { notifySyncObservers() }
  }

  /// Removes a listener.
  ///
  /// - Returns: whether it had been added.
  func remove(_ listener: QueryListener) -> Bool {
    let query = listener.query
    guard let index = groups[query]?.listeners.firstIndex(where: { $0 === listener }) else { return false }
    groups[query]?.listeners.remove(at: index)
    if groups[query]?.listeners.isEmpty == true { groups[query] = nil }
    return true
  }

  /// Delivers new snapshots to the listeners, and then notifies the observers of consistent snapshots, unless
  /// no listener has received anything.
  ///
  /// - Parameter snapshots: the snapshots of one round, at most one per query.
  func deliver(_ snapshots: [ViewSnapshot]) {
    guard !snapshots.isEmpty else { return }
    var isDelivered = false
    for snapshot in snapshots {
      groups[snapshot.query]?.snapshot = snapshot
      for listener in groups[snapshot.query]?.listeners ?? [] {
        isDelivered = listener.deliver(snapshot) || isDelivered
      }
    }
    if isDelivered { notifySyncObservers() }
  }

  /// The queries that have listeners.
  var queries: [ListenQuery] { Array(groups.keys) }

  /// Ends the listeners to a query with an error, and removes them. The view isn't removed;
  /// ``SyncEngine/failListeners(to:_:)`` removes both.
  func fail(_ query: ListenQuery, _ error: any Error) {
    for listener in groups.removeValue(forKey: query)?.listeners ?? [] { listener.fail(error) }
  }

  /// Delivers withheld first snapshots if the remote can't be reached.
  func onlineStateChanged(to state: OnlineState) {
    var isDelivered = false
    for group in groups.values {
      for listener in group.listeners { isDelivered = listener.onlineStateChanged(to: state) || isDelivered }
    }
    if isDelivered { notifySyncObservers() }
  }

  // MARK: - Consistent snapshots

  /// Calls `observer` now, and each time after all listeners have received the same consistent snapshot.
  ///
  /// - Parameter observer: called on the engine's executor, once per round in which at least one listener has
  ///   received a snapshot.
  /// - Returns: an ID for ``removeSyncObserver(_:)``.
  package func addSyncObserver(_ observer: @escaping () -> Void) -> Int {
    lastObserver += 1
    syncObservers[lastObserver] = observer
    observer()
    return lastObserver
  }

  /// Removes an observer of consistent snapshots.
  package func removeSyncObserver(_ id: Int) { syncObservers[id] = nil }

  private func notifySyncObservers() { for observer in syncObservers.values { observer() } }
}

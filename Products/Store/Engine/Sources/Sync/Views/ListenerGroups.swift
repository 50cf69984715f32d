/// The listeners by query, with the last snapshot of each query.
///
/// Listeners to the same query receive the same snapshots, in the order in which they were added; the order
/// of different queries in a round isn't defined. Owned by ``SyncEngine``, and confined to its executor.
package final class ListenerGroups {
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

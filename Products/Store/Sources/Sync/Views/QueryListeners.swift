import TenonDocuments
import TenonStoreInterop

/// A listener to a query.
package final class QueryListener {
  /// What a listener receives, and from where.
  package struct Options {
    /// Whether snapshots in which only metadata has changed are delivered.
    package var includesMetadataChanges = false
    /// Whether the first snapshot waits until the remote has confirmed it, as long as the remote may be reachable.
    package var waitsForSync = false
    /// Whether the query is listened to at the remote, or in the cache only.
    package var asksRemote = true

    package init(includesMetadataChanges: Bool = false, waitsForSync: Bool = false, asksRemote: Bool = true) {
      self.includesMetadataChanges = includesMetadataChanges
      self.waitsForSync = waitsForSync
      self.asksRemote = asksRemote
    }
  }

  let query: ViewQuery
  let options: Options
  private let onSnapshot: (ViewSnapshot) -> Void
  private let onError: (any Error) -> Void
  private var snapshot: ViewSnapshot?
  private var hasRaisedFirst = false
  private var onlineState = OnlineState.unknown

  package init(
    _ query: ViewQuery, _ options: Options, onSnapshot: @escaping (ViewSnapshot) -> Void,
    onError: @escaping (any Error) -> Void
  ) {
    self.query = query
    self.options = options
    self.onSnapshot = onSnapshot
    self.onError = onError
  }

  /// The documents of the last snapshot.
  var result: DocumentSet? { snapshot?.documents }

  /// Delivers a snapshot, unless the options exclude it.
  ///
  /// - Returns: whether it was delivered.
  func deliver(_ new: ViewSnapshot) -> Bool {
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

  /// Delivers the first snapshot if it was withheld, and the remote cannot be reached.
  ///
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

  /// Returns whether a snapshot can be the first one: it is confirmed, or contains cached results, or the remote cannot be
  /// reached.
  private func isFirstDue(_ snapshot: ViewSnapshot) -> Bool {
    if !snapshot.isFromCache || !options.asksRemote { return true }
    let mayBeOnline = onlineState != .offline
    if options.waitsForSync, mayBeOnline { return false }
    return !snapshot.documents.isEmpty || snapshot.hasCachedResults || !mayBeOnline
  }

  /// Returns whether a snapshot after the first one has changes for this listener.
  private func isDue(_ new: ViewSnapshot) -> Bool {
    if new.hasChanges { return true }
    let pendingChanged = snapshot.map { $0.hasPendingWrites != new.hasPendingWrites } ?? false
    return (new.syncStateChanged || pendingChanged) && options.includesMetadataChanges
  }
}

/// The listeners by query, with the last snapshot of each query.
package final class QueryListeners {
  private struct Group {
    var listeners: [QueryListener] = []
    var snapshot: ViewSnapshot?
  }

  private var groups: [ViewQuery: Group] = [:]
  private var syncObservers: [Int: () -> Void] = [:]
  private var lastObserver = 0

  /// Whether there are neither listeners nor observers.
  package var isEmpty: Bool { groups.isEmpty && syncObservers.isEmpty }

  /// Returns whether a query has listeners.
  func hasListeners(to query: ViewQuery) -> Bool { groups[query] != nil }

  /// Returns whether a listener to a query requires listening at the remote.
  func asksRemote(for query: ViewQuery) -> Bool {
    groups[query]?.listeners.contains(where: \.options.asksRemote) == true
  }

  /// Adds a listener, which receives the last snapshot of its query.
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

  /// Delivers new snapshots to the listeners, and then notifies the observers of consistent snapshots.
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

  /// Ends the listeners to a query with an error.
  func fail(_ query: ViewQuery, _ error: any Error) {
    for listener in groups.removeValue(forKey: query)?.listeners ?? [] { listener.fail(error) }
  }

  /// Ends all listeners with an error.
  func failAll(_ error: any Error) { for query in Array(groups.keys) { fail(query, error) } }

  /// Delivers withheld first snapshots if the remote cannot be reached.
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

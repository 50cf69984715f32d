import TenonDocuments
import TenonStoreInterop

/// A listener to a query.
package final class QueryListener {
  package struct Options {
    /// Whether snapshots are delivered in which nothing but metadata has changed.
    package var includesMetadataChanges = false
    /// Whether the first snapshot waits until the remote has confirmed it, as long as the remote may be reachable.
    package var waitsForSync = false
    /// Whether the remote listens as well.
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

  /// Delivers a snapshot if the listener wants it.
  ///
  /// - Returns: whether a snapshot was delivered.
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

  /// Delivers the first snapshot if it was held back for the remote, which can't be reached now.
  ///
  /// - Returns: whether a snapshot was delivered.
  func onlineStateChanged(to state: OnlineState) -> Bool {
    onlineState = state
    guard let snapshot, !hasRaisedFirst, isFirstDue(snapshot) else { return false }
    raiseFirst(snapshot)
    return true
  }

  func fail(_ error: any Error) { onError(error) }

  private func raiseFirst(_ snapshot: ViewSnapshot) {
    hasRaisedFirst = true
    onSnapshot(snapshot.asInitial)
  }

  private func isFirstDue(_ snapshot: ViewSnapshot) -> Bool {
    if !snapshot.isFromCache || !options.asksRemote { return true }
    let mayBeOnline = onlineState != .offline
    if options.waitsForSync, mayBeOnline { return false }
    return !snapshot.documents.isEmpty || snapshot.hasCachedResults || !mayBeOnline
  }

  private func isDue(_ new: ViewSnapshot) -> Bool {
    if new.hasChanges { return true }
    let pendingChanged = snapshot.map { $0.hasPendingWrites != new.hasPendingWrites } ?? false
    return (new.syncStateChanged || pendingChanged) && options.includesMetadataChanges
  }
}

/// The listeners, by their queries, and the last snapshot of each query.
package final class QueryListeners {
  private struct Group {
    var listeners: [QueryListener] = []
    var snapshot: ViewSnapshot?
  }

  private var groups: [ViewQuery: Group] = [:]
  private var syncObservers: [Int: () -> Void] = [:]
  private var lastObserver = 0

  /// Whether there are no listeners and no observers.
  package var isEmpty: Bool { groups.isEmpty && syncObservers.isEmpty }

  /// Whether a query has listeners.
  func hasListeners(to query: ViewQuery) -> Bool { groups[query] != nil }

  /// Whether a listener to a query wants the remote to listen as well.
  func asksRemote(for query: ViewQuery) -> Bool {
    groups[query]?.listeners.contains(where: \.options.asksRemote) == true
  }

  /// Adds a listener, which gets the last snapshot of its query.
  ///
  /// - Parameters:
  ///   - first: the first snapshot of the query, if there was no listener to it before.
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
  /// - Returns: whether it was there.
  func remove(_ listener: QueryListener) -> Bool {
    let query = listener.query
    guard let index = groups[query]?.listeners.firstIndex(where: { $0 === listener }) else { return false }
    groups[query]?.listeners.remove(at: index)
    if groups[query]?.listeners.isEmpty == true { groups[query] = nil }
    return true
  }

  /// Delivers new snapshots.
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

  /// Ends the listeners to a query.
  func fail(_ query: ViewQuery, _ error: any Error) {
    for listener in groups.removeValue(forKey: query)?.listeners ?? [] { listener.fail(error) }
  }

  /// Ends every listener.
  func failAll(_ error: any Error) { for query in Array(groups.keys) { fail(query, error) } }

  func onlineStateChanged(to state: OnlineState) {
    var isDelivered = false
    for group in groups.values {
      for listener in group.listeners { isDelivered = listener.onlineStateChanged(to: state) || isDelivered }
    }
    if isDelivered { notifySyncObservers() }
  }

  // MARK: - Consistent snapshots

  /// Calls `observer` now, and each time that all listeners were given the same consistent snapshot.
  package func addSyncObserver(_ observer: @escaping () -> Void) -> Int {
    lastObserver += 1
    syncObservers[lastObserver] = observer
    observer()
    return lastObserver
  }

  package func removeSyncObserver(_ id: Int) { syncObservers[id] = nil }

  private func notifySyncObservers() { for observer in syncObservers.values { observer() } }
}

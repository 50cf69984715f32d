import TenonDocuments
import TenonStoreInterop

/// Somebody who listens to a query.
package final class QueryListener {
  package struct Options {
    /// Whether changes are told that concern nothing but metadata.
    package var includesMetadataChanges = false
    /// Whether the first result is told only once the remote has confirmed it, while it may be reached.
    package var waitsForSync = false
    /// Whether the remote is asked as well.
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

  /// The documents that were told last.
  var result: DocumentSet? { snapshot?.documents }

  /// - Returns: whether an event was raised.
  func take(_ new: ViewSnapshot) -> Bool {
    let told = options.includesMetadataChanges ? new : new.withoutMetadataChanges
    defer { snapshot = told }
    if !hasRaisedFirst {
      guard isFirstDue(told) else { return false }
      raiseFirst(told)
      return true
    }
    guard isDue(told) else { return false }
    onSnapshot(told)
    return true
  }

  /// - Returns: whether an event was raised.
  func take(_ state: OnlineState) -> Bool {
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

/// Joins those who listen to the same query, so that it is kept once.
package final class EventManager {
  private struct Listeners {
    var listeners: [QueryListener] = []
    var snapshot: ViewSnapshot?
  }

  private unowned let engine: SyncEngine
  private var queries: [ViewQuery: Listeners] = [:]
  private var syncObservers: [Int: () -> Void] = [:]
  private var lastObserver = 0

  init(_ engine: SyncEngine) { self.engine = engine }

  /// Whether nobody listens.
  var isEmpty: Bool { queries.isEmpty && syncObservers.isEmpty }
  /// How many listen.
  var count: Int { queries.values.reduce(0) { $0 + $1.listeners.count } }

  /// Begins a listening. An error, also of the query itself, ends it.
  package func listen(_ listener: QueryListener) {
    let query = listener.query
    var kept = queries[query]
    do {
      if kept == nil {
        kept = Listeners(snapshot: try engine.listen(to: query, asksRemote: listener.options.asksRemote))
      } else if listener.options.asksRemote, kept?.listeners.contains(where: \.options.asksRemote) == false {
        try engine.askRemote(for: query)
      }
    } catch {
      listener.fail(error)
      return
    }
    let snapshot = queries[query]?.snapshot ?? kept?.snapshot
    queries[query, default: Listeners(snapshot: snapshot)].listeners.append(listener)
    var isRaised = listener.take(engine.onlineState)
    if let snapshot { isRaised = listener.take(snapshot) || isRaised }
    if isRaised { tellSynced() }
  }

  /// Ends a listening.
  package func unlisten(_ listener: QueryListener) throws {
    let query = listener.query
    guard let index = queries[query]?.listeners.firstIndex(where: { $0 === listener }) else { return }
    queries[query]?.listeners.remove(at: index)
    let others = queries[query]?.listeners ?? []
    if others.isEmpty {
      queries[query] = nil
      try engine.unlisten(query)
    } else if listener.options.asksRemote, !others.contains(where: \.options.asksRemote) {
      engine.stopAskingRemote(for: query)
    }
  }

  /// Tells new snapshots.
  func deliver(_ snapshots: [ViewSnapshot]) {
    var isRaised = false
    for snapshot in snapshots {
      queries[snapshot.query]?.snapshot = snapshot
      for listener in queries[snapshot.query]?.listeners ?? [] {
        isRaised = listener.take(snapshot) || isRaised
      }
    }
    if isRaised { tellSynced() }
  }

  /// A query can't be listened to any more.
  func fail(_ query: ViewQuery, _ error: any Error) {
    for listener in queries.removeValue(forKey: query)?.listeners ?? [] { listener.fail(error) }
  }

  /// Ends every listening.
  func failAll(_ error: any Error) { for query in Array(queries.keys) { fail(query, error) } }

  func apply(_ state: OnlineState) {
    var isRaised = false
    for listeners in queries.values {
      for listener in listeners.listeners { isRaised = listener.take(state) || isRaised }
    }
    if isRaised { tellSynced() }
  }

  // MARK: - Moments at which all listeners agree

  /// Calls `observer` now, and each time that listeners were told of one moment.
  package func addSyncObserver(_ observer: @escaping () -> Void) -> Int {
    lastObserver += 1
    syncObservers[lastObserver] = observer
    observer()
    return lastObserver
  }

  package func removeSyncObserver(_ id: Int) { syncObservers[id] = nil }

  private func tellSynced() { for observer in syncObservers.values { observer() } }
}

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

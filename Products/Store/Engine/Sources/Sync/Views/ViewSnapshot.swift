import TenonValues

/// The state of a view, and its changes since the previous snapshot.
///
/// A value type that shares its documents with the view and with other snapshots, so that copying one costs
/// O(1), and it can be read on any thread while the view changes.
package struct ViewSnapshot: Sendable {
  package let query: ListenQuery
  /// The documents of the result, in order.
  package private(set) var documents: DocumentSet
  /// The documents before the changes.
  package let oldDocuments: DocumentSet
  /// The changes; not used in a first snapshot, in which all documents were added.
  package private(set) var steps: ViewChanges
  /// Whether this is a first snapshot, in which all documents count as added.
  package private(set) var isFirst: Bool
  /// Whether the remote hasn't confirmed that the result is complete.
  package private(set) var isFromCache: Bool
  /// Whether the result has pending writes.
  package private(set) var hasPendingWrites: Bool
  /// Whether `isFromCache` has changed.
  private(set) var syncStateChanged: Bool
  /// Whether an earlier listener has received this result from the remote.
  private(set) var hasCachedResults: Bool

  init(
    query: ListenQuery, documents: DocumentSet, oldDocuments: DocumentSet, steps: ViewChanges, isFirst: Bool,
    isFromCache: Bool, hasPendingWrites: Bool, syncStateChanged: Bool, hasCachedResults: Bool
  ) {
    self.query = query
    self.documents = documents
    self.oldDocuments = oldDocuments
    self.steps = steps
    self.isFirst = isFirst
    self.isFromCache = isFromCache
    self.hasPendingWrites = hasPendingWrites
    self.syncStateChanged = syncStateChanged
    self.hasCachedResults = hasCachedResults
  }

  /// The changes by path.
  ///
  /// - Complexity: O(n) for the first snapshot, O(1) otherwise.
  package var changes: ViewChanges {
    guard isFirst else { return steps }
    var changes = ViewChanges()
    documents.entries.forEach { changes.track(.added, $0, before: nil) }
    return changes
  }

  /// Whether documents have changed.
  var hasChanges: Bool { isFirst ? !documents.isEmpty : !steps.isEmpty }

  /// The snapshot as a first snapshot, for a listener that hasn't received any. Its changes are computed only
  /// when they are read.
  var asInitial: ViewSnapshot {
    var snapshot = self
    (snapshot.isFirst, snapshot.steps, snapshot.syncStateChanged) = (true, ViewChanges(), true)
    return snapshot
  }

  /// The snapshot without changes of metadata alone.
  var withoutMetadataChanges: ViewSnapshot {
    var snapshot = self
    snapshot.steps = steps.withoutMetadata
    return snapshot
  }

  /// Merges the next snapshot into this one, which its reader hasn't received yet. The result has the state
  /// of the next one, and the changes of both.
  ///
  /// - Parameter next: the snapshot of the same listener that follows this one.
  /// - Complexity: O(k) for the k changes of the next snapshot; O(1) if this is a first snapshot.
  mutating func absorb(_ next: ViewSnapshot) {
    // A reader that hasn't received any snapshot receives the newest state as the first one.
    isFirst = isFirst || next.isFirst
    if isFirst { steps = ViewChanges() } else { steps.track(next.steps) }
    documents = next.documents
    isFromCache = next.isFromCache
    hasPendingWrites = next.hasPendingWrites
    syncStateChanged = syncStateChanged || next.syncStateChanged
    hasCachedResults = next.hasCachedResults
  }
}

extension ViewSnapshot {
  /// Returns the changes in Firestore's order: removals, then additions, then modifications, each in the
  /// query's order, with indices that are valid after the preceding changes have been applied.
  ///
  /// The changes are replayed on a copy of the previous result, which is a tree that counts its elements, so
  /// that each index is found without moving other documents. A modified document is removed from its
  /// previous position before its new position is determined. Not for a first snapshot.
  ///
  /// - Parameter make: makes a step of a change, whose metadata alone may have changed, and of the document's
  ///   index before and after it; `nil` for none.
  /// - Complexity: O(k log k + k log n) for k changes in a result of n documents.
  package func orderedSteps<Step>(
    _ make: (_ change: ViewChange, _ oldIndex: Int?, _ newIndex: Int?) -> Step
  ) -> [Step] {
    let ordered = steps.byPath.values.sorted { left, right in
      // A change of metadata alone counts as a modification.
      let (first, second) = (min(left.kind.rawValue, 2), min(right.kind.rawValue, 2))
      return first != second ? first < second : left.entry < right.entry
    }
    guard !oldDocuments.isEmpty else { return ordered.enumerated().map { make($1, nil, $0) } }
    // The result after the changes so far.
    var result = oldDocuments
    return ordered.map { change in
      let oldIndex = change.before.flatMap { result.index(of: $0) }
      if let before = change.before { result.remove(before) }
      guard change.kind != .removed else { return make(change, oldIndex, nil) }
      result.insert(change.entry)
      return make(change, oldIndex, result.index(of: change.entry))
    }
  }

  /// Returns the snapshot as the successor of a snapshot of another view of the same query, with the changes
  /// that lead from that one to this one.
  ///
  /// - Parameter old: the last snapshot of the other view.
  /// - Complexity: O(n) in the size of both results.
  func following(_ old: ViewSnapshot) -> ViewSnapshot {
    var former: [ResourcePath: DocumentSet.RankedDocument] = [:]
    old.documents.entries.forEach { former[$0.document.path] = $0 }
    var changes = ViewChanges()
    documents.entries.forEach { entry in
      guard let before = former.removeValue(forKey: entry.document.path) else {
        return changes.track(.added, entry, before: nil)
      }
      let (new, old) = (entry.document, before.document)
      if new.fields != old.fields || new.updateTime != old.updateTime || new.createTime != old.createTime {
        changes.track(.modified, entry, before: before)
      } else if new.hasLocalMutations != old.hasLocalMutations
        || new.hasCommittedMutations != old.hasCommittedMutations
      {
        changes.track(.metadata, entry, before: before)
      }
    }
    for removed in former.values { changes.track(.removed, removed, before: removed) }
    return ViewSnapshot(
      query: query, documents: documents, oldDocuments: old.documents, steps: changes, isFirst: false,
      isFromCache: isFromCache, hasPendingWrites: hasPendingWrites,
      syncStateChanged: isFromCache != old.isFromCache, hasCachedResults: hasCachedResults)
  }
}

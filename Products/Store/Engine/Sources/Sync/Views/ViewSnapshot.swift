package import TenonValues

/// The state of a view, and its changes since the previous snapshot.
///
/// A view builds its next snapshot in place: ``replace(_:by:_:)`` and ``remove(_:)`` change the documents and
/// record how. A value type that shares its documents with the view and with other snapshots, so that copying
/// one costs O(1), and it can be read on any thread while the view changes.
package struct ViewSnapshot: Sendable {
  /// The change of one document, with what is needed to determine its indices later; see
  /// ``orderedSteps(_:)``.
  package struct Change: Sendable {
    /// The kind of change. The raw values order the changes of a snapshot.
    package enum Kind: Int, Sendable {
      /// The kinds, in the order in which changes are reported.
      case removed, added, modified, metadata
    }

    /// The kind, combined from all changes of the document since the previous snapshot.
    package let kind: Kind
    /// The document with its position; for a removal, its last state.
    let entry: DocumentSet.RankedDocument
    /// The document with its position before the change; `nil` for an addition.
    let before: DocumentSet.RankedDocument?

    /// The document; for a removal, its last state.
    package var document: StoredDocument { entry.document }
  }

  package let query: ListenQuery
  /// The documents of the result, in order.
  package private(set) var documents: DocumentSet
  /// The documents before the changes.
  package private(set) var oldDocuments: DocumentSet
  /// The changes by the path of the document; not used in a first snapshot, in which all documents were
  /// added.
  ///
  /// Changes of the same document are merged, so that they describe how one result leads to another,
  /// regardless of the states in between.
  package private(set) var steps: [ResourcePath: Change] = [:]
  /// Whether this is a first snapshot, in which all documents count as added.
  package private(set) var isFirst = true
  /// Whether the remote hasn't confirmed that the result is complete.
  package private(set) var isFromCache = true
  /// Whether the result has pending writes.
  package private(set) var hasPendingWrites = false
  /// Whether `isFromCache` has changed.
  private(set) var syncStateChanged = false
  /// Whether an earlier listener has received this result from the remote.
  private(set) var hasCachedResults = false

  /// Creates the first snapshot of a view, before it is completed.
  init(query: ListenQuery, documents: DocumentSet) {
    (self.query, self.documents, oldDocuments) = (query, documents, documents)
  }

  /// The changes by path.
  ///
  /// - Complexity: O(n) for the first snapshot, O(1) otherwise.
  package var changes: [ResourcePath: Change] {
    guard isFirst else { return steps }
    var changes: [ResourcePath: Change] = [:]
    documents.entries.forEach {
      changes[$0.document.path] = Change(kind: .added, entry: $0, before: nil)
    }
    return changes
  }

  /// Whether documents have changed.
  var hasChanges: Bool { isFirst ? !documents.isEmpty : !steps.isEmpty }

  /// The snapshot as a first snapshot, for a listener that hasn't received any. Its changes are computed only
  /// when they are read.
  var asInitial: ViewSnapshot {
    var snapshot = self
    (snapshot.isFirst, snapshot.steps, snapshot.syncStateChanged) = (true, [:], true)
    return snapshot
  }

  /// The snapshot without changes of metadata alone.
  var withoutMetadataChanges: ViewSnapshot {
    guard steps.values.contains(where: { $0.kind == .metadata }) else { return self }
    var snapshot = self
    snapshot.steps = steps.filter { $0.value.kind != .metadata }
    return snapshot
  }
}

// MARK: - Building

extension ViewSnapshot {
  /// Inserts a document in place of its previous state; `nil` if the result didn't contain it.
  mutating func replace(
    _ old: DocumentSet.RankedDocument?, by new: DocumentSet.RankedDocument, _ kind: Change.Kind
  ) {
    if let old { documents.remove(old) }
    documents.insert(new)
    track(kind, new, before: old)
  }

  /// Removes a document.
  mutating func remove(_ old: DocumentSet.RankedDocument) {
    documents.remove(old)
    track(.removed, old, before: old)
  }

  /// Merges a later change of a document. For example, an addition followed by a removal is no change, and a
  /// removal followed by an addition is a modification. The rules are those of Firestore's clients.
  ///
  /// - Parameters:
  ///   - kind: the kind of the later change.
  ///   - entry: the document after it; for a removal, its last state.
  ///   - before: the document before it; `nil` for an addition.
  private mutating func track(
    _ kind: Change.Kind, _ entry: DocumentSet.RankedDocument, before: DocumentSet.RankedDocument?
  ) {
    let path = entry.document.path
    guard let old = steps[path] else {
      steps[path] = Change(kind: kind, entry: entry, before: before)
      return
    }
    func replace(with kind: Change.Kind, _ entry: DocumentSet.RankedDocument) {
      steps[path] = Change(kind: kind, entry: entry, before: old.before)
    }
    switch (old.kind, kind) {
    case (.added, .removed): steps[path] = nil
    case (.added, _): replace(with: .added, entry)
    // The result contains the document again.
    case (.removed, .added): replace(with: .modified, entry)
    // The previous state of the document is removed.
    case (_, .removed): replace(with: .removed, old.entry)
    case (.modified, .metadata): replace(with: .modified, entry)
    default: replace(with: kind, entry)
    }
  }

  /// Completes the snapshot and returns it, unless a listener would see no difference. This value becomes the
  /// next one, which has no changes yet.
  ///
  /// - Parameters:
  ///   - isFromCache: whether the remote hasn't confirmed that the result is complete.
  ///   - hasPendingWrites: whether the result has pending writes.
  ///   - hasCachedResults: whether an earlier listener has received this result from the remote.
  mutating func taken(isFromCache: Bool, hasPendingWrites: Bool, hasCachedResults: Bool) -> ViewSnapshot? {
    syncStateChanged = isFirst || self.isFromCache != isFromCache
    self.isFromCache = isFromCache
    self.hasPendingWrites = hasPendingWrites
    self.hasCachedResults = hasCachedResults
    let snapshot = self
    (oldDocuments, steps, isFirst) = (documents, [:], false)
    return !snapshot.steps.isEmpty || snapshot.syncStateChanged ? snapshot : nil
  }

  /// Merges the next snapshot into this one, which its reader hasn't received yet. The result has the state
  /// of the next one, and the changes of both.
  ///
  /// - Parameter next: the snapshot of the same listener that follows this one.
  /// - Complexity: O(k) for the k changes of the next snapshot; O(1) if this is a first snapshot.
  mutating func absorb(_ next: ViewSnapshot) {
    // A reader that hasn't received any snapshot receives the newest state as the first one.
    isFirst = isFirst || next.isFirst
    if isFirst {
      steps = [:]
    } else {
      for change in next.steps.values { track(change.kind, change.entry, before: change.before) }
    }
    documents = next.documents
    isFromCache = next.isFromCache
    hasPendingWrites = next.hasPendingWrites
    syncStateChanged = syncStateChanged || next.syncStateChanged
    hasCachedResults = next.hasCachedResults
  }
}

// MARK: - Comparing

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
    _ make: (_ change: Change, _ oldIndex: Int?, _ newIndex: Int?) -> Step
  ) -> [Step] {
    let ordered = steps.values.sorted { left, right in
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
    var next = self
    (next.oldDocuments, next.steps, next.isFirst) = (old.documents, [:], false)
    next.syncStateChanged = isFromCache != old.isFromCache
    documents.entries.forEach { entry in
      guard let before = former.removeValue(forKey: entry.document.path) else {
        return next.track(.added, entry, before: nil)
      }
      let (new, old) = (entry.document, before.document)
      if new.fields != old.fields || new.updateTime != old.updateTime || new.createTime != old.createTime {
        next.track(.modified, entry, before: before)
      } else if new.hasLocalMutations != old.hasLocalMutations
        || new.hasCommittedMutations != old.hasCommittedMutations
      {
        next.track(.metadata, entry, before: before)
      }
    }
    for removed in former.values { next.track(.removed, removed, before: removed) }
    return next
  }
}

import TenonDocuments
import TenonStoreInterop

/// The state of a view, and what has changed since the state before.
package struct ViewSnapshot: Sendable {
  package let query: ViewQuery
  private(set) var documents: DocumentSet
  /// The documents before the changes.
  let oldDocuments: DocumentSet
  /// What has changed; empty in the first snapshot, in which all documents were added.
  private(set) var steps: ViewChanges
  /// Whether all documents count as added.
  private(set) var isFirst: Bool
  /// Whether the remote hasn't confirmed that the result is complete.
  package private(set) var isFromCache: Bool
  /// Whether the result has pending writes.
  package private(set) var hasPendingWrites: Bool
  /// Whether `isFromCache` has changed.
  private(set) var syncStateChanged: Bool
  /// Whether an earlier listener has received this result from the remote.
  private(set) var hasCachedResults: Bool

  init(
    query: ViewQuery, documents: DocumentSet, oldDocuments: DocumentSet, steps: ViewChanges, isFirst: Bool,
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

  /// What has changed, by the documents' paths.
  ///
  /// Complexity: O(n) for the first snapshot, O(1) otherwise.
  package var changes: ViewChanges {
    guard isFirst else { return steps }
    var changes = ViewChanges()
    documents.entries.forEach { changes.track(.added, $0, before: nil) }
    return changes
  }

  /// Whether documents changed.
  var hasChanges: Bool { isFirst ? !documents.isEmpty : !steps.isEmpty }

  /// The same result as a first snapshot.
  var asInitial: ViewSnapshot {
    var snapshot = self
    (snapshot.isFirst, snapshot.steps, snapshot.syncStateChanged) = (true, ViewChanges(), true)
    return snapshot
  }

  /// The snapshot without changes of metadata only.
  var withoutMetadataChanges: ViewSnapshot {
    var snapshot = self
    snapshot.steps = steps.withoutMetadata
    return snapshot
  }

  /// Combines the snapshot with the next one, for a reader that hasn't read it yet.
  mutating func absorb(_ next: ViewSnapshot) {
    // A reader that has read nothing yet gets the newest state as the first one.
    isFirst = isFirst || next.isFirst
    if isFirst { steps = ViewChanges() } else { steps.track(next.steps) }
    documents = next.documents
    isFromCache = next.isFromCache
    hasPendingWrites = next.hasPendingWrites
    syncStateChanged = syncStateChanged || next.syncStateChanged
    hasCachedResults = next.hasCachedResults
  }
}

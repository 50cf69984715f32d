import TenonDocuments
import TenonStoreInterop

/// A view at one moment, and what changed since the moment before.
package struct ViewSnapshot: Sendable {
  package let query: ViewQuery
  let documents: DocumentSet
  let oldDocuments: DocumentSet
  package let changes: ViewChanges
  /// Whether the remote hasn't confirmed that this is all.
  package let isFromCache: Bool
  /// Whether the result holds writes of this device that the remote hasn't confirmed.
  package let hasPendingWrites: Bool
  /// Whether `isFromCache` has changed.
  let syncStateChanged: Bool
  /// Whether an earlier listening has got this result from the remote.
  let hasCachedResults: Bool

  /// The same result as if it was the first.
  var asInitial: ViewSnapshot {
    var changes = ViewChanges()
    for document in documents.documents { changes.track(.added, document) }
    return ViewSnapshot(
      query: query, documents: documents, oldDocuments: DocumentSet(order: query.order), changes: changes,
      isFromCache: isFromCache, hasPendingWrites: hasPendingWrites, syncStateChanged: true,
      hasCachedResults: hasCachedResults)
  }

  /// The snapshot with other changes.
  func with(_ changes: ViewChanges) -> ViewSnapshot {
    ViewSnapshot(
      query: query, documents: documents, oldDocuments: oldDocuments, changes: changes,
      isFromCache: isFromCache,
      hasPendingWrites: hasPendingWrites, syncStateChanged: syncStateChanged,
      hasCachedResults: hasCachedResults)
  }
}

package import TenonDocuments
package import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

extension StoreEngine {
  /// Returns the number of documents of a query, and the user who begins their deletion; see
  /// ``Store/deleteCollection(_:onProgress:)``.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  package func beginDeletion(of query: ResolvedQuery) async throws -> (count: Int, user: String?) {
    try await useAsUser { (try $0.local.cancellableReader.count(of: query), $0.local.user) }
  }

  /// Deletes the next documents of a collection; see ``Store/deleteCollection(_:onProgress:)``.
  ///
  /// - Parameters:
  ///   - collection: the collection.
  ///   - key: the key after which to begin; empty for the start.
  ///   - user: the user who began the deletion.
  /// - Returns: the number of documents, and the key of the last one; `nil` if there are no more.
  /// - Throws: ``StoreError``; `CancellationError`, in which case nothing was deleted. If this waits for the
  ///   remote, also as ``answer(to:)``.
  package func deletePage(
    of collection: ResourcePath, after key: Data, as user: String?
  ) async throws -> (count: Int, end: Data)? {
    let page = try await deletePageHere(of: collection, after: key, as: user)
    if let awaited = page?.awaited { _ = try await answer(to: awaited) }
    return page.map { ($0.count, $0.end) }
  }

  /// Deletes the next documents of a collection on this device.
  ///
  /// - Returns: as ``deletePage(of:after:as:)``, and the batch if the call waits for the remote's answer.
  private func deletePageHere(
    of collection: ResourcePath, after key: Data, as user: String?
  ) async throws -> (count: Int, end: Data, awaited: AwaitedBatch?)? {
    try await useAsUser { running in
      try Task.checkCancellation()
      guard !running.local.isFinal(collection.id) else {
        if key.isEmpty, let count = try deleting({ try running.local.drop(collection) }) {
          running.sync.readViews(ofCollectionsWithID: collection.id)
          startBuilding(running)
          return (count: count, end: CollectionDeletion.end, awaited: nil)
        }
        let outcome = try deletingSteps(ofAtMost: CollectionDeletion.limit) {
          try running.local.deletePage(of: collection, after: key, limit: $0)
        }
        running.sync.updateViewsAfterWrite(outcome.changes)
        return outcome.result.end.map { (count: outcome.result.count, end: $0, awaited: nil) }
      }
      guard running.local.user == user else {
        throw StoreError(
          .cancelled, "Another user signed in while the collection \(collection.text) was being deleted.")
      }
      var page: [DocumentTable.Entry] = []
      var awaited: AwaitedBatch?
      try deletingSteps(ofAtMost: CollectionDeletion.batchLimit) { limit in
        let make: () throws -> BatchContent? = {
          page = try running.local.tables.deletion.page(of: collection, after: key, limit: limit)
          return page.isEmpty ? nil : BatchContent(page.map { DocumentWrite($0.path, .delete) })
        }
        if confirmsWrites {
          awaited = try self.awaited(running, making: make)
          startPolling(running)
        } else {
          _ = try running.sync.write(making: make, observer: BatchObserver(settle: { _ in }))
        }
      }
      return page.last.map { (page.count, $0.key, awaited) }
    }
  }

  /// Runs one step of a deletion. On a full disk, it deletes fewer documents, down to one, because a smaller
  /// transaction needs less space.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of documents.
  ///   - body: deletes up to a number of documents in one transaction.
  private func deletingSteps<Result>(
    ofAtMost limit: Int, _ body: (_ limit: Int) throws -> Result
  ) throws -> Result {
    var limit = limit
    while true {
      do { return try deleting { try body(limit) } } catch let error as SQLiteError where error.needsSpace {
        guard limit > 1 else { throw error }
        limit = max(limit / 20, 1)
      }
    }
  }
}

package import TenonDocuments
package import TenonFoundation
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
        let outcome = try running.local.deletePage(of: collection, after: key)
        running.sync.updateViewsAfterWrite(outcome.changes)
        return outcome.result.end.map { (count: outcome.result.count, end: $0, awaited: nil) }
      }
      guard running.local.user == user else {
        throw StoreError(
          .cancelled, "Another user signed in while the collection \(collection.text) was being deleted.")
      }
      var page: [DocumentTable.Entry] = []
      let make: () throws -> BatchContent? = {
        page = try running.local.tables.deletion.page(
          of: collection, after: key, limit: CollectionDeletion.batchLimit)
        return page.isEmpty ? nil : BatchContent(page.lazy.map { DocumentWrite($0.path, .delete) })
      }
      var awaited: AwaitedBatch?
      if confirmsWrites {
        awaited = try self.awaited(running, making: make)
        startPolling(running)
      } else {
        _ = try running.sync.write(making: make, observer: BatchObserver(settle: { _ in }))
      }
      return page.last.map { (page.count, $0.key, awaited) }
    }
  }
}

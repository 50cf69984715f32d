import TenonCore
import TenonDocuments
package import TenonStoreInterop

extension StoreEngine {
  /// Checks that documents of a collection can be evicted, because the remote has them.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition``.
  package func checkEviction(of collectionID: String) async throws {
    if try await isLocal(collectionID) {
      throw StoreError(
        .failedPrecondition,
        "The collection \"\(collectionID)\" exists only on this device, so its documents can't be evicted: there is no "
          + "other copy of them. To delete them, use delete() or Store.deleteCollection(_:).")
    }
    guard configuration.remote == nil else { return }
    throw StoreError(
      .failedPrecondition,
      configuration.isLocalOnly
        ? "Documents of a local-only database can't be evicted: there is no other copy of them. "
          + "To delete them, use delete() or Store.deleteCollection(_:)."
        : "Documents can't be evicted while the database has no remote, from which they could be read again. "
          + "Link a library that provides one.")
  }

  /// Evicts documents in steps; see ``QuerySource/evict()``.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  package func evict(_ paths: [ResourcePath]) async throws -> EvictionResult {
    var total = EvictionResult(documentsEvicted: 0, documentsKept: 0)
    var rest = paths[...]
    while !rest.isEmpty {
      let step = rest.prefix(Eviction.limit)
      rest = rest.dropFirst(step.count)
      let result = try await evictStep(step)
      total.documentsEvicted += result.documentsEvicted
      total.documentsKept += result.documentsKept
      await Task.yield()
    }
    return total
  }

  /// Evicts documents in one transaction.
  private func evictStep(_ paths: ArraySlice<ResourcePath>) async throws -> EvictionResult {
    try await useAsUser { running in
      try Task.checkCancellation()
      // The views must include all writes, because they decide which documents are shown.
      running.sync.updateViews()
      let outcome = try running.local.evict(paths) { !running.sync.views.queries(of: $0).isEmpty }
      running.sync.updateViewsAfterWrite(outcome.changes)
      return outcome.result
    }
  }
}

import TenonDocuments
import TenonStoreInterop
import TenonValues

/// The result of an eviction.
public struct EvictionResult: Sendable, Hashable {
  /// The number of documents that were removed from this device.
  public internal(set) var documentsEvicted: Int
  /// The number of documents that were kept, because they have pending writes, a listener shows them, or they are
  /// pinned.
  public internal(set) var documentsKept: Int
}

extension Queryable {
  /// Removes the documents of the query from this device. The remote keeps them, and they are read from it again when
  /// they are needed.
  ///
  /// ```swift
  /// let old = store.collection("messages").whereField("sent", isLessThan: lastYear)
  /// print(try await old.evict().documentsEvicted)
  /// ```
  ///
  /// These are kept: documents with pending writes of any user, documents that a listener of this process shows, and
  /// pinned ones (``pin()``). Which documents belong to the query is determined at the beginning, on this device. They
  /// are removed in steps of up to 500, so that other operations run in between; a step is durable. If the task is
  /// cancelled or an error is thrown, what was evicted stays evicted. Cache listeners of other processes no longer show
  /// the documents; their other listeners request them again from the remote.
  ///
  /// The space is used for later writes; the file doesn't become smaller.
  ///
  /// - Returns: the numbers of evicted and kept documents.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule, and with
  ///   ``StoreError/Code/failedPrecondition`` if this device has the only copy of the documents: in a local-only
  ///   database, in one that waits for a remote, and for a collection that exists only on this device.
  ///   `CancellationError`.
  /// - Complexity: O(n) in the number of documents of the query, whose paths are kept in memory, and of those of other
  ///   queries that contained them.
  @discardableResult
  public func evict() async throws -> EvictionResult {
    let query = query
    let engine = query.store.engine
    let run = try query.runnable(isSent: false).run
    try await engine.checkEviction(of: query.structure.collectionID)
    return try await engine.evict(try await engine.read { try $0.paths(of: run) })
  }
}

extension DocumentReference {
  /// Removes the document from this device; the rules are those of ``Queryable/evict()``. A document that isn't on this
  /// device is neither evicted nor kept.
  ///
  /// - Returns: the numbers of evicted and kept documents, one of which is 1 if the document is on this device.
  /// - Throws: as ``Queryable/evict()``.
  @discardableResult
  public func evict() async throws -> EvictionResult {
    let path = try checkedPath()
    try await store.engine.checkEviction(of: parent.collectionID)
    return try await store.engine.evict([path])
  }
}

extension StoreEngine {
  /// Checks that documents of a collection can be evicted, because the remote has them.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition``.
  func checkEviction(of collectionID: String) async throws {
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

  /// Evicts documents in steps; see ``Queryable/evict()``.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  func evict(_ paths: [ResourcePath]) async throws -> EvictionResult {
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

import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop
import TenonValues

extension QuerySource {
  /// Removes the documents of the query from this device. The remote keeps them, and they are read from it
  /// again when they are needed.
  ///
  /// ```swift
  /// let old = store.collection("messages").whereField("sent", isLessThan: lastYear)
  /// print(try await old.evict().documentsEvicted)
  /// ```
  ///
  /// These are kept: documents with pending writes of any user, documents that a listener of this process
  /// shows, and pinned ones (``pin()``). Which documents belong to the query is determined at the beginning,
  /// on this device. They are removed in steps of up to 500, so that other operations run in between; a step
  /// is durable. If the task is cancelled or an error is thrown, what was evicted stays evicted. Cache
  /// listeners of other processes no longer show the documents; their other listeners request them again from
  /// the remote.
  ///
  /// The space is used for later writes; the file doesn't become smaller.
  ///
  /// - Returns: the numbers of evicted and kept documents.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule, and with
  ///   ``StoreError/Code/failedPrecondition`` if this device has the only copy of the documents: in a
  ///   local-only database, in one that waits for a remote, and for a collection that exists only on this
  ///   device. `CancellationError`.
  /// - Complexity: O(n) in the number of documents of the query, whose paths are kept in memory, and of those
  ///   of other queries that contained them.
  @discardableResult
  public func evict() async throws -> EvictionResult {
    let query = query
    let engine = query.store.engine
    let run = try query.runnable(isSent: false).run
    try await engine.checkEviction(of: query.structure.collectionID)
    return try await engine.evict(try await engine.paths(of: run))
  }
}

extension DocumentReference {
  /// Removes the document from this device; the rules are those of ``QuerySource/evict()``. A document that
  /// isn't on this device is neither evicted nor kept.
  ///
  /// - Returns: the numbers of evicted and kept documents, one of which is 1 if the document is on this
  ///   device.
  /// - Throws: as ``QuerySource/evict()``.
  @discardableResult
  public func evict() async throws -> EvictionResult {
    let path = try checkedPath()
    try await store.engine.checkEviction(of: parent.collectionID)
    return try await store.engine.evict([path])
  }
}

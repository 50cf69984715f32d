import TenonDocuments
public import TenonFoundation
import TenonStoreEngine
import TenonValues

extension Store {
  /// Deletes the documents of a collection that are on this device.
  ///
  /// ```swift
  /// try await store.deleteCollection("logs") { print($0.fractionCompleted) }
  /// ```
  ///
  /// The documents are deleted in steps, in the order of their IDs, so that memory is limited and other
  /// operations run in between. A step is durable before it is reported: if the task is cancelled, the
  /// process ends or an error is thrown, what was deleted stays deleted, and calling this again deletes the
  /// rest. A document that is added during this is deleted if its ID follows those deleted so far.
  /// Collections below the documents are kept, as by ``DocumentReference/delete(if:)``.
  ///
  /// In a local-only database and in a collection that exists only on this device, the deletion is final. A
  /// collection of 10,000 documents or more is then deleted in a single step of some milliseconds: no read, query
  /// or listener of any process finds its documents any more, and their space in the file is freed in the
  /// background, also after a restart (``buildIndexes(onProgress:)`` waits for that). Until then, the ranks of a
  /// text search still depend on their texts. A smaller collection is deleted in steps of up to 2,000 documents.
  ///
  /// Otherwise a step is a batch of up to 500 deletions in the queue, as if the app had written it: listeners no
  /// longer show the documents, and the remote deletes them when it can be reached
  /// (``waitForPendingWrites()``). Only documents that this device knows are deleted: to delete a collection
  /// of which it has a part, read the others first, or delete it on the server.
  ///
  /// - Parameters:
  ///   - path: the collection's path, for example `rooms/den/messages`.
  ///   - onProgress: called after each step with the number of documents that have been deleted, of those
  ///     that existed at the start, or more if others were added since. The deletion waits for it.
  /// - Returns: the number of documents that were deleted.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the path isn't that of a
  ///   collection, with ``StoreError/Code/cancelled`` if another user signed in during this;
  ///   `CancellationError`.
  /// - Complexity: O(n) for n documents, plus the deletion of their index entries. A large collection whose
  ///   deletion is final is only counted.
  @discardableResult
  public func deleteCollection(
    _ path: String, onProgress: @Sendable (OperationProgress) -> Void = { _ in }
  ) async throws -> Int {
    let collection = ResourcePath(unchecked: path)
    try checked { () throws(DocumentError) in try collection.checkCollection() }
    let query = try self.collection(path).query.runnable().run
    let (total, user) = try await engine.beginDeletion(of: query)
    var (deleted, end) = (0, Data())
    while let step = try await engine.deletePage(of: collection, after: end, as: user) {
      (deleted, end) = (deleted + step.count, step.end)
      onProgress(
        OperationProgress(
          completedUnitCount: Int64(clamping: deleted), totalUnitCount: Int64(clamping: max(total, deleted))))
      await Task.yield()
    }
    return deleted
  }
}

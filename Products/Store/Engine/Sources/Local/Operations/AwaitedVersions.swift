import TenonValues

/// The versions that a batch gives its documents at the remote, for later writes in the queue that await
/// them.
///
/// A transaction that reads a document with pending writes reads their result, whose version isn't known yet.
/// Its write awaits that version (``PendingWrite/awaitsVersion``): it becomes the write's precondition when
/// the last of the pending writes is committed, in the same transaction, so that the remote refuses the write
/// if others have changed the document after them. If one of them is refused or cancelled, what the
/// transaction read never existed, and the write gets a precondition that never holds. The remote then
/// refuses it, and so those that await its own version.
struct AwaitedVersions {
  /// The batch, which has been removed from the queue.
  private let batch: PendingBatch
  /// The version of each document after the batch; `nil` for one that it has deleted.
  private var versions: [ResourcePath: Timestamp?] = [:]

  /// Creates an object that knows no versions.
  init(_ batch: PendingBatch) { self.batch = batch }

  /// Adds the result of a write of the batch.
  mutating func add(_ write: DocumentWrite, _ version: Timestamp) {
    if case .delete = write.operation {
      versions.updateValue(nil, forKey: write.document)
    } else {
      versions[write.document] = version
    }
  }

  /// Completes the writes that await a version of this batch: for each document, those of the first batch
  /// that remains. Later ones await its version.
  ///
  /// - Throws: `SQLiteError`; `DocumentError` if a batch can't be decoded.
  func settle(in queue: QueueTable, of user: String?, in transaction: WriteTransaction) throws {
    for (path, version) in versions {
      guard let next = try queue.batches(writing: path, of: user, limit: 1).first else { continue }
      try Self.complete(
        next, at: path, with: version.map { .updated($0) } ?? PendingWrite.never, in: queue, transaction)
    }
  }

  /// Makes all later writes fail that await a version of the documents of this batch, which was refused or
  /// cancelled.
  ///
  /// - Throws: `SQLiteError`; `DocumentError` if a batch can't be decoded.
  func fail(in queue: QueueTable, of user: String?, in transaction: WriteTransaction) throws {
    for path in batch.paths {
      for later in try queue.batches(writing: path, of: user) where later.id > batch.id {
        try Self.complete(later, at: path, with: PendingWrite.never, in: queue, transaction)
      }
    }
  }

  /// Sets the precondition of a batch's write that awaits the version of a document; no effect if there is
  /// none.
  private static func complete(
    _ batch: PendingBatch, at path: ResourcePath, with precondition: WritePrecondition, in queue: QueueTable,
    _ transaction: WriteTransaction
  ) throws {
    var writes = batch.writes
    guard let index = writes.firstIndex(where: { $0.awaitsVersion && $0.write.document == path }) else {
      return
    }
    writes[index].write.precondition = precondition
    writes[index].awaitsVersion = false
    try queue.replace(writes, of: batch.id, in: transaction)
  }
}

import TenonValues

/// The versions that a batch gives its documents at the remote, for later batches in the queue that await
/// them.
///
/// A transaction that reads a document with pending writes reads their result, whose version isn't known yet.
/// Its condition (``ReadCondition``), or its own write to the document (``WriteNote/awaitsVersion``),
/// awaits that version. It is completed when the last of the pending writes is committed, in the same
/// transaction, so that the remote refuses the batch if others have changed the document after them. If one
/// of the writes is refused or cancelled, what the transaction read never existed; see ``BatchResolution``.
struct AwaitedVersions {
  /// The version of each document after the batch; `nil` for one that it has deleted.
  private var versions: [ResourcePath: Timestamp?] = [:]

  /// Creates an object that knows no versions.
  init() {}

  /// Adds the result of a write of the batch.
  mutating func add(_ write: DocumentWrite, _ version: Timestamp) {
    if case .delete = write.operation {
      versions.updateValue(nil, forKey: write.document)
    } else {
      versions[write.document] = version
    }
  }

  /// Completes what awaits a version of the batch, which has been removed from the queue: for each document,
  /// the conditions of those that only read it, up to the first batch that writes to it, and that batch's
  /// write. Later ones await the version of that batch.
  ///
  /// - Throws: `SQLiteError`; `DocumentError` if a batch can't be decoded.
  func settle(in queue: QueueTable, of user: String?, in transaction: WriteTransaction) throws {
    for (path, version) in versions {
      let precondition = version.map { WritePrecondition.updated($0) } ?? .never
      let next = try queue.batches(writing: path, of: user, limit: 1).first
      for reader in try queue.batches(awaiting: path, of: user) where reader.id < next?.id ?? .max {
        var content = reader.content
        guard let index = content.reads.firstIndex(where: { $0.awaitsVersion && $0.document == path }) else {
          continue
        }
        content.reads[index].precondition = precondition
        try queue.replace(content, of: reader.id, in: transaction)
      }
      guard let next, let index = next.content.index(awaiting: path) else { continue }
      var content = next.content
      content.writes[index].precondition = precondition
      content[note: index].awaitsVersion = false
      try queue.replace(content, of: next.id, in: transaction)
    }
  }
}

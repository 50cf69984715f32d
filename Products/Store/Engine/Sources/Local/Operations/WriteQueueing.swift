import TenonDocuments
import TenonFoundation
import TenonValues

/// Appends writes to the queue, and makes their effect visible. Both happen in the caller's transaction, so
/// that the queue and the documents agree after every commit.
struct WriteQueueing {
  let documents: DocumentTable
  let queue: QueueTable
  let users: UserTable
  let overlays: Overlays
  let changes: ChangeLog

  /// Appends writes of the current user to the queue, and makes their effect visible.
  ///
  /// - Parameters:
  ///   - content: the writes, whose base values are recorded again, and their conditions.
  ///   - time: the time at which they are made.
  ///   - uuid: the unique ID of the batch; a new one by default.
  ///   - transaction: the transaction.
  ///   - check: called with each write and the overlay to which it is applied; throws if the write isn't
  ///     allowed. By default, every write is.
  /// - Returns: the batch.
  /// - Throws: what `check` throws; `DocumentError` if a result isn't a valid document; `SQLiteError`.
  /// - Complexity: O(n) in the number of writes, plus the cost of applying earlier pending writes to
  ///   documents that users don't see.
  func append(
    _ content: BatchContent, at time: Timestamp, uuid: UUID = UUID(), in transaction: WriteTransaction,
    checking check: (DocumentOverlay, DocumentWrite) throws -> Void = { _, _ in }
  ) throws -> PendingBatch {
    var content = content
    changes.reserveCapacity(content.writes.count)
    // The written documents, in the order of their first writes, and where each of them is.
    var written: [DocumentOverlay] = []
    var places: [ResourcePath: Int] = Dictionary(minimumCapacity: content.writes.count)
    for index in content.writes.indices {
      let write = content.writes[index]
      let place = places[write.document] ?? written.count
      if place == written.count {
        written.append(try overlays.overlay(of: write.document, in: transaction))
        places[write.document] = place
        if content.isConditional(at: index) {
          content[note: index].seen = written[place].fields.map(WriteNote.SeenDocument.found) ?? .missing
        }
      }
      try check(written[place], write)
      let bases = write.incrementBases(in: written[place].fields, isPartial: written[place].isPartial)
      if !bases.isEmpty { content[note: index].bases = bases }
      try written[place].apply(write, bases: bases, at: time)
    }
    let documents = written.map { (collection: $0.rows.collection, name: $0.path.id) }
    let batch = try queue.append(
      content, to: documents, of: users.current, time: time, uuid: uuid, in: transaction)
    for overlay in written { try overlays.save(overlay, in: transaction) }
    return batch
  }

  /// Appends writes of any user to the queue, unless it already contains a batch with the ID.
  ///
  /// - Parameters:
  ///   - content: the writes and their conditions.
  ///   - owner: the ID of their user; `nil` for the signed-out user. If it isn't the current user, that
  ///     user's writes are shown while the batch is appended, because its overlays depend on them.
  ///   - time: the time at which the writes were made.
  ///   - uuid: the unique ID of the batch.
  ///   - transaction: the transaction.
  /// - Returns: the number of documents written to; 0 if the batch was already queued.
  /// - Throws: `DocumentError` if a result isn't a valid document; `SQLiteError`.
  func restore(
    _ content: BatchContent, of owner: String?, at time: Timestamp, uuid: UUID,
    in transaction: WriteTransaction
  ) throws -> Int {
    guard try !queue.contains(uuid) else { return 0 }
    let present = users.current
    // The writes of other users aren't visible.
    if owner != present { try overlays.showWrites(of: owner, in: transaction) }
    let batch = try append(content, at: time, uuid: uuid, in: transaction)
    if owner != present { try overlays.showWrites(of: present, in: transaction) }
    return batch.paths.count
  }

  /// Appends a write for every document, each as a batch: documents from the time before there was a remote
  /// are sent to it.
  ///
  /// - Parameters:
  ///   - time: the time of the writes.
  ///   - transaction: the transaction, which contains all documents; memory holds a page of them at a time.
  ///   - isShared: returns whether a document is sent.
  /// - Throws: `SQLiteError`; ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be
  ///   decoded.
  /// - Complexity: O(n) in the number of documents.
  func appendAllDocuments(
    at time: Timestamp, in transaction: WriteTransaction, where isShared: (ResourcePath) -> Bool
  ) throws {
    try documents.forEachPage { page in
      for document in page where isShared(document.path) {
        // The state of the documents at the remote isn't known yet.
        try documents.put(nil, at: document.path, in: transaction)
        _ = try append(
          BatchContent([DocumentWrite(document.path, .set(document.fields))]), at: time, in: transaction)
      }
    }
  }
}

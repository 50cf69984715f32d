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
  ///     allowed. It isn't called for the first write to a document if that replaces it whatever it was. By
  ///     default, every write is allowed.
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
    var written: [WrittenDocument] = []
    written.reserveCapacity(content.writes.count)
    var places: [ResourcePath: Int] = Dictionary(minimumCapacity: content.writes.count)
    for index in content.writes.indices {
      let write = content.writes[index]
      guard let place = places[write.document] else {
        places[write.document] = written.count
        written.append(try first(write, at: index, of: &content, at: time, in: transaction, checking: check))
        continue
      }
      var overlay: DocumentOverlay
      switch written[place] {
      case .overlay(let present): overlay = present
      case .replaced(let replaced):
        overlay = try overlays.overlay(of: write.document, in: transaction)
        try overlay.apply(content.writes[replaced.write], at: time)
      }
      try apply(write, at: index, of: &content, to: &overlay, at: time, checking: check)
      written[place] = .overlay(overlay)
    }
    var encoded = WriteCoding.encoded(content)
    let batch = try queue.append(
      content, &encoded, to: written.map(\.row), of: users.current, time: time, uuid: uuid, in: transaction)
    for document in written {
      switch document {
      case .overlay(let overlay): try overlays.save(overlay, in: transaction)
      case .replaced(let replaced):
        try overlays.save(replaced, encoded: encoded.fields(of: replaced, in: content), in: transaction)
      }
    }
    return batch
  }

  /// A document after the writes of a batch to it.
  private enum WrittenDocument {
    /// It was replaced by one write.
    case replaced(ReplacedDocument)
    /// It was changed in another way.
    case overlay(DocumentOverlay)

    /// The number of the collection, and the ID.
    var row: (collection: Int64, name: String) {
      switch self {
      case .replaced(let replaced): (replaced.collection, replaced.path.id)
      case .overlay(let overlay): (overlay.rows.collection, overlay.path.id)
      }
    }
  }

  /// Applies the first write of a batch to a document.
  ///
  /// - Parameter index: the position of the write in the batch.
  /// - Throws: as ``append(_:at:uuid:in:checking:)``.
  private func first(
    _ write: DocumentWrite, at index: Int, of content: inout BatchContent, at time: Timestamp,
    in transaction: WriteTransaction, checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws -> WrittenDocument {
    if content.isReplacement(at: index), let fields = try write.result(on: nil, at: time) {
      return .replaced(
        try overlays.replacement(of: write.document, with: fields, by: index, in: transaction))
    }
    var overlay = try overlays.overlay(of: write.document, in: transaction)
    if content.isConditional(at: index) {
      content[note: index].seen = overlay.fields.map(WriteNote.SeenDocument.found) ?? .missing
    }
    try apply(write, at: index, of: &content, to: &overlay, at: time, checking: check)
    return .overlay(overlay)
  }

  /// Applies a write to an overlay, and records the base values of its increments.
  private func apply(
    _ write: DocumentWrite, at index: Int, of content: inout BatchContent, to overlay: inout DocumentOverlay,
    at time: Timestamp, checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws {
    try check(overlay, write)
    let bases = write.incrementBases(in: overlay.fields, isPartial: overlay.isPartial)
    if !bases.isEmpty { content[note: index].bases = bases }
    try overlay.apply(write, bases: bases, at: time)
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

extension WriteCoding.EncodedBatch {
  /// Returns the encoded fields of a replaced document, which the batch contains; `nil` if they differ from
  /// those of the write, because timestamps were truncated.
  fileprivate func fields(of replaced: ReplacedDocument, in content: BatchContent) -> [UInt8]? {
    guard case .set(let fields) = content.writes[replaced.write].operation, fields == replaced.fields,
      let range = replacements[replaced.write]
    else { return nil }
    return Array(bytes[range])
  }
}

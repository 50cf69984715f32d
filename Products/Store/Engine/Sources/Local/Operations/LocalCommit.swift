import TenonDocuments
import TenonSQLite
import TenonValues

/// Commits writes that need no confirmation by a remote: those of local-only databases, whose documents have
/// no bases, overlays or pending writes.
struct LocalCommit {
  let collections: CollectionTable
  let documents: DocumentTable
  let changes: ChangeLog

  /// Applies writes to the documents. A write that leaves the fields unchanged doesn't change the update time
  /// either.
  ///
  /// - Parameters:
  ///   - writes: the writes, applied in order; later ones see the results of earlier ones.
  ///   - time: the time at which the writes are made.
  ///   - transaction: the transaction, which must be rolled back if this throws.
  /// - Throws: ``StoreError`` if a precondition doesn't hold; `DocumentError` if a result isn't a valid
  ///   document; `SQLiteError`.
  func commit(_ writes: [DocumentWrite], at time: Timestamp, in transaction: WriteTransaction) throws {
    changes.reserveCapacity(writes.count)
    // The writes of a large batch often concern either new documents or existing ones.
    var expectsNew = false
    for write in writes {
      let collection = try collections.number(containing: write.document, in: transaction)
      if expectsNew, try insert(write, in: collection, at: time, in: transaction) { continue }
      let entry = try documents.entry(of: write.document, in: collection)
      expectsNew = entry == nil
      try commit(write, in: collection, replacing: entry, at: time, in: transaction)
    }
  }

  /// Applies a write to a document that is assumed not to exist.
  ///
  /// - Returns: whether it was applied; `false` if the document exists, or if the write depends on whether it
  ///   does.
  /// - Throws: as ``commit(_:at:in:)``.
  private func insert(
    _ write: DocumentWrite, in collection: Int64, at time: Timestamp, in transaction: WriteTransaction
  ) throws -> Bool {
    guard case .set = write.operation, write.precondition == nil || write.precondition == .exists(false),
      let fields = try write.result(on: nil, at: time)
    else { return false }
    return try documents.insert(
      StoredDocument(path: write.document, fields: fields, createTime: time, updateTime: time),
      in: collection, in: transaction)
  }

  /// Applies a write to a document, given its current row.
  ///
  /// - Throws: as ``commit(_:at:in:)``.
  private func commit(
    _ write: DocumentWrite, in collection: Int64, replacing entry: DocumentTable.Entry?, at time: Timestamp,
    in transaction: WriteTransaction
  ) throws {
    try write.checkPrecondition(exists: entry != nil, updated: entry?.updateTime)
    var old: Fields?
    // Other operations discard the fields.
    if case .update = write.operation { old = try entry.map(documents.document)?.fields }
    guard let fields = try write.result(on: old, at: time) else {
      return try documents.put(nil, at: write.document, in: collection, replacing: entry, in: transaction)
    }
    let encoded = DocumentCoding.bytes(of: fields)
    if let entry, try documents.hasFields(entry, fields, encoded) { return }
    // The update time of a changed document always increases, even if the clock was set back.
    let updated = Timestamp(
      microsecondsSince1970: max(
        time.microsecondsSince1970, (entry?.updateTime.microsecondsSince1970 ?? .min) + 1))
    try documents.put(
      StoredDocument(
        path: write.document, fields: fields, createTime: entry?.createTime ?? time,
        updateTime: entry == nil ? time : updated),
      at: write.document, in: collection, replacing: entry, encoded: encoded, in: transaction)
  }
}

extension DocumentWrite {
  /// Checks the precondition against the state of the document.
  ///
  /// - Parameters:
  ///   - exists: whether the document exists.
  ///   - updated: its update time, which is compared in microseconds; `nil` if it doesn't exist or isn't
  ///     known.
  /// - Throws: ``StoreError`` if the precondition doesn't hold: ``StoreError/Code/notFound`` if the document
  ///   must exist, ``StoreError/Code/alreadyExists`` if it must not, ``StoreError/Code/failedPrecondition``
  ///   for another update time.
  func checkPrecondition(exists: Bool, updated: Timestamp?) throws {
    switch precondition {
    case .exists(true) where !exists:
      throw StoreError(
        .notFound, "There is no document \(document.text) to update; use setData(_:) to create it.")
    case .exists(false) where exists:
      throw StoreError(.alreadyExists, "The document \(document.text) exists already.")
    case .updated(let expected) where expected.microsecondsSince1970 != updated?.microsecondsSince1970:
      throw changedSinceRead
    default: break
    }
  }

  /// The error for a precondition with an outdated update time.
  var changedSinceRead: StoreError {
    StoreError(
      .failedPrecondition, "The document \(document.text) was changed since it was read. Read it again.")
  }
}

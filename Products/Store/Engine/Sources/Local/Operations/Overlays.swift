import TenonValues

/// Keeps the documents that users see consistent with what the remote sent and with the pending writes of the
/// current user.
///
/// The invariant after every transaction: the row of a document in `documents` is its base with the current
/// user's pending writes applied in queue order, and missing if the result doesn't exist. A base that is
/// known has a row in `bases`, unless it exists and no pending write has changed the document; then the row
/// in `documents` is the base itself. Every method that writes restores the invariant for the documents that
/// it changes.
struct Overlays {
  let collections: CollectionTable
  let documents: DocumentTable
  let bases: BaseTable
  let queue: QueueTable
  let users: UserTable

  // MARK: - Reading

  /// Returns the last state of a document that the remote sent; `nil` if it sent none.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it can't be decoded; `SQLiteError`.
  func base(of path: ResourcePath) throws -> BaseDocument? {
    guard let collection = try collections.number(containing: path) else { return nil }
    return try bases.base(of: path, in: collection)
      ?? Self.base(in: documents.document(path))
  }

  /// Returns the last state of a document that the remote sent, if that is what users see.
  ///
  /// - Parameter document: the document, which has no row in `bases`; `nil` if users don't see it.
  private static func base(in document: StoredDocument?) -> BaseDocument? {
    guard let document, !document.hasLocalMutations else { return nil }
    return BaseDocument(
      content: .found(document.fields), createTime: document.createTime, version: document.updateTime,
      isCommitted: document.hasCommittedMutations)
  }

  /// Returns the overlay of a document in its current state, without changing anything; `nil` if nothing is
  /// stored of its collection.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the document can't be decoded;
  ///   `SQLiteError`.
  func overlay(of path: ResourcePath) throws -> DocumentOverlay? {
    guard let collection = try collections.number(containing: path) else { return nil }
    let document = try documents.document(path)
    let stored = try bases.base(of: path, in: collection)
    let base = stored ?? Self.base(in: document)
    let rows = DocumentOverlay.Rows(collection: collection, document: nil, hasBase: stored != nil)
    if let document { return DocumentOverlay(document, over: base, in: rows) }
    var overlay = DocumentOverlay(path, base, in: rows)
    for batch in try queue.batches(writing: path, of: users.current) {
      for (index, write) in batch.writes.enumerated() where write.document == path {
        try? overlay.apply(write, bases: batch.content[note: index].bases, at: batch.time)
      }
    }
    return overlay
  }

  // MARK: - Changing one document

  /// Applies the current user's pending writes to the base of a document.
  ///
  /// The base values of increments are recorded again if they aren't known and the base is, and in batches
  /// after one that was removed from the queue.
  ///
  /// - Complexity: O(n) in the number of batches that write to the document, which are decoded.
  private func overlay(
    of path: ResourcePath, over base: BaseDocument?, afterRemovalOf removed: Int64 = .max,
    in rows: DocumentOverlay.Rows, _ transaction: WriteTransaction
  ) throws -> DocumentOverlay {
    var overlay = DocumentOverlay(path, base, in: rows)
    for batch in try queue.batches(writing: path, of: users.current) {
      var content = batch.content
      var isChanged = false
      for (index, write) in batch.writes.enumerated() where write.document == path {
        let recorded = content[note: index].bases
        var bases = recorded
        let isUnknown = !overlay.isPartial && recorded.contains { $0.value == nil }
        if !recorded.isEmpty, batch.id > removed || isUnknown {
          bases = write.incrementBases(in: overlay.fields, isPartial: overlay.isPartial)
          isChanged = isChanged || bases != recorded
          content[note: index].bases = bases
        }
        // A write that can no longer be applied is left to the remote, which rejects it.
        try? overlay.apply(write, bases: bases, at: batch.time)
      }
      if isChanged { try queue.replace(content, of: batch.id, in: transaction) }
    }
    return overlay
  }

  /// Returns the overlay of a document in its current state, to which the caller applies further writes. If
  /// users see the document, its row already includes the pending writes; otherwise they are applied to the
  /// base.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the document can't be decoded;
  ///   `SQLiteError`.
  func overlay(of path: ResourcePath, in transaction: WriteTransaction) throws -> DocumentOverlay {
    let collection = try collections.number(containing: path, in: transaction)
    let entry = try documents.entry(of: path, in: collection)
    let document = try entry.map(documents.document)
    // Users see what the remote sent, so there is no row in `bases`.
    let isBase = document.map { !$0.hasLocalMutations } ?? false
    let stored = try isBase ? nil : bases.base(of: path, in: collection)
    assert(!isBase || (try? bases.base(of: path, in: collection)) == nil, "\(path.text) has two bases")
    let base = stored ?? Self.base(in: document)
    let rows = DocumentOverlay.Rows(
      collection: collection, document: entry, hasBase: stored != nil, isBase: isBase)
    return try document.map { DocumentOverlay($0, over: base, in: rows) }
      ?? overlay(of: path, over: base, in: rows, transaction)
  }

  /// Saves an overlay, without reading the document again, and the base if it differs from the overlay. The
  /// writes must be in the queue when the transaction commits.
  ///
  /// - Throws: `SQLiteError`.
  func save(_ overlay: DocumentOverlay, in transaction: WriteTransaction) throws {
    let (rows, base) = (overlay.rows, overlay.base)
    var needed = base
    // Users see what the remote sent, so the row in `documents` suffices.
    if !overlay.isChanged, case .found = base?.content { needed = nil }
    if rows.hasBase != (needed != nil) {
      try bases.put(
        needed, encoded: rows.isBase ? rows.document?.fields : nil, of: overlay.path, in: rows.collection,
        in: transaction)
    }
    try documents.put(
      overlay.document, at: overlay.path, in: rows.collection, replacing: rows.document, in: transaction)
  }

  /// Returns a document that a write is about to replace; see ``ReplacedDocument``.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - fields: its new fields.
  ///   - write: the position of the write in its batch.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the base must be read and can't be decoded;
  ///   `SQLiteError`.
  func replacement(
    of path: ResourcePath, with fields: Fields, by write: Int, in transaction: WriteTransaction
  ) throws -> ReplacedDocument {
    let collection = try collections.number(containing: path, in: transaction)
    let row = try documents.entry(of: path, in: collection)
    // The row of a document that users see has the time of its base.
    let created = try row?.createTime ?? bases.base(of: path, in: collection)?.createTime
    return ReplacedDocument(
      path: path, collection: collection, row: row, createTime: created ?? .zero, fields: fields, write: write
    )
  }

  /// Saves a document that a write replaces, and its base if that was what users saw. The write must be in the
  /// queue when the transaction commits.
  ///
  /// - Parameters:
  ///   - replaced: the document.
  ///   - encoded: its encoded fields; `nil` if they aren't known.
  ///   - transaction: the transaction.
  /// - Throws: as ``DocumentTable/put(_:at:in:replacing:encoded:in:)``.
  func save(_ replaced: ReplacedDocument, encoded: [UInt8]?, in transaction: WriteTransaction) throws {
    if let row = replaced.row, !row.hasLocalMutations {
      try bases.put(row, in: replaced.collection, in: transaction)
    }
    try documents.put(
      replaced.document, at: replaced.path, in: replaced.collection, replacing: replaced.row,
      encoded: encoded, in: transaction)
  }

  /// Saves the last state of a document that the remote sent, and recomputes its overlay.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - base: the state; `nil` if it isn't known. A document without pending writes is deleted then.
  ///   - removed: the first batch that wrote to the document and was removed from the queue without having
  ///     been committed. Increments after it are added to what users see without it.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the document can't be decoded;
  ///   `SQLiteError`.
  /// - Complexity: O(n) in the number of pending batches that write to the document.
  func rebase(
    _ path: ResourcePath, on base: BaseDocument?, afterRemovalOf removed: Int64 = .max,
    in transaction: WriteTransaction
  ) throws {
    let collection = try collections.number(containing: path, in: transaction)
    let entry = try documents.entry(of: path, in: collection)
    let rows = DocumentOverlay.Rows(collection: collection, document: entry)
    let overlay = try overlay(of: path, over: base, afterRemovalOf: removed, in: rows, transaction)
    try save(overlay, in: transaction)
  }

  // MARK: - Changing all documents of a user

  /// Switches to a user, whose pending writes are shown and sent from then on, and recomputes the overlays of
  /// all documents that either user writes to.
  ///
  /// - Parameters:
  ///   - user: the user's ID; `nil` for the signed-out user.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be decoded;
  ///   `SQLiteError`.
  /// - Complexity: that of ``rebase(_:on:in:)`` for each of these documents.
  func showWrites(of user: String?, in transaction: WriteTransaction) throws {
    let before = try queue.documents(of: users.current)
    var bases: [ResourcePath: BaseDocument?] = [:]
    for path in before.union(try queue.documents(of: user)) {
      bases.updateValue(try base(of: path), forKey: path)
    }
    try users.set(user, in: transaction)
    for (path, base) in bases { try rebase(path, on: base, in: transaction) }
  }
}

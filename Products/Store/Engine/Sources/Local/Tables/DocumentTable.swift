import TenonDocuments
package import TenonFoundation
package import TenonSQLite
package import TenonValues

/// The table `documents`: the documents as users see them. Each change also updates the indexes and the
/// change log, in the same transaction, so that no reader sees a document whose index entries are missing or
/// outdated.
///
/// Documents are found by collection and key, the columns of a unique index, and by row ID from an index
/// entry. Reading one document takes O(log n) in the number of documents, plus the time to decode it.
package struct DocumentTable {
  /// The columns from which a document is decoded, in the order that ``document(_:in:)`` expects.
  static let columns = "d.name, d.fields, d.created, d.updated, d.flags, d.timestamps"

  /// The row of a document, whose fields aren't decoded; ``document(_:)`` decodes them.
  struct Entry {
    /// The path of the document.
    let path: ResourcePath
    /// The row ID, to which index entries refer.
    let id: Int64
    /// The key within the collection; see ``CollectionTable/key(_:)``.
    let key: Data
    /// The encoded fields.
    let fields: [UInt8]
    fileprivate let created: Int64
    fileprivate let updated: Int64
    fileprivate let flags: Int64
    /// The encoded pending server timestamps; `nil` if there are none.
    fileprivate let timestamps: Data?

    /// Creates the entry of a row with ``columns``.
    fileprivate init(_ row: borrowing Row, at path: ResourcePath, id: Int64, key: Data) {
      (self.path, self.id, self.key) = (path, id, key)
      fields = row.withBytes(1) { $0.withUnsafeBufferPointer { Array($0) } }
      (created, updated, flags, timestamps) = (
        row.integer(2), row.integer(3), row.integer(4), row.optionalBlob(5)
      )
    }

    /// The time of creation; 0 if the remote hasn't sent the document.
    var createTime: Timestamp { Timestamp(microsecondsSince1970: created) }
    /// The time of the last change; 0 if the remote doesn't know this state of the document.
    var updateTime: Timestamp { Timestamp(microsecondsSince1970: updated) }
    /// Whether pending writes of this device have changed the document.
    var hasLocalMutations: Bool { StoredDocument.hasLocalMutations(flags) }
    /// Whether the remote has acknowledged writes of this device, but hasn't sent the document since.
    var hasCommittedMutations: Bool { StoredDocument.hasCommittedMutations(flags) }
  }

  private let reader: DatabaseReader
  private let collections: CollectionTable
  private let entries: EntryTable
  private let indexes: IndexTable
  private let texts: TextIndexTable
  private let changes: ChangeLog

  init(
    _ reader: DatabaseReader, collections: CollectionTable, entries: EntryTable, indexes: IndexTable,
    texts: TextIndexTable, changes: ChangeLog
  ) {
    self.reader = reader
    self.collections = collections
    self.entries = entries
    self.indexes = indexes
    self.texts = texts
    self.changes = changes
  }

  // MARK: - Reading

  /// Decodes the document of a row with ``columns``.
  ///
  /// - Parameters:
  ///   - row: the row, whose first columns are ``columns``; others may follow.
  ///   - collection: the path of the document's collection, which the row doesn't contain.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the row can't be decoded.
  package func document(_ row: borrowing Row, in collection: ResourcePath) throws(StoreError)
    -> StoredDocument
  {
    try document(row, at: collection.appending(row.text(0)))
  }

  /// Decodes the document of a row with ``columns``, given its path and, if they are known, all its fields.
  ///
  /// - Throws: as ``document(_:in:)``.
  func document(
    _ row: borrowing Row, at path: ResourcePath, fields: Fields? = nil
  ) throws(StoreError) -> StoredDocument {
    do throws(DocumentError) {
      let decoded =
        if let fields { fields } else {
          try row.withBytes(1) { bytes throws(DocumentError) in try DocumentCoding.decode(bytes) }
        }
      return try StoredDocument(
        path: path, fields: decoded, created: row.integer(2), updated: row.integer(3), flags: row.integer(4),
        timestamps: row.optionalBlob(5))
    } catch {
      throw .damaged(path, in: reader.path, error)
    }
  }

  /// Returns a document as users see it; `nil` if it doesn't exist.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it can't be decoded; `SQLiteError`.
  func document(_ path: ResourcePath) throws -> StoredDocument? {
    guard let parent = path.parent, let collection = try collections.number(of: parent) else { return nil }
    return try reader.first(Self.entrySQL, [.integer(collection), .blob(CollectionTable.key(path))]) {
      try document($0, at: path)
    }
  }

  /// Decodes the document of a row.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it can't be decoded.
  func document(_ entry: Entry) throws(StoreError) -> StoredDocument {
    do throws(DocumentError) {
      return try StoredDocument(
        path: entry.path, fields: DocumentCoding.decode(entry.fields.span), created: entry.created,
        updated: entry.updated, flags: entry.flags, timestamps: entry.timestamps)
    } catch {
      throw .damaged(entry.path, in: reader.path, error)
    }
  }

  private static let entrySQL =
    "SELECT \(columns), d.id FROM documents d WHERE d.collection = ? AND d.key = ?"

  /// Returns the row of a document; `nil` if it doesn't exist.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - collection: the number of its collection.
  /// - Throws: `SQLiteError`.
  func entry(of path: ResourcePath, in collection: Int64) throws -> Entry? {
    let key = CollectionTable.key(path)
    return try reader.first(Self.entrySQL, [.integer(collection), .blob(key)]) {
      Entry($0, at: path, id: $0.integer(6), key: key)
    }
  }

  /// Decodes a field of the document of a row with ``columns``.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - row: the row, whose first columns are ``columns``; others may follow.
  ///   - collection: the path of the document's collection.
  /// - Returns: the value; `nil` if the document lacks the field.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the field can't be decoded.
  func value(
    of field: StoredField, _ row: borrowing Row, in collection: ResourcePath
  ) throws(StoreError) -> Value? {
    do throws(DocumentError) {
      return try row.withBytes(1) { bytes throws(DocumentError) in try field.value(in: bytes) }
    } catch {
      throw .damaged(collection.appending(row.text(0)), in: reader.path, error)
    }
  }

  /// Calls `body` with the rows of a collection whose keys are greater than `key`, in key order, until it
  /// returns `false`.
  ///
  /// - Parameters:
  ///   - collection: the number of the collection.
  ///   - key: the key after which to begin; empty for the start.
  ///   - limit: the maximum number of documents.
  ///   - body: called with each row, whose first columns are ``columns``, its row ID and its key; returns
  ///     whether to continue.
  /// - Throws: what `body` throws; `SQLiteError`.
  package func forEachRow(
    in collection: Int64, after key: Data, limit: Int,
    _ body: (_ row: borrowing Row, _ id: Int64, _ key: Data) throws -> Bool
  ) throws {
    try reader.forEachRow(
      """
      SELECT \(Self.columns), d.id, d.key FROM documents d \
      WHERE d.collection = ? AND d.key > ? ORDER BY d.key LIMIT ?
      """, [.integer(collection), .blob(key), .integer(limit)]
    ) { row in
      try body(row, row.integer(6), row.blob(7))
    }
  }

  /// Returns the number of documents of a collection, but at most `limit`.
  ///
  /// - Throws: `SQLiteError`.
  func count(in collection: Int64, limit: Int) throws -> Int {
    try reader.first(
      "SELECT count(*) FROM (SELECT 1 FROM documents WHERE collection = ? LIMIT ?)",
      [.integer(collection), .integer(limit)]
    ) { Int(clamping: $0.integer(0)) } ?? 0
  }

  /// Returns the rows of a collection whose keys are greater than `key`, in key order, as many as the limits
  /// allow, but at least one if there is one.
  ///
  /// - Parameters:
  ///   - collection: the number of the collection.
  ///   - key: the key after which to begin; empty for the start.
  ///   - limit: the maximum number of documents.
  ///   - size: the size in bytes of the encoded documents that is exceeded by at most one document.
  ///   - dropped: the path of the collection if it was dropped; `nil` to look it up.
  /// - Throws: `SQLiteError`.
  func page(
    in collection: Int64, after key: Data, limit: Int, size: Int, of dropped: ResourcePath? = nil
  ) throws -> [Entry] {
    let parent = try dropped ?? collections.path(of: collection)
    var page: [Entry] = []
    var rest = size
    try reader.forEachRow(
      """
      SELECT \(Self.columns), d.id, d.key FROM documents d \
      WHERE d.collection = ? AND d.key > ? ORDER BY d.key LIMIT ?
      """, [.integer(collection), .blob(key), .integer(limit)]
    ) { row in
      let entry = Entry(row, at: parent.appending(row.text(0)), id: row.integer(6), key: row.blob(7))
      page.append(entry)
      rest -= entry.fields.count
      return rest > 0
    }
    return page
  }

  /// Calls `body` with all current documents, in pages of up to 500 in row order: the database may be larger
  /// than memory, and `body` may replace the documents. A document that `body` replaces is visited once,
  /// although its row ID changes.
  ///
  /// - Parameter body: called with the documents of each page.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be decoded; what `body`
  ///   throws; `SQLiteError`.
  func forEachPage(_ body: ([StoredDocument]) throws -> Void) throws {
    let last = try reader.first("SELECT max(id) FROM documents") { $0.integer(0) } ?? 0
    var position: Int64 = 0
    while true {
      let page = try reader.rows(
        """
        SELECT \(Self.columns), d.collection, d.id FROM documents d WHERE d.id > ? AND d.id <= ? \
        AND d.collection NOT IN (SELECT id FROM dropped_collections) ORDER BY d.id LIMIT 500
        """, [.integer(position), .integer(last)]
      ) { row in
        (id: row.integer(7), document: try document(row, in: try collections.path(of: row.integer(6))))
      }
      guard let end = page.last?.id else { return }
      try body(page.map(\.document))
      position = end
    }
  }

  // MARK: - Writing

  /// Saves a document as users see it; `nil` deletes it.
  ///
  /// - Throws: as the other `put`, which it calls after looking up the collection and the current row.
  func put(_ document: StoredDocument?, at path: ResourcePath, in transaction: WriteTransaction) throws {
    let collection = try collections.number(containing: path, in: transaction)
    try put(
      document, at: path, in: collection, replacing: try entry(of: path, in: collection), in: transaction)
  }

  /// Saves a document as users see it, given its current row; `nil` deletes it. Saving an identical document
  /// has no effect.
  ///
  /// Otherwise it inserts, updates or deletes one row of `documents`, updates the indexes of single fields
  /// (buffered until the end of the transaction), the composite indexes and the text index for the fields
  /// that differ, and adds the document to the change log.
  ///
  /// - Parameters:
  ///   - document: the new state.
  ///   - path: the document.
  ///   - collection: the number of its collection.
  ///   - old: the current row, as ``entry(of:in:)`` returned it in this transaction; `nil` if there is none.
  ///   - encoded: the encoded fields of the document, if they are known.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the current row can't be decoded as far as
  ///   the indexes need it; `SQLiteError`.
  func put(
    _ document: StoredDocument?, at path: ResourcePath, in collection: Int64, replacing old: Entry?,
    encoded: [UInt8]? = nil, in transaction: WriteTransaction
  ) throws {
    let place: EntryChanges.Document
    if let old {
      place = EntryChanges.Document(collection: collection, key: old.key, id: old.id)
      if let document {
        let encoded = encoded ?? DocumentCoding.bytes(of: document.fields)
        guard try !isSame(old, as: document, encoded) else { return }
        try DocumentRow(document, encoded).update(old.id, in: transaction)
      } else {
        try transaction.run("DELETE FROM documents WHERE id = ?", [.integer(old.id)])
      }
    } else if let document {
      let key = CollectionTable.key(path)
      let row = DocumentRow(document, encoded ?? DocumentCoding.bytes(of: document.fields))
      try row.insert(in: collection, key, transaction)
      place = EntryChanges.Document(collection: collection, key: key, id: transaction.lastInsertedRowID)
    } else {
      return
    }
    try updateIndexes(of: place, at: path, from: old, to: document, in: transaction)
    changes.add(document, at: path, in: collection)
  }

  /// Inserts a document unless it exists, without looking it up first. If it inserts the document, it has the
  /// same effect as ``put(_:at:in:replacing:encoded:in:)``.
  ///
  /// - Returns: whether it was inserted.
  /// - Throws: `SQLiteError`.
  func insert(
    _ document: StoredDocument, in collection: Int64, in transaction: WriteTransaction
  ) throws -> Bool {
    let key = CollectionTable.key(document.path)
    let row = DocumentRow(document, DocumentCoding.bytes(of: document.fields))
    try row.insert(in: collection, key, unlessItExists: true, transaction)
    guard transaction.changedRows > 0 else { return false }
    let place = EntryChanges.Document(collection: collection, key: key, id: transaction.lastInsertedRowID)
    try updateIndexes(of: place, at: document.path, from: nil, to: document, in: transaction)
    changes.add(document, at: document.path, in: collection)
    return true
  }

  /// Returns whether the fields of a row are identical to others. Usually this compares their encodings,
  /// without decoding the row.
  ///
  /// - Parameters:
  ///   - entry: the row.
  ///   - fields: the fields.
  ///   - encoded: their encoding.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the row must be decoded and can't be.
  func hasFields(_ entry: Entry, _ fields: Fields, _ encoded: [UInt8]) throws(StoreError) -> Bool {
    if ByteOrder.compare(entry.fields.span, encoded.span) == 0 { return true }
    guard fields.hasSeveralEncodings, entry.fields.count == encoded.count else { return false }
    return try document(entry).fields == fields
  }

  /// Returns whether a document is the one of a row, including its metadata. Of pending server timestamps,
  /// the fields are compared, but not the previous values.
  private func isSame(
    _ old: Entry, as document: StoredDocument, _ encoded: [UInt8]
  ) throws(StoreError) -> Bool {
    guard old.updated == document.updateTime.microsecondsSince1970,
      old.created == document.createTime.microsecondsSince1970, old.flags == document.flags,
      try hasFields(old, document.fields, encoded)
    else { return false }
    if old.timestamps == nil, document.pendingTimestamps.isEmpty { return true }
    return try self.document(old).isSame(as: document)
  }

  /// Updates the indexes for a change of a document.
  private func updateIndexes(
    of place: EntryChanges.Document, at path: ResourcePath, from old: Entry?, to document: StoredDocument?,
    in transaction: WriteTransaction
  ) throws {
    let policy = try indexes.policy(of: place.collection)
    let before = try old.map { try indexedFields(of: $0, policy) }
    try entries.update(place, from: before, to: document?.fields, policy, in: transaction)
    try indexes.update(
      from: before, to: document?.fields, at: path, collection: place.collection, document: place.id,
      in: transaction)
    try texts.update(from: before, to: document?.fields, at: path, document: place.id, in: transaction)
  }

  /// Returns the fields of a row that its indexes need, which in most collections are few.
  private func indexedFields(of entry: Entry, _ policy: FieldPolicy) throws(StoreError) -> Fields {
    guard case .fields(_, let selection) = policy, !indexes.hasCompositeOrTextIndex(of: entry.path) else {
      return try document(entry).fields
    }
    do throws(DocumentError) { return try selection.fields(in: entry.fields.span) } catch {
      throw .damaged(entry.path, in: reader.path, error)
    }
  }

  /// Makes every pending document final: its update time, and its creation time if unknown, become `time`.
  ///
  /// The fields, estimates of server timestamps included, stay as they are, so the indexes need no update.
  /// The documents aren't added to the change log: the database is being opened, and has no listeners.
  ///
  /// - Parameters:
  ///   - time: the time of the change.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of documents, whose flags aren't indexed.
  func makeFinal(at time: Timestamp, in transaction: WriteTransaction) throws {
    try transaction.run(
      """
      UPDATE documents SET updated = ?1, created = CASE created WHEN 0 THEN ?1 ELSE created END, flags = 0, \
      timestamps = NULL WHERE flags <> 0
      """, [.integer(time.microsecondsSince1970)])
  }
}

extension StoredDocument {
  /// Returns whether both documents are identical, including their metadata. Of pending server timestamps,
  /// the fields are compared, but not the previous values.
  func isSame(as other: StoredDocument) -> Bool {
    updateTime == other.updateTime && createTime == other.createTime
      && hasLocalMutations == other.hasLocalMutations
      && hasCommittedMutations == other.hasCommittedMutations && isPartial == other.isPartial
      && hasContent(of: other)
  }

  /// Returns whether both documents have the same fields, of which the same are estimated server timestamps.
  func hasContent(of other: StoredDocument) -> Bool {
    fields == other.fields && pendingTimestamps.map(\.field) == other.pendingTimestamps.map(\.field)
  }
}

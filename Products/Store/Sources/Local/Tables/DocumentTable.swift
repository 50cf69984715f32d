import TenonDocuments
import TenonSQLite
import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The table `documents`: the documents as users see them. Each change also updates the indexes and the change log, in
/// the same transaction, so that no reader sees a document whose index entries are missing or outdated.
///
/// Documents are found by collection and key, the columns of a unique index, and by row ID from an index entry. Reading
/// one document takes O(log n) in the number of documents, plus the time to decode it.
struct DocumentTable {
  /// The columns from which a document is decoded, in the order that ``document(_:in:)`` expects.
  static let columns = "d.name, d.fields, d.created, d.updated, d.flags, d.timestamps"

  /// A document and its row.
  struct Entry {
    /// The row ID, to which index entries refer.
    let id: Int64
    /// The key within the collection; see ``CollectionTable/key(_:)``.
    let key: Data
    /// The decoded document.
    let document: StoredDocument
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
  ///   - collection: the path of the document's collection, which the row does not contain.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the row cannot be decoded.
  func document(_ row: borrowing Row, in collection: ResourcePath) throws(StoreError) -> StoredDocument {
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

  /// Returns a document as users see it; `nil` if it does not exist.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it cannot be decoded; `SQLiteError`.
  func document(_ path: ResourcePath) throws -> StoredDocument? {
    guard let parent = path.parent, let collection = try collections.number(of: parent) else { return nil }
    return try entry(of: path, in: collection)?.document
  }

  private static let entrySQL =
    "SELECT \(columns), d.id FROM documents d WHERE d.collection = ? AND d.key = ?"

  /// Returns a document with its row ID and key; `nil` if it does not exist.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - collection: the number of its collection.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it cannot be decoded; `SQLiteError`.
  func entry(of path: ResourcePath, in collection: Int64) throws -> Entry? {
    let key = CollectionTable.key(path)
    return try reader.first(Self.entrySQL, [.integer(collection), .blob(key)]) {
      Entry(id: $0.integer(6), key: key, document: try document($0, at: path))
    }
  }

  /// Decodes a field of the document of a row with ``columns``.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - row: the row, whose first columns are ``columns``; others may follow.
  ///   - collection: the path of the document's collection.
  /// - Returns: the value; `nil` if the document lacks the field.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the field cannot be decoded.
  func value(
    of field: StoredField, _ row: borrowing Row, in collection: ResourcePath
  ) throws(StoreError) -> Value? {
    do throws(DocumentError) {
      return try row.withBytes(1) { bytes throws(DocumentError) in try field.value(in: bytes) }
    } catch {
      throw .damaged(collection.appending(row.text(0)), in: reader.path, error)
    }
  }

  /// Calls `body` with the rows of a collection whose keys are greater than `key`, in key order, until it returns `false`.
  ///
  /// - Parameters:
  ///   - collection: the number of the collection.
  ///   - key: the key after which to begin; empty for the start.
  ///   - limit: the maximum number of documents.
  ///   - body: called with each row, whose first columns are ``columns``, its row ID and its key; returns whether to continue.
  /// - Throws: what `body` throws; `SQLiteError`.
  func forEachRow(
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

  /// Returns the documents of a collection whose keys are greater than `key`, in key order, as many as the limits allow, but
  /// at least one if there is one.
  ///
  /// - Parameters:
  ///   - collection: the number of the collection.
  ///   - key: the key after which to begin; empty for the start.
  ///   - limit: the maximum number of documents.
  ///   - size: the size in bytes of the encoded documents that is exceeded by at most one document.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document cannot be decoded; `SQLiteError`.
  func page(in collection: Int64, after key: Data, limit: Int, size: Int) throws -> [Entry] {
    let parent = try collections.path(of: collection)
    var page: [Entry] = []
    var rest = size
    try reader.forEachRow(
      """
      SELECT \(Self.columns), d.id, d.key, length(d.fields) FROM documents d \
      WHERE d.collection = ? AND d.key > ? ORDER BY d.key LIMIT ?
      """, [.integer(collection), .blob(key), .integer(limit)]
    ) { row in
      page.append(
        Entry(id: row.integer(6), key: row.blob(7), document: try document(row, in: parent)))
      // Checked: at most the size of a page and that of one blob.
      rest -= max(0, Int(clamping: row.integer(8)))
      return rest > 0
    }
    return page
  }

  /// Calls `body` with all current documents, in pages of up to 500 in row order: the database may be larger than
  /// memory, and `body` may replace the documents. A document that `body` replaces is visited once, although its row ID
  /// changes.
  ///
  /// - Parameter body: called with the documents of each page.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document cannot be decoded; what `body` throws;
  ///   `SQLiteError`.
  func forEachPage(_ body: ([StoredDocument]) throws -> Void) throws {
    let last = try reader.first("SELECT max(id) FROM documents") { $0.integer(0) } ?? 0
    var position: Int64 = 0
    while true {
      let page = try reader.rows(
        """
        SELECT \(Self.columns), d.collection, d.id FROM documents d WHERE d.id > ? AND d.id <= ? \
        ORDER BY d.id LIMIT 500
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
  /// - Throws: as the other `put`, which it calls after looking up the collection and the current row; ``StoreError``
  ///   with ``StoreError/Code/dataLoss`` if that row cannot be decoded.
  func put(_ document: StoredDocument?, at path: ResourcePath, in transaction: WriteTransaction) throws {
    let collection = try collections.number(containing: path, in: transaction)
    try put(
      document, at: path, in: collection, replacing: try entry(of: path, in: collection), in: transaction)
  }

  /// Saves a document as users see it, given its current row; `nil` deletes it. Saving an identical document has no
  /// effect.
  ///
  /// Otherwise it inserts, updates or deletes one row of `documents`, updates the indexes of single fields (buffered until the
  /// end of the transaction), the composite indexes and the text index for the fields that differ, and adds the document to the change
  /// log.
  ///
  /// - Parameters:
  ///   - document: the new state.
  ///   - path: the document.
  ///   - collection: the number of its collection.
  ///   - old: the current row, as ``entry(of:in:)`` returned it in this transaction; `nil` if there is none.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func put(
    _ document: StoredDocument?, at path: ResourcePath, in collection: Int64, replacing old: Entry?,
    in transaction: WriteTransaction
  ) throws {
    let key = old?.key ?? CollectionTable.key(path)
    if let old, let document, old.document.isSame(as: document) { return }
    let id: Int64
    switch (old, document) {
    case (nil, nil): return
    case (let old?, nil):
      id = old.id
      try transaction.run("DELETE FROM documents WHERE id = ?", [.integer(id)])
    case (let old?, let document?):
      id = old.id
      try transaction.run(
        """
        UPDATE documents SET fields = ?, created = ?, updated = ?, flags = ?, timestamps = ? WHERE id = ?
        """,
        Self.content(of: document) + [.integer(id)])
    case (nil, let document?):
      try transaction.run(
        """
        INSERT INTO documents (fields, created, updated, flags, timestamps, collection, key, name) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        Self.content(of: document) + [.integer(collection), .blob(key), .text(path.id)])
      id = transaction.lastInsertedRowID
    }
    try entries.update(
      EntryChanges.Document(collection: collection, key: key, id: id), from: old?.document.fields,
      to: document?.fields, try indexes.policy(of: collection), in: transaction)
    try indexes.update(
      from: old?.document.fields, to: document?.fields, at: path, collection: collection, document: id,
      in: transaction)
    try texts.update(
      from: old?.document.fields, to: document?.fields, at: path, document: id, in: transaction)
    changes.add(document, at: path, in: collection)
  }

  /// Returns the bindings of the content columns: fields, created, updated, flags and timestamps.
  private static func content(of document: StoredDocument) -> [SQLValue] {
    [
      .blob(DocumentCoding.encode(document.fields)), .integer(document.createTime.microsecondsSince1970),
      .integer(document.updateTime.microsecondsSince1970), .integer(document.flags),
      .blob(WriteCoding.encode(document.pendingTimestamps)),
    ]
  }

  /// Makes every pending document final: its update time, and its creation time if unknown, become `time`.
  ///
  /// The fields, estimates of server timestamps included, stay as they are, so the indexes need no update. The
  /// documents are not added to the change log: the database is being opened, and has no listeners.
  ///
  /// - Parameters:
  ///   - time: the time of the change.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of documents, whose flags are not indexed.
  func makeFinal(at time: Timestamp, in transaction: WriteTransaction) throws {
    try transaction.run(
      """
      UPDATE documents SET updated = ?1, created = CASE created WHEN 0 THEN ?1 ELSE created END, flags = 0, \
      timestamps = NULL WHERE flags <> 0
      """, [.integer(time.microsecondsSince1970)])
  }
}

extension StoredDocument {
  /// Returns whether both documents are identical, including their metadata. Of pending server timestamps, the fields
  /// are compared, but not the previous values.
  func isSame(as other: StoredDocument) -> Bool {
    updateTime == other.updateTime && createTime == other.createTime
      && hasLocalMutations == other.hasLocalMutations
      && hasCommittedMutations == other.hasCommittedMutations && fields == other.fields
      && pendingTimestamps.map(\.field) == other.pendingTimestamps.map(\.field)
  }
}

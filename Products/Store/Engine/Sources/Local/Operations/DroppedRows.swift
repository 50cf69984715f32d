import TenonFoundation
import TenonSQLite
import TenonValues

/// Deletes the rows of dropped collections in steps, each in the caller's transaction, so that deleting
/// continues after a restart.
///
/// The entries of the collection's indexes are deleted first, then the documents. A document may also be in an
/// index over the collection group and in a text index, where it is found by its fields and its text; it is
/// deleted together with these entries.
struct DroppedRows {
  let collections: CollectionTable
  let documents: DocumentTable
  let indexes: IndexTable
  let texts: TextIndexTable

  /// Returns whether there is a dropped collection.
  ///
  /// - Throws: `SQLiteError`.
  func exist() throws -> Bool { try collections.dropped() != nil }

  /// Deletes rows of a dropped collection. After the last one, the collection's number may be used again.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of rows.
  ///   - isOver: returns whether to stop earlier; called after each group of documents.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document with entries in other indexes
  ///   can't be decoded; `SQLiteError`.
  func deleteSome(limit: Int, until isOver: () -> Bool = { false }, in transaction: WriteTransaction) throws {
    guard let dropped = try collections.dropped() else { return }
    var left = limit
    for deletion in Self.entries(of: dropped.number) where left > 0 {
      try transaction.run(deletion.sql, deletion.bindings + [.integer(left)])
      left -= transaction.changedRows
    }
    if let path = dropped.path, isInOtherIndexes(path) {
      while left > 0 {
        // So few that little is deleted after the time is over.
        let count = try deleteDocuments(of: dropped.number, path, limit: min(left, 50), in: transaction)
        left -= count
        guard count > 0 else { break }
        guard !isOver() else { return }
      }
    } else if left > 0 {
      try transaction.run(
        "DELETE FROM documents WHERE id IN (SELECT id FROM documents WHERE collection = ? LIMIT ?)",
        [.integer(dropped.number), .integer(left)])
      left -= transaction.changedRows
    }
    guard left > 0 else { return }
    try collections.removeDropped(dropped.number, in: transaction)
    // Indexes over collection groups no longer have to hide anything.
    if dropped.path != nil { try indexes.declarationsChanged(in: transaction) }
  }

  /// Statements that delete the entries of a collection's indexes, each up to a number of entries, which is
  /// their last parameter.
  private static func entries(of number: Int64) -> [(sql: String, bindings: [SQLValue])] {
    let entries = EntryGroup.prefix(ofCollection: number)
    return [
      (
        """
        DELETE FROM entries WHERE (value, key) IN \
        (SELECT value, key FROM entries WHERE value >= ? AND value < ? LIMIT ?)
        """, [.blob(entries), .blob(entries.successor ?? entries)]
      ),
      (
        """
        DELETE FROM index_entries WHERE (idx, collection, value, key) IN \
        (SELECT e.idx, e.collection, e.value, e.key FROM indexes i CROSS JOIN index_entries e ON e.idx = i.id \
        WHERE e.collection = ? LIMIT ?)
        """, [.integer(number)]
      ),
    ]
  }

  /// Returns whether documents of a collection may be in an index over a collection group or in a text index.
  private func isInOtherIndexes(_ collection: ResourcePath) -> Bool {
    indexes.textIndexes[ResourcePath(segments: [collection.id])] != nil
      || indexes.declared.contains {
        $0.definition.scope == .collectionGroup && $0.definition.concerns(collection)
      }
  }

  /// Deletes documents of a dropped collection with their entries in indexes over the collection group and in
  /// the text index.
  ///
  /// - Returns: the number of documents.
  private func deleteDocuments(
    of number: Int64, _ path: ResourcePath, limit: Int, in transaction: WriteTransaction
  ) throws -> Int {
    let page = try documents.page(
      in: number, after: Data(), limit: limit, size: CollectionDeletion.size, of: path)
    for entry in page {
      let fields = try documents.document(entry).fields
      try deleteEntries(of: fields, at: entry.path, document: entry.id, in: transaction)
      try texts.update(from: fields, to: nil, at: entry.path, document: entry.id, in: transaction)
      try transaction.run("DELETE FROM documents WHERE id = ?", [.integer(entry.id)])
    }
    return page.count
  }
  /// Deletes the entries of a document from the indexes over its collection group. An entry that now belongs to
  /// a new document with the same path remains.
  private func deleteEntries(
    of fields: Fields, at path: ResourcePath, document: Int64, in transaction: WriteTransaction
  ) throws {
    guard let parent = path.parent else { return }
    for index in indexes.declared
    where index.definition.scope == .collectionGroup && index.definition.concerns(parent) {
      for value in index.values(of: fields) {
        try transaction.run(
          "DELETE FROM index_entries WHERE idx = ? AND collection = 0 AND value = ? AND key = ? AND document = ?",
          [.integer(index.number), .blob(value), .blob(index.key(of: path)), .integer(document)])
      }
    }
  }
}

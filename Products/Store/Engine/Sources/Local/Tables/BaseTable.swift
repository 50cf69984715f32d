import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonValues

/// The table `bases`: the last state that the remote sent of documents with pending local changes. A document
/// without a row here is stored in `documents` as the remote sent it.
///
/// A row is also needed for a document that users don't see: one that is missing at the remote, whose version
/// must be known so that older states are recognized, or whose fields aren't known. The column `kind` is 0
/// for a missing document, 1 for one with `fields`, and 2 for one with unknown fields; `fields` is `NULL`
/// unless it is 1. ``Overlays`` decides which documents have a row.
package struct BaseTable {
  private let reader: DatabaseReader

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns the base of a document; `nil` if it has no row. One row is read by its primary key.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - collection: the number of its collection.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the fields can't be decoded;
  ///   `SQLiteError`.
  package func base(of path: ResourcePath, in collection: Int64) throws -> BaseDocument? {
    try reader.first(
      """
      SELECT kind, created, version, is_committed, fields FROM bases WHERE collection = ? AND name = ?
      """,
      [.integer(collection), .text(path.id)]
    ) { row in
      BaseDocument(
        content: row.integer(0) == 1
          ? .found(try fields(row, 4, of: path)) : row.integer(0) == 0 ? .missing : .unknown,
        createTime: Timestamp(microsecondsSince1970: row.integer(1)),
        version: Timestamp(microsecondsSince1970: row.integer(2)),
        isCommitted: row.integer(3) != 0)
    }
  }

  /// Decodes the fields of a row.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if they can't be decoded.
  private func fields(
    _ row: borrowing Row, _ column: Int, of document: ResourcePath
  ) throws(StoreError) -> Fields {
    do {
      return try row.withBytes(column) { bytes throws(DocumentError) in try DocumentCoding.decode(bytes) }
    } catch {
      throw .damaged(document, in: reader.path, error)
    }
  }

  /// Saves the last state that the remote sent of a document, replacing its row.
  ///
  /// - Parameters:
  ///   - base: the state; `nil` removes the row, if there is one.
  ///   - path: the document.
  ///   - collection: the number of its collection.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func put(
    _ base: BaseDocument?, of path: ResourcePath, in collection: Int64, in transaction: WriteTransaction
  ) throws {
    guard let base else {
      try transaction.run(
        "DELETE FROM bases WHERE collection = ? AND name = ?", [.integer(collection), .text(path.id)])
      return
    }
    let (kind, fields): (Int64, Data?) =
      switch base.content {
      case .missing: (0, nil)
      case .found(let fields): (1, DocumentCoding.encode(fields))
      case .unknown: (2, nil)
      }
    try transaction.run(
      """
      INSERT OR REPLACE INTO bases (collection, name, kind, created, version, is_committed, fields) \
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(collection), .text(path.id), .integer(kind), .integer(base.createTime.microsecondsSince1970),
        .integer(base.version.microsecondsSince1970), .integer(base.isCommitted ? 1 : 0), .blob(fields),
      ]
    )
  }

  /// Deletes all rows, when a database stops waiting for a remote.
  func removeAll(in transaction: WriteTransaction) throws { try transaction.run("DELETE FROM bases") }
}

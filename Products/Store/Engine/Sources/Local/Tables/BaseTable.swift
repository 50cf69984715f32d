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
  ///   - encoded: the encoded fields of the state, if they are known.
  ///   - path: the document.
  ///   - collection: the number of its collection.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func put(
    _ base: BaseDocument?, encoded: [UInt8]? = nil, of path: ResourcePath, in collection: Int64,
    in transaction: WriteTransaction
  ) throws {
    guard let base else {
      try transaction.run(
        "DELETE FROM bases WHERE collection = ? AND name = ?", [.integer(collection), .text(path.id)])
      return
    }
    let kind: Int64
    var bytes: [UInt8] = []
    switch base.content {
    case .missing: kind = 0
    case .found(let fields): (kind, bytes) = (1, encoded ?? DocumentCoding.bytes(of: fields))
    case .unknown: kind = 2
    }
    try insert(
      kind, bytes, created: base.createTime, version: base.version, isCommitted: base.isCommitted, of: path,
      in: collection, in: transaction)
  }

  /// Saves the last state that the remote sent of a document, given its row in `documents`, which has that
  /// state. The row isn't decoded.
  ///
  /// - Throws: `SQLiteError`.
  func put(_ row: DocumentTable.Entry, in collection: Int64, in transaction: WriteTransaction) throws {
    try insert(
      1, row.fields, created: row.createTime, version: row.updateTime, isCommitted: row.hasCommittedMutations,
      of: row.path, in: collection, in: transaction)
  }

  /// Inserts or replaces a row.
  ///
  /// - Parameters:
  ///   - kind: the content of the column `kind`.
  ///   - fields: the encoded fields; empty if `kind` isn't 1.
  private func insert(
    _ kind: Int64, _ fields: consuming [UInt8], created: Timestamp, version: Timestamp, isCommitted: Bool,
    of path: ResourcePath, in collection: Int64, in transaction: WriteTransaction
  ) throws {
    let content = 0..<fields.count
    let name = fields.appendRange(contentsOf: path.id.utf8)
    try transaction.repeating(
      """
      INSERT OR REPLACE INTO bases (collection, name, kind, created, version, is_committed, fields) \
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, of: fields.span
    ) { statement in
      try statement.bind(collection, at: 1)
      try statement.bind(text: name, at: 2)
      try statement.bind(kind, at: 3)
      try statement.bind(created.microsecondsSince1970, at: 4)
      try statement.bind(version.microsecondsSince1970, at: 5)
      try statement.bind(isCommitted ? 1 : 0, at: 6)
      // Otherwise the column is `NULL`.
      if kind == 1 { try statement.bind(content, at: 7) }
      try statement.run()
    }
  }

  /// Deletes all rows, when a database stops waiting for a remote.
  func removeAll(in transaction: WriteTransaction) throws { try transaction.run("DELETE FROM bases") }
}

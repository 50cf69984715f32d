import TenonDocuments
package import TenonFoundation
import TenonSQLite
import TenonValues

/// The table `entries`: the indexes of single fields. Which fields have one is recorded in the table
/// `indexes`; see ``FieldIndexRegistration``. A write changes rows in many places of it; the shorter the
/// rows, the fewer pages are written.
///
/// A row has the columns:
/// - `value`: the bytes of the collection and the field (``EntryGroup``), followed by the encoding of the
///   value, of at most `IndexEncoding.limit` bytes. Values that differ only beyond the limit have the same
///   encoding, and a query must compare the documents themselves.
/// - `key`: the key of the document within its collection, so that documents with equal values are sorted by
///   ID.
/// - `document`: the row ID of the document.
/// - `is_double`: 1 and 1.0 have the same encoding because they are equal. This column distinguishes them, so
///   that sums can be computed from the index: 1 for a double, 0 for any other value, `NULL` in rows written
///   before version 7 of the schema.
/// - `number`: the value as an SQLite number, which sums are computed from; `NULL` for NaN, for values that
///   aren't numbers, for elements of arrays, and in rows written before version 15 of the schema.
///
/// `value` and `key` are the primary key of a table without row IDs
/// (https://www.sqlite.org/withoutrowid.html), so the table is itself the index. Because a single column
/// holds collection, field and value, a scan can begin anywhere without a condition that ends it, so that
/// SQLite compares no rows (``IndexStatement/count(in:checkingCancellation:)``). Values and keys are stored
/// without their trailing zeros; because no encoding is a prefix of another, this preserves their order.
///
/// Changes are buffered during a transaction (``EntryChanges``) and written before it commits. The class is
/// owned by ``LocalTables``, and confined with it.
package final class EntryTable {
  private let fields: FieldTable
  /// The changes of the open transaction that haven't been written yet.
  private var pending = EntryChanges()
  /// The transaction in which buffered changes are written; `nil` if none is open.
  private var openTransaction: WriteTransaction?

  init(fields: FieldTable) { self.fields = fields }

  /// The kind of an entry.
  package enum Kind: Int64 {
    /// The value of a field.
    case value = 0
    /// An element of an array.
    case element = 1
  }

  /// Updates the index for a change of a document. The changes are buffered; see ``writePending()``.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - old: its fields before the change; `nil` if it is inserted.
  ///   - new: its fields after the change; `nil` if it is deleted.
  ///   - policy: which fields of the document's collection have entries.
  ///   - transaction: the open transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the size of the indexed fields that differ, plus one comparison for each that
  ///   doesn't.
  func update(
    _ document: EntryChanges.Document, from old: Fields?, to new: Fields?, _ policy: FieldPolicy,
    in transaction: WriteTransaction
  ) throws {
    try pending.add(document, from: old, to: new, policy, fields, in: transaction)
    // This limits the memory that a large transaction uses.
    if pending.areMany { try pending.write(in: transaction) }
  }

  /// Inserts entries of a document that existed before an index was registered. If a write has inserted them
  /// since, they are replaced by equal ones. The other parameters are those of ``update(_:from:to:_:in:)``.
  ///
  /// - Throws: `SQLiteError`.
  func insert(
    _ document: EntryChanges.Document, _ fields: Fields, _ policy: FieldPolicy,
    in transaction: WriteTransaction
  ) throws {
    pending.replaces = true
    try update(document, from: nil, to: fields, policy, in: transaction)
  }

  /// Inserts the entries of one field of a document that existed before its index was registered, as the
  /// other `insert`.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - value: the value of the field.
  ///   - field: what is indexed of the field.
  ///   - transaction: the open transaction.
  /// - Throws: `SQLiteError`.
  func insert(
    _ document: EntryChanges.Document, _ value: Value, of field: FieldPolicy.Field,
    in transaction: WriteTransaction
  ) throws {
    pending.replaces = true
    pending.insert(value, of: document, field)
    if pending.areMany { try pending.write(in: transaction) }
  }

  /// Writes the buffered changes of the open transaction, if there is one, so that its reads find them.
  /// Queries call this before they read the index.
  ///
  /// - Throws: `SQLiteError`.
  func writePending() throws {
    if let openTransaction { try pending.write(in: openTransaction) }
  }

  /// Returns ``EntryGroup/column`` for a field's number and the kind of entry.
  package static func field(_ number: Int64, _ kind: Kind) -> Int64 { number * 2 + kind.rawValue }

  /// Returns an ordered encoding, or a bound for encodings, without trailing zeros, as it is compared with
  /// the rows of the table.
  ///
  /// This preserves the order of byte strings, which without trailing zeros is that of the strings extended
  /// by infinitely many zeros. It makes two strings equal only if they differ in trailing zeros alone, and no
  /// two encodings do.
  package static func shortened(_ bytes: Data) -> Data {
    guard bytes.last == 0 else { return bytes }
    return bytes.prefix(upTo: (bytes.lastIndex { $0 != 0 } ?? bytes.startIndex - 1) + 1)
  }

  /// Returns the range of an ordered encoding in a byte buffer without its trailing zeros, as it is inserted
  /// into the table.
  static func shortened(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
    // Checked: the end wasn't decreased below it.
    return range.lowerBound..<end
  }

  /// Migrates the table from the schema in which entries had trailing zeros and a separate column for their
  /// kind. It copies all rows in the order of the new primary key, so that they are appended.
  ///
  /// - Parameter connection: a connection in a transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of entries, with space for a second copy of the table.
  static func shorten(in connection: Connection) throws {
    try connection.execute(
      """
      ALTER TABLE entries RENAME TO long_entries;
      CREATE TABLE entries (
        collection INTEGER NOT NULL,
        field INTEGER NOT NULL,
        value BLOB NOT NULL,
        key BLOB NOT NULL,
        document INTEGER NOT NULL,
        PRIMARY KEY (collection, field, value, key)
      ) WITHOUT ROWID;
      """)
    try connection.forEachRow(
      "SELECT collection, field * 2 + kind, value, key, document FROM long_entries "
        + "ORDER BY collection, field, kind, value, key"
    ) { row in
      try connection.run(
        "INSERT INTO entries (collection, field, value, key, document) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(row.integer(0)), .integer(row.integer(1)), .blob(shortened(row.blob(2))),
          .blob(shortened(row.blob(3))), .integer(row.integer(4)),
        ])
      return true
    }
    try connection.execute("DROP TABLE long_entries")
  }

  /// Migrates the table from the schema in which the collection and the field were separate columns, as
  /// ``shorten(in:)`` does.
  ///
  /// - Parameter connection: a connection in a transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of entries, with space for a second copy of the table.
  static func joinColumns(in connection: Connection) throws {
    try connection.execute(
      """
      ALTER TABLE entries RENAME TO separate_entries;
      CREATE TABLE entries (
        value BLOB NOT NULL,
        key BLOB NOT NULL,
        document INTEGER NOT NULL,
        is_double INTEGER,
        PRIMARY KEY (value, key)
      ) WITHOUT ROWID;
      """)
    try connection.forEachRow(
      "SELECT collection, field, value, key, document, is_double FROM separate_entries "
        + "ORDER BY collection, field, value, key"
    ) { row in
      var value = EntryGroup(collection: row.integer(0), column: row.integer(1)).prefix
      value.append(row.blob(2))
      try connection.run(
        "INSERT INTO entries (value, key, document, is_double) VALUES (?, ?, ?, ?)",
        [
          .blob(value), .blob(row.blob(3)), .integer(row.integer(4)),
          row.optionalInteger(5).map(SQLValue.integer) ?? .null,
        ])
      return true
    }
    try connection.execute("DROP TABLE separate_entries")
  }
}

extension EntryTable: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) {
    openTransaction = transaction
  }

  func transactionWillCommit(_ transaction: WriteTransaction) throws { try pending.write(in: transaction) }

  func transactionCommitted() {
    openTransaction = nil
    pending.replaces = false
  }

  func transactionRolledBack() {
    openTransaction = nil
    pending.removeAll()
    pending.replaces = false
  }
}

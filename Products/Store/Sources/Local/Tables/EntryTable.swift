import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The index of every field, in the table `entries`, of which every write changes rows in many places: the shorter the rows, the
/// fewer pages are written.
///
/// `field` is the number of a field's path in the table `fields`, doubled, plus 1 for the elements of arrays. Values and keys are
/// ordered encodings without their trailing zeros: no encoding is a prefix of another one, so their order stays the same.
///
/// The encodings of 1 and 1.0 are the same, because they are equal. `is_double` distinguishes them, so that sums can be read
/// from the index.
final class EntryTable {
  private let fields: FieldTable
  /// The changes of the open transaction that aren't written yet.
  private var pending = EntryChanges()
  private var openTransaction: WriteTransaction?

  init(fields: FieldTable) { self.fields = fields }

  /// The kind of an entry: what it finds.
  enum Kind: Int64 {
    /// Documents whose field has a value, in the values' order.
    case value = 0
    /// Documents whose array holds an element.
    case element = 1
  }

  /// Brings the index up to date with a document's change.
  func update(
    _ document: EntryChanges.Document, from old: Fields?, to new: Fields?, in transaction: WriteTransaction
  ) throws {
    try pending.add(document, from: old, to: new, fields, in: transaction)
    // Large transactions don't fill the memory.
    if pending.areMany { try pending.write(in: transaction) }
  }

  /// Writes the pending changes of the open transaction, if there is one, so that its reads find them.
  func writePending() throws {
    if let openTransaction { try pending.write(in: openTransaction) }
  }

  /// Returns the value of `field` in the table for a field's number.
  static func field(_ number: Int64, _ kind: Kind) -> Int64 { number * 2 + kind.rawValue }

  /// Returns an ordered encoding, or a bound for encodings, as it is compared with the rows of the table.
  static func shortened(_ bytes: Data) -> Data {
    guard bytes.last == 0 else { return bytes }
    return bytes.prefix(upTo: (bytes.lastIndex { $0 != 0 } ?? bytes.startIndex - 1) + 1)
  }

  /// Returns the range of an ordered encoding among other bytes, as it is inserted into the table.
  static func shortened(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
    return range.lowerBound..<end
  }

  /// Migrates the table from the schema in which entries had trailing zeros and kinds had a column of their own.
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
}

extension EntryTable: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) {
    openTransaction = transaction
  }

  func transactionWillCommit(_ transaction: WriteTransaction) throws { try pending.write(in: transaction) }
  func transactionCommitted() { openTransaction = nil }

  func transactionRolledBack() {
    openTransaction = nil
    pending.removeAll()
  }
}

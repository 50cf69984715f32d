import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// How the index lies in the table `entries`, of which every write changes rows in many places: the shorter they are, the fewer
/// pages are written.
///
/// `field` is the number of a field's path in the table `fields`, doubled, and 1 more for the elements of arrays. Values and
/// keys are ordered encodings without the zeros at their end: no encoding is the beginning of another one, so their order
/// stays the same.
///
/// The encoding of 1 and 1.0 is the same, because they are equal. `is_double` tells them apart, so that sums can be read from
/// the index.
enum EntryTable {
  /// What is found by an entry.
  enum Kind: Int64 {
    /// Documents whose field has a value, in the values' order.
    case value = 0
    /// Documents whose array holds an element.
    case element = 1
  }

  static func field(_ number: Int64, _ kind: Kind) -> Int64 { number * 2 + kind.rawValue }

  /// An ordered encoding, or a bound of some, as it is compared with what lies in the table.
  static func shortened(_ bytes: Data) -> Data {
    guard bytes.last == 0 else { return bytes }
    return bytes.prefix(upTo: (bytes.lastIndex { $0 != 0 } ?? bytes.startIndex - 1) + 1)
  }

  /// Where an ordered encoding lies among other bytes, as it is put into the table.
  static func shortened(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
    return range.lowerBound..<end
  }

  /// Brings the table to its present form, from the one in which entries were whole and kinds had a column of their own.
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

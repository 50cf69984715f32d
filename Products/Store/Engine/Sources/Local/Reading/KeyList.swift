import TenonFoundation
import TenonSQLite

/// The keys of the documents with one value in an index, as a cursor that can skip ahead. Intersections use
/// one list per index.
///
/// The remaining keys are those from `lower` up to but not including `upper`. Skipping moves one of the
/// bounds and reads nothing; the next key is found by seeking, so it costs O(log n) in the size of the index,
/// regardless of the number of keys that are skipped.
///
/// A key in the table may be a prefix of another, because trailing zeros are removed; the immediate successor
/// of a key is therefore the key followed by a zero byte.
struct KeyList {
  /// The statement that finds the first remaining key.
  private let sql: String
  /// The values of all parameters but the last two, which are the bounds.
  private let bindings: [SQLValue]
  /// The inclusive lower bound of the remaining keys.
  private var lower: Data
  /// The exclusive upper bound of the remaining keys.
  private var upper: Data

  /// Creates the list; `nil` if it is empty because the scan has no range, or because no document has the
  /// indexed field.
  ///
  /// - Parameters:
  ///   - scan: the scan of an equality or `array-contains` condition, in which one value is read.
  ///   - collection: the number of the collection.
  ///   - fields: the numbers of field paths.
  /// - Throws: `SQLiteError`.
  init?(_ scan: IndexScan, in collection: Int64, _ fields: FieldTable) throws {
    // An equality has a single range.
    guard let range = scan.ranges.first, var statement = try IndexStatement(scan, in: collection, fields)
    else {
      return nil
    }
    let value = range.lower.value
    lower = EntryTable.shortened(range.lower.key)
    // Every key sorts before this: a key begins with a type tag.
    upper = Data([.max])
    if let end = range.upper, end.value == value { upper = EntryTable.shortened(end.key) }
    statement.add(value: value)
    bindings = statement.bindings
    // The keys move, and are bound for each search.
    statement.add("e.key >= ?")
    statement.add("e.key < ?")
    sql = statement.sql(reading: "e.key, e.document", joinsDocuments: false, limit: 1)
  }

  /// Returns the first remaining entry; the last one if the index is read backward; `nil` if there are none
  /// left.
  ///
  /// - Returns: the key as it is in the table, without trailing zeros, and the row ID of the document.
  /// - Throws: `SQLiteError`.
  func first(in database: DatabaseReader) throws -> (key: Data, document: Int64)? {
    try database.first(sql, bindings + [.blob(lower), .blob(upper)]) { ($0.blob(0), $0.integer(1)) }
  }

  /// Skips the entries before a key, in reading direction.
  mutating func leap(to key: Data, isReversed: Bool) {
    if isReversed { upper = key + [0] } else { lower = key }
  }

  /// Skips the entries up to and including a key, in reading direction.
  mutating func leap(past key: Data, isReversed: Bool) {
    if isReversed { upper = key } else { lower = key + [0] }
  }
}

import Foundation
import TenonSQLite

/// The keys of the documents that have one value, from one key up to another.
///
/// A key in the table may be a prefix of another one, so its successor is the key followed by a zero.
struct KeyList {
  private let sql: String
  private let bindings: [SQLValue]
  private var lower: Data
  private var upper: Data

  /// `nil` if it is empty.
  init?(_ scan: IndexScan, in collection: Int64, _ fields: FieldTable) throws {
    // One value, so one range.
    guard let range = scan.ranges.first, var statement = try IndexStatement(scan, in: collection, fields)
    else {
      return nil
    }
    let value = range.lower.value
    lower = EntryTable.shortened(range.lower.key)
    // Every key is less: it begins with a tag.
    upper = Data([.max])
    if let end = range.upper, end.value == value { upper = EntryTable.shortened(end.key) }
    statement.add("e.value = ?", value)
    bindings = statement.bindings
    statement.add("e.key >= ?", lower)
    statement.add("e.key < ?", upper)
    sql = statement.sql(reading: "e.key, e.document", joinsDocuments: false, limit: 1)
  }

  /// The first remaining entry, or the last one if the list is read from its end.
  func first(in database: DatabaseReader) throws -> (key: Data, document: Int64)? {
    try database.first(sql, bindings + [.blob(lower), .blob(upper)]) { ($0.blob(0), $0.integer(1)) }
  }

  /// Restricts the list to a key and what follows it.
  mutating func leap(to key: Data, isReversed: Bool) {
    if isReversed { upper = key + [0] } else { lower = key }
  }

  /// Restricts the list to what follows a key.
  mutating func leap(past key: Data, isReversed: Bool) {
    if isReversed { upper = key } else { lower = key + [0] }
  }
}

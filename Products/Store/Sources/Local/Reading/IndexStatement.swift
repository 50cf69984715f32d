import TenonSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Builds the SQL statement that reads entries of an index, in index order.
///
/// The conditions fix the leading columns of the table's primary key, or of its unique index for documents, and bound
/// the following ones: the collection, the field or the index, then the value and the key. SQLite therefore seeks to
/// the first entry and reads the others in order, without sorting; a bound of value and key together is a row value
/// (https://www.sqlite.org/rowvalue.html). The text depends on the shape of the bounds only, and all values are bound,
/// so that the connection's cache of prepared statements applies.
struct IndexStatement {
  /// The table and its alias, `d` for documents and `e` for entries.
  private let table: String
  /// The conditions of the `WHERE` clause, joined by `AND`.
  private var conditions: String
  /// The values of the parameters in ``conditions``.
  private(set) var bindings: [SQLValue]
  private let isReversed: Bool
  private let isOfDocuments: Bool
  private let isOfEntries: Bool

  /// Creates the statement for a range of a scan; `nil` if no document has the indexed field.
  ///
  /// - Parameters:
  ///   - scan: the scan.
  ///   - collection: the number of the collection; 0 for an index over a collection group.
  ///   - fields: the numbers of field paths.
  ///   - range: the range to read, which must not be empty.
  /// - Throws: `SQLiteError`.
  init?(_ scan: IndexScan, in collection: Int64, _ fields: FieldTable, _ range: PlaceRange) throws {
    try self.init(scan, in: collection, fields)
    bound(range)
  }

  /// Creates the statement for a scan without bounds; `nil` if no document has the indexed field.
  ///
  /// - Throws: `SQLiteError`.
  init?(_ scan: IndexScan, in collection: Int64, _ fields: FieldTable) throws {
    isReversed = scan.isReversed
    switch scan.index {
    case .documents:
      (table, isOfDocuments, isOfEntries) = ("documents d", true, false)
      conditions = "d.collection = ?"
      bindings = [.integer(collection)]
    case .entries(let field, let kind):
      guard let number = try fields.number(of: field) else { return nil }
      (table, isOfDocuments, isOfEntries) = ("entries e", false, true)
      conditions = "e.collection = ? AND e.field = ?"
      bindings = [.integer(collection), .integer(EntryTable.field(number, kind))]
    case .declared(let index):
      (table, isOfDocuments, isOfEntries) = ("index_entries e", false, false)
      conditions = "e.idx = ? AND e.collection = ?"
      bindings = [.integer(index.number), .integer(collection)]
    }
  }

  /// Adds the bounds of a range to the conditions.
  private mutating func bound(_ range: PlaceRange) {
    let (lower, upper) = (range.lower, range.upper)
    guard !isOfDocuments else {
      // Documents have a key only, no value.
      if !lower.key.isEmpty { add("d.key >= ?", lower.key) }
      if let upper { add("d.key < ?", upper.key) }
      return
    }
    if let upper, upper.value == lower.value {
      add("e.value = ?", lower.value)
      if !lower.key.isEmpty { add("e.key >= ?", lower.key) }
      add("e.key < ?", upper.key)
    } else {
      if lower.key.isEmpty {
        if !lower.value.isEmpty { add("e.value >= ?", lower.value) }
      } else {
        add("(e.value, e.key) >= (?, ?)", lower.value, lower.key)
      }
      guard let upper else { return }
      if upper.key.isEmpty {
        add("e.value < ?", upper.value)
      } else {
        add("(e.value, e.key) < (?, ?)", upper.value, upper.key)
      }
    }
  }

  /// Adds a condition with its values. For entries, trailing zeros are removed from the values, as in the table.
  ///
  /// - Parameters:
  ///   - condition: an SQL condition, with `?` for each value.
  ///   - values: the encoded values.
  mutating func add(_ condition: String, _ values: Data...) {
    conditions += " AND "
    conditions += condition
    for value in values { bindings.append(.blob(isOfEntries ? EntryTable.shortened(value) : value)) }
  }

  /// SQL that counts the entries.
  var counting: String { "SELECT count(*) FROM \(table) WHERE \(conditions)" }

  /// SQL that counts the entries, up to a limit that is bound last.
  var countingUpToLimit: String {
    "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(conditions) LIMIT ?)"
  }

  /// Returns the SQL of the statement.
  ///
  /// - Parameters:
  ///   - columns: the columns to read; those of entries only, unless documents are joined.
  ///   - joinsDocuments: whether the documents of the entries are joined as well.
  ///   - limit: the maximum number of rows; `nil` for no limit.
  func sql(reading columns: String, joinsDocuments: Bool = true, limit: Int? = nil) -> String {
    // CROSS JOIN prevents SQLite from reading the documents first (https://www.sqlite.org/optoverview.html#crossjoin).
    let source =
      isOfDocuments || !joinsDocuments ? table : "\(table) CROSS JOIN documents d ON d.id = e.document"
    let direction = isReversed ? "DESC" : "ASC"
    let order = isOfDocuments ? "d.key \(direction)" : "e.value \(direction), e.key \(direction)"
    return "SELECT \(columns) FROM \(source) WHERE \(conditions) ORDER BY \(order)"
      + (limit.map { " LIMIT \($0)" } ?? "")
  }
}

import TenonDocuments
import TenonFoundation
import TenonSQLite

/// Builds the SQL statement that reads entries of an index, in index order.
///
/// The conditions fix the leading columns of the table's primary key, or of its unique index for documents,
/// and bound the following ones: the collection or the index, then the value and the key; in the table
/// `entries`, the value begins with the collection and the field. SQLite therefore seeks to the first entry
/// and reads the others in order, without sorting; a bound of value and key together is a row value
/// (https://www.sqlite.org/rowvalue.html). The text depends on the shape of the bounds only, and all values
/// are bound, so that the connection's cache of prepared statements applies.
struct IndexStatement {
  /// The table and its alias, `d` for documents and `e` for entries.
  private let table: String
  /// The conditions of the `WHERE` clause, which are joined by `AND`.
  private var conditions: [String] = []
  /// The values of the parameters in ``conditions``.
  private(set) var bindings: [SQLValue] = []
  private let isReversed: Bool
  private let isOfDocuments: Bool
  /// What precedes the values in the table `entries`; `nil` for other tables.
  let prefix: Data?
  /// The values at which the entries begin and before which they end, as they are in the table `entries`;
  /// `nil` for other tables, and for bounds with keys.
  private var values: (start: Data, end: Data)?

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
    if isOfDocuments { boundKeys(range) } else { bound(range) }
  }

  /// Creates the statement for a scan without bounds, to which the caller adds the value and bounds of the
  /// key; `nil` if no document has the indexed field.
  ///
  /// - Throws: `SQLiteError`.
  init?(_ scan: IndexScan, in collection: Int64, _ fields: FieldTable) throws {
    isReversed = scan.isReversed
    switch scan.index {
    case .documents:
      (table, isOfDocuments, prefix) = ("documents d", true, nil)
      add("d.collection = ?", .integer(collection))
    case .entries(let field, let kind):
      guard let number = try fields.number(of: field) else { return nil }
      let group = EntryGroup(collection: collection, column: EntryTable.field(number, kind))
      (table, isOfDocuments, prefix) = ("entries e", false, group.prefix)
    case .declared(let index):
      (table, isOfDocuments, prefix) = ("index_entries e", false, nil)
      add("e.idx = ?", .integer(index.number))
      add("e.collection = ?", .integer(collection))
      if index.hidesDropped {
        add(
          "(SELECT collection FROM documents WHERE id = e.document) NOT IN (SELECT id FROM dropped_collections)"
        )
      }
    }
  }

  // MARK: - Conditions

  /// Adds the bounds of a range of documents, which have a key only, no value.
  private mutating func boundKeys(_ range: PlaceRange) {
    if !range.lower.key.isEmpty { add("d.key >= ?", .blob(range.lower.key)) }
    if let upper = range.upper { add("d.key < ?", .blob(upper.key)) }
  }

  /// Adds the bounds of a range of entries.
  private mutating func bound(_ range: PlaceRange) {
    let (lower, upper) = (range.lower, range.upper)
    if let upper, upper.value == lower.value {
      add(value: lower.value)
      if !lower.key.isEmpty { add("e.key >= ?", key(lower.key)) }
      return add("e.key < ?", key(upper.key))
    }
    // In other tables, a condition on another column ends a range without an upper bound.
    let end = upper.map { value($0.value) } ?? prefix?.successor
    if lower.key.isEmpty {
      if prefix != nil || !lower.value.isEmpty { add("e.value >= ?", .blob(value(lower.value))) }
    } else {
      add("(e.value, e.key) >= (?, ?)", .blob(value(lower.value)), key(lower.key))
    }
    if let upper, !upper.key.isEmpty {
      add("(e.value, e.key) < (?, ?)", .blob(value(upper.value)), key(upper.key))
    } else if let end {
      add("e.value < ?", .blob(end))
    }
    if prefix != nil, lower.key.isEmpty, upper?.key.isEmpty ?? true, let end {
      values = (value(lower.value), end)
    }
  }

  /// Adds the condition that the entries have a value.
  mutating func add(value: Data) { add("e.value = ?", .blob(self.value(value))) }

  /// Adds a condition.
  ///
  /// - Parameters:
  ///   - condition: an SQL condition, with `?` for each value.
  ///   - values: the values, as they are in the table.
  mutating func add(_ condition: String, _ values: SQLValue...) {
    conditions.append(condition)
    bindings += values
  }

  /// Returns an encoded value as it is in the table.
  private func value(_ value: Data) -> Data { prefix.map { $0 + EntryTable.shortened(value) } ?? value }

  /// Returns an encoded key as it is in the table.
  private func key(_ key: Data) -> SQLValue { .blob(prefix == nil ? key : EntryTable.shortened(key)) }

  private var filter: String { conditions.joined(separator: " AND ") }

  // MARK: - Adding

  /// Returns the sum of the numbers of all entries; `nil` if an entry may contain a number without having it
  /// in the column `number`.
  ///
  /// - Parameters:
  ///   - database: the database.
  ///   - checkCancellation: called in between.
  /// - Throws: `SQLiteError`; what `checkCancellation` throws.
  /// - Complexity: O(n) in the number of entries.
  func sum(
    in database: DatabaseReader, checkingCancellation checkCancellation: () throws -> Void
  ) throws -> SQLSum? {
    let sum = try database.sum(
      "e.number", of: "\(table) WHERE \(filter)", bindings, checking: checkCancellation)
    return sum.integerCount + sum.doubleCount == sum.rows ? sum : nil
  }

  /// Returns the sums of fields of the documents.
  ///
  /// - Parameters:
  ///   - fields: the fields; at least one, and at most `Connection.sumsLimit`.
  ///   - database: the database.
  ///   - checkCancellation: called in between.
  /// - Throws: `SQLiteError`; what `checkCancellation` throws.
  /// - Complexity: O(n) in the number of documents.
  func sums(
    of fields: [StoredField], in database: DatabaseReader,
    checkingCancellation checkCancellation: () throws -> Void
  ) throws -> SQLSums {
    try database.sums(of: fields, in: "\(documents) WHERE \(filter)", bindings, checking: checkCancellation)
  }

  // MARK: - Counting

  /// Returns the number of entries.
  ///
  /// Comparing each entry with the end of the range would take SQLite several times as long as stepping over
  /// it. So while the end is far, entries are skipped in a scan without an end, in steps that become longer.
  ///
  /// - Parameter checkCancellation: called between steps.
  /// - Throws: `SQLiteError`; what `checkCancellation` throws.
  /// - Complexity: O(n) in the number of entries.
  func count(in database: DatabaseReader, checkingCancellation checkCancellation: () throws -> Void) throws
    -> Int
  {
    func count(_ condition: String, _ bindings: [SQLValue]) throws -> Int {
      try database.first("SELECT count(*) FROM \(table) WHERE \(condition)", bindings) {
        Int(clamping: $0.integer(0))
      } ?? 0
    }
    guard let values else { return try count(filter, bindings) }
    var (start, counted, step) = (values.start, 0, Self.firstStep)
    while true {
      try checkCancellation()
      let next = try database.first(
        "SELECT e.value, e.key FROM entries e WHERE e.value >= ? ORDER BY e.value, e.key LIMIT 1 OFFSET ?",
        [.blob(start), .integer(step)]
      ) { (value: $0.blob(0), key: $0.blob(1)) }
      guard let next, next.value.precedes(values.end) else {
        return try counted + count("e.value >= ? AND e.value < ?", [.blob(start), .blob(values.end)])
      }
      if next.value == start {
        // Many documents have the same value.
        counted += try count("e.value = ?", [.blob(start)])
        // The smallest byte string after the value. Trailing zeros are removed from the values in the table,
        // so no entry has it.
        start.append(0)
      } else {
        // Entries with the next value that were skipped are counted in the next step.
        counted += try step - count("e.value = ? AND e.key < ?", [.blob(next.value), .blob(next.key)])
        start = next.value
      }
      step = min(step * 4, Self.longestStep)
    }
  }

  /// The number of entries in the first step, which limits how many are read beyond the end of a short range.
  private static let firstStep = 64
  private static let longestStep = 4096

  /// Returns the number of entries, but at most `limit`. No entry beyond the limit is read.
  ///
  /// - Throws: `SQLiteError`.
  func count(upTo limit: Int, in database: DatabaseReader) throws -> Int {
    try database.first(
      "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(filter) LIMIT ?)", bindings + [.integer(limit)]
    ) { Int(clamping: $0.integer(0)) } ?? 0
  }

  /// Returns the SQL of the statement.
  ///
  /// - Parameters:
  ///   - columns: the columns to read; those of entries only, unless documents are joined.
  ///   - joinsDocuments: whether the documents of the entries are joined as well.
  ///   - limit: the maximum number of rows; `nil` for no limit.
  func sql(reading columns: String, joinsDocuments: Bool = true, limit: Int? = nil) -> String {
    let source = joinsDocuments ? documents : table
    let direction = isReversed ? "DESC" : "ASC"
    let order = isOfDocuments ? "d.key \(direction)" : "e.value \(direction), e.key \(direction)"
    return "SELECT \(columns) FROM \(source) WHERE \(filter) ORDER BY \(order)"
      + (limit.map { " LIMIT \($0)" } ?? "")
  }

  /// The table, and the documents of its entries.
  private var documents: String {
    // CROSS JOIN prevents SQLite from reading the documents first
    // (https://www.sqlite.org/optoverview.html#crossjoin).
    isOfDocuments ? table : "\(table) CROSS JOIN documents d ON d.id = e.document"
  }
}

import TenonSQLite

/// Reads the rows of a table past pages that can't be read.
enum SalvagedRows {
  /// The number of rows that are probed between two damaged places, and how many in a row may be missing.
  private static let mostProbes: Int64 = 1_000_000
  private static let mostMisses = 50_000

  /// Calls `body` with the rows in no particular order.
  ///
  /// - Parameters:
  ///   - columns: the columns, as SQL. They follow the row's `id`, which is column 0.
  ///   - table: a table whose primary key is `id`.
  /// - Returns: whether every page could be read.
  static func forEach(
    _ columns: String, of table: String, in connection: Connection, _ body: (borrowing Row) throws -> Void
  ) throws -> Bool {
    func scan(_ end: String, _ bindings: [SQLValue] = [], reaching last: inout Int64) throws -> Bool {
      do {
        try connection.forEachRow("SELECT id, \(columns) FROM \(table) \(end)", bindings) { row in
          last = row.integer(0)
          try body(row)
          return true
        }
        return true
      } catch let error as SQLiteError where [.damaged, .misuse].contains(error.code) {
        // If the tables' own names are damaged, the statement seems to be wrong.
        return false
      }
    }
    var last: Int64 = .min
    if try scan("ORDER BY id", reaching: &last) { return true }
    // From the other end back to the damage.
    var first: Int64 = .max
    if try scan("WHERE id > ? ORDER BY id DESC", [.integer(last)], reaching: &first) { return false }
    // Rows in between are read one by one: only some of the pages are damaged.
    var misses = 0
    let start = last == .min ? 1 : last &+ 1
    for id in start..<max(start, min(first, start.addingReportingOverflow(mostProbes).partialValue)) {
      var found: Int64 = .max
      _ = try scan("WHERE id = ?", [.integer(id)], reaching: &found)
      misses = found == id ? 0 : misses + 1
      if misses == mostMisses { break }
    }
    return false
  }
}

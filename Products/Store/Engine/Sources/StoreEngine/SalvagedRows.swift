package import TenonSQLite

/// Reads the rows of a table, skipping pages that can't be read.
package enum SalvagedRows {
  /// The maximum number of row IDs probed between two damaged places, and the maximum number of consecutive
  /// missing rows.
  private static let mostProbes: Int64 = 1_000_000
  private static let mostMisses = 50_000

  /// Calls `body` with the readable rows, each at most once, in no particular order.
  ///
  /// Rows are first read in ascending order up to the first damaged page, then in descending order from the
  /// end of the table down to the last damaged page. Between the two, each possible row ID is looked up
  /// individually, up to the maximum numbers of probes and of consecutive missing rows.
  ///
  /// - Parameters:
  ///   - columns: the columns, as SQL. They follow the row's `id`, which is column 0.
  ///   - table: a table whose primary key is `id`.
  ///   - connection: the connection to the database.
  ///   - body: called with each row.
  /// - Returns: whether every page could be read. If not, rows may be missing.
  /// - Throws: errors of SQLite, except damage; every error of `body`.
  /// - Complexity: O(n) for n rows of an undamaged table; otherwise, in addition, up to a million searches by
  ///   row ID.
  static func forEach(
    _ columns: String, of table: String, in connection: Connection, _ body: (borrowing Row) throws -> Void
  ) throws -> Bool {
    /// Whether `body` has thrown, whose errors don't concern the table.
    var hasThrown = false
    /// Reads rows until the first damaged page; `last` is the ID of the last row read.
    ///
    /// - Returns: whether all rows were read.
    func scan(_ end: String, _ bindings: [SQLValue] = [], reaching last: inout Int64) throws -> Bool {
      do {
        try connection.forEachRow("SELECT id, \(columns) FROM \(table) \(end)", bindings) { row in
          last = row.integer(0)
          do { try body(row) } catch {
            hasThrown = true
            throw error
          }
          return true
        }
        return true
      } catch let error as SQLiteError where !hasThrown && isDamage(error) {
        return false
      }
    }
    var last: Int64 = .min
    if try scan("ORDER BY id", reaching: &last) { return true }
    // Continues from the other end, backward to the damage.
    var first: Int64 = .max
    if try scan("WHERE id > ? ORDER BY id DESC", [.integer(last)], reaching: &first) { return false }
    // The rows in between are read one by one, because only some of the pages are damaged.
    var misses = 0
    let start = last == .min ? 1 : last &+ 1
    // Checked: the end isn't before the start.
    for id in start..<max(start, min(first, start.addingReportingOverflow(mostProbes).partialValue)) {
      var found: Int64 = .max
      _ = try scan("WHERE id = ?", [.integer(id)], reaching: &found)
      misses = found == id ? 0 : misses + 1
      if misses == mostMisses { break }
    }
    return false
  }

  /// Returns whether an error shows that the database is damaged. If its schema is, SQLite reports statements
  /// as invalid.
  package static func isDamage(_ error: SQLiteError) -> Bool { [.damaged, .misuse].contains(error.code) }
}

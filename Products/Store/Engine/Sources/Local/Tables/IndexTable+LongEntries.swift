import TenonDocuments
import TenonSQLite

extension IndexTable {
  /// Migrates from the schema in which a text or a byte string that was cut had the same entry as a whole
  /// value with the same bytes: if there are entries of that length, the indexes are emptied, and rebuilt in
  /// the background. Text indexes don't contain values.
  ///
  /// - Parameter connection: a connection in a transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of entries.
  static func renewLongEntries(in connection: Connection) throws {
    let length = SQLValue.integer(IndexEncoding.limit)
    let found = try ["entries", "index_entries"].contains { table in
      try connection.first("SELECT 1 FROM \(table) WHERE length(value) >= ? LIMIT 1", [length]) { _ in true }
        ?? false
    }
    guard found else { return }
    for table in ["entries", "index_entries"] { try connection.execute("DELETE FROM \(table)") }
    try connection.run(
      """
      UPDATE indexes SET state = ?, collection = 0, key = x'', documents = 0, total = (SELECT count(*) \
      FROM collections c CROSS JOIN documents d ON d.collection = c.id \
      WHERE c.collection_id = indexes.collection_id OR indexes.collection_id = '') \
      WHERE kind <> ? AND state IN (?, ?)
      """,
      [
        .integer(DeclaredIndex.State.building.rawValue), .integer(StoredTextIndex.kind),
        .integer(DeclaredIndex.State.building.rawValue), .integer(DeclaredIndex.State.complete.rawValue),
      ])
  }
}

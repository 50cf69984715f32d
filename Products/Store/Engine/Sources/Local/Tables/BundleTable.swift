import TenonDocuments
import TenonSQLite
import TenonValues

/// The tables `bundles` and `named_queries`: the loaded bundles and their named queries.
///
/// A bundle is identified by its ID and the time of its creation at the server. Named queries outlive their
/// bundle: a later bundle replaces those with the same names and leaves the others.
struct BundleTable {
  private let reader: DatabaseReader

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns whether the bundle, or a newer one with the same ID, was already loaded.
  func hasLoaded(_ bundle: Bundle) throws -> Bool {
    let created = try reader.first("SELECT created FROM bundles WHERE id = ?", [.text(bundle.id)]) {
      $0.integer(0)
    }
    return created.map { $0 >= bundle.createTime.microsecondsSince1970 } ?? false
  }

  /// Records that a bundle has been loaded, replacing an older one with the same ID.
  func insert(_ bundle: Bundle, in transaction: WriteTransaction) throws {
    try transaction.run(
      "INSERT OR REPLACE INTO bundles (id, created) VALUES (?, ?)",
      [.text(bundle.id), .integer(bundle.createTime.microsecondsSince1970)])
  }

  /// Saves a named query, replacing one with the same name. Its JSON is stored as it is in the bundle.
  func insert(_ query: Bundle.Query, in transaction: WriteTransaction) throws {
    try transaction.run(
      "INSERT OR REPLACE INTO named_queries (name, read, query) VALUES (?, ?, ?)",
      [.text(query.name), .integer(query.readTime.microsecondsSince1970), .blob(query.json)])
  }

  /// Returns a named query of a loaded bundle; `nil` if there is none.
  ///
  /// - Parameter name: the name, which is compared byte by byte.
  /// - Throws: the error of decoding the query; `SQLiteError`.
  func query(named name: String) throws -> BundledQuery? {
    try reader.first("SELECT query FROM named_queries WHERE name = ?", [.text(name)]) { $0.blob(0) }
      .map { try BundledQuery($0) }
  }
}

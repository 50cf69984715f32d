import TenonDocuments
import TenonSQLite
import TenonValues

/// Reads every readable document of a possibly damaged database.
///
/// Documents are read as users of the device saw them, with pending writes applied. The scan takes place in
/// the initializer; the value holds only its result and the connection.
struct StoredDocumentScan {
  /// Whether everything could be read. If not, the number of missing documents can't be determined.
  private(set) var isComplete = true
  private let connection: Connection

  /// Checks whether every document can be read.
  ///
  /// - Throws: errors of SQLite other than damage.
  init(_ connection: Connection) throws { try self.init(connection) { _, _ in } }

  /// Calls `body` with the readable documents.
  ///
  /// - Parameters:
  ///   - connection: the connection to the database.
  ///   - body: called with the path and the fields of each document, in no particular order.
  /// - Throws: errors of SQLite, except damage; every error of `body`, also one that reports the damage of
  ///   another database.
  /// - Complexity: O(n) in the size of the documents; see ``SalvagedRows`` for a damaged table.
  init(_ connection: Connection, _ body: (ResourcePath, Fields) throws -> Void) throws {
    self.connection = connection
    var collections: [Int64: ResourcePath] = [:]
    // Files of older versions have no such table.
    let dropped = Set((try? connection.rows("SELECT id FROM dropped_collections") { $0.integer(0) }) ?? [])
    var unreadable = false
    let hasAllPages = try SalvagedRows.forEach(
      "collection, name, fields", of: "documents", in: connection
    ) { row in
      let number = row.integer(1)
      guard !dropped.contains(number) else { return }
      let document: (path: ResourcePath, fields: Fields)
      do {
        let parent = try collections[number] ?? collection(number)
        collections[number] = parent
        document = (parent.appending(row.text(2)), try DocumentCoding.decode(row.blob(3)))
      } catch is DocumentError {
        unreadable = true
        return
      } catch let error as SQLiteError where SalvagedRows.isDamage(error) {
        unreadable = true
        return
      }
      try body(document.path, document.fields)
    }
    isComplete = hasAllPages && !unreadable
  }

  /// Returns the path of a collection.
  ///
  /// - Parameter number: the number by which documents refer to their collection.
  /// - Throws: `DocumentError` if the collection has no row, or its path is invalid; `SQLiteError`.
  private func collection(_ number: Int64) throws -> ResourcePath {
    let path = try connection.first("SELECT path FROM collections WHERE id = ?", [.integer(number)]) {
      $0.text(0)
    }
    return try ResourcePath(collection: path ?? "")
  }
}

import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Reads every readable document of a possibly damaged database.
struct StoredDocumentScan {
  /// Whether everything could be read.
  private(set) var isComplete = true
  private let connection: Connection

  /// Checks whether every document can be read.
  init(_ connection: Connection) throws { try self.init(connection) { _, _ in } }

  /// Calls `body` with the readable documents.
  init(_ connection: Connection, _ body: (ResourcePath, Fields) throws -> Void) throws {
    self.connection = connection
    var collections: [Int64: ResourcePath] = [:]
    var unreadable = false
    let hasAllPages = try SalvagedRows.forEach(
      "collection, name, fields", of: "documents", in: connection
    ) { row in
      let number = row.integer(1)
      do {
        let parent = try collections[number] ?? collection(number)
        collections[number] = parent
        let path = parent.appending(row.text(2))
        let fields = try DocumentCoding.decode(row.blob(3))
        try body(path, fields)
      } catch is DocumentError {
        unreadable = true
      }
    }
    isComplete = hasAllPages && !unreadable
  }

  private func collection(_ number: Int64) throws -> ResourcePath {
    let path = try connection.first("SELECT path FROM collections WHERE id = ?", [.integer(number)]) {
      $0.text(0)
    }
    return try ResourcePath(collection: path ?? "")
  }
}

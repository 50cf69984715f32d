import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Reads every document that a database still has, past what is damaged.
struct StoredDocumentScan {
  /// Whether everything was read.
  private(set) var isComplete = true
  private let connection: Connection
  private var collections: [Int64: ResourcePath] = [:]

  /// How many documents are looked for between two damaged places, and how many in a row may not be found.
  private static let mostProbes: Int64 = 1_000_000
  private static let mostMisses = 50_000
  private static let columns = "SELECT id, collection, name, fields FROM documents"

  /// Looks whether every document can be read.
  init(_ connection: Connection) throws { try self.init(connection) { _, _ in } }

  /// Hands out the documents.
  init(_ connection: Connection, _ body: (ResourcePath, Fields) throws -> Void) throws {
    self.connection = connection
    var last: Int64 = .min
    guard try scan("\(Self.columns) ORDER BY id", reaching: &last, body) else { return }
    // From the other end down to where the damage begins.
    var first: Int64 = .max
    let rest = "\(Self.columns) WHERE id > \(last) ORDER BY id DESC"
    guard try scan(rest, reaching: &first, body) else { return }
    // What lies between is asked for one by one: only some of its pages are damaged.
    var misses = 0
    let start = last == .min ? 1 : last + 1
    for id in start..<min(first, start.addingReportingOverflow(Self.mostProbes).partialValue) {
      var found: Int64 = .max
      _ = try scan("\(Self.columns) WHERE id = ?", [.integer(id)], reaching: &found, body)
      misses = found == id ? 0 : misses + 1
      if misses == Self.mostMisses { break }
    }
  }

  /// Hands out the documents of a query up to the first page that can't be read.
  ///
  /// - Returns: whether there was one.
  private mutating func scan(
    _ sql: String, _ bindings: [SQLValue] = [], reaching last: inout Int64,
    _ body: (ResourcePath, Fields) throws -> Void
  ) throws -> Bool {
    do {
      var unreadable = false
      var collections = collections
      try connection.forEachRow(sql, bindings) { row in
        last = row.integer(0)
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
        return true
      }
      self.collections = collections
      if unreadable { isComplete = false }
      return false
    } catch let error as SQLiteError where [.damaged, .misuse].contains(error.code) {
      // Where the tables' own names are damaged, the statement seems to be wrong.
      isComplete = false
      return true
    }
  }

  private func collection(_ number: Int64) throws -> ResourcePath {
    let path = try connection.first("SELECT path FROM collections WHERE id = ?", [.integer(number)]) {
      $0.text(0)
    }
    return try ResourcePath(collection: path ?? "")
  }
}

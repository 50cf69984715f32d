import TenonDocuments
import TenonSQLite
import TenonValues

extension PresentDocuments {
  func forEachPath(
    below path: ResourcePath, isOnePerCollection: Bool, _ body: (ResourcePath) throws -> Void
  ) throws {
    let (condition, bindings) = path.segments.isEmpty ? ("true", []) : Self.below(path)
    let grouping = isOnePerCollection ? "GROUP BY collection" : ""
    try connection.forEachRow(
      "SELECT path FROM documents WHERE database = ? AND \(condition) \(grouping)", [.integer(id)] + bindings
    ) { row in
      if stopsWhenCancelled { try Task.checkCancellation() }
      try body(Self.path(row.text(0)))
      return true
    }
  }

  /// Calls a closure with each document, in the order of their collections and IDs.
  func forEachDocument(_ body: (ResourcePath, Fields) throws -> Void) throws {
    try connection.forEachRow(
      "SELECT path, fields FROM documents WHERE database = ? ORDER BY collection, key", [.integer(id)]
    ) { row in
      let path = Self.path(row.text(0))
      try body(path, try DocumentCoding.decode(row.blob(1)))
      return true
    }
  }

  /// Returns the paths of all documents.
  func allPaths() throws -> [ResourcePath] {
    try connection.rows("SELECT path FROM documents WHERE database = ?", [.integer(id)]) {
      Self.path($0.text(0))
    }
  }
}

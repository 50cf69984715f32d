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

  /// Returns the paths of all documents.
  func allPaths() throws -> [ResourcePath] {
    try connection.rows("SELECT path FROM documents WHERE database = ?", [.integer(id)]) {
      Self.path($0.text(0))
    }
  }
}

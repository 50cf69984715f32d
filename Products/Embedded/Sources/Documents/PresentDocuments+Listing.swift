import TenonDocuments
import TenonSQLite
import TenonValues

extension PresentDocuments {
  /// Returns the IDs of the collections directly below a document, sorted by their bytes. A collection exists
  /// as long as it, or a collection below it, has documents.
  ///
  /// - Parameters:
  ///   - parent: the path of the document, which needn't exist; without segments, the root of the database.
  ///   - after: only IDs after this one are returned; `nil` for all.
  ///   - limit: the greatest number of IDs, at least 1.
  /// - Complexity: O(*n*) in the number of documents of the database.
  func collectionIDs(below parent: ResourcePath, after: String?, limit: Int) throws -> [String] {
    var found: Set<UTF8Text> = []
    let depth = parent.segments.count
    try connection.forEachRow(
      "SELECT path FROM documents WHERE database = ? GROUP BY collection", [.integer(id)]
    ) { row in
      if stopsWhenCancelled { try Task.checkCancellation() }
      let path = Self.path(row.text(0))
      // Checked: the number of the parent's segments.
      guard path.segments.count > depth, ResourcePath(segments: Array(path.segments.prefix(depth))) == parent
      else {
        return true
      }
      found.insert(UTF8Text(path.segments[depth]))
      return true
    }
    let texts = found.map(\.string).filter { id in
      after.map { $0.utf8.lexicographicallyPrecedes(id.utf8) } ?? true
    }
    // Checked: a positive number, by contract.
    return Array(texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit))
  }

  /// Returns the paths of all documents.
  func allPaths() throws -> [ResourcePath] {
    try connection.rows("SELECT path FROM documents WHERE database = ?", [.integer(id)]) {
      Self.path($0.text(0))
    }
  }
}

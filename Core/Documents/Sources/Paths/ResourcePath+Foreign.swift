package import TenonValues

/// References to documents of other databases, which a document can contain, although nothing can be read
/// through them.
///
/// Such a path has the full name of the root of its database as its first segment, which no other path has,
/// because an ID contains no slash. So it is stored, ordered and compared like others, isn't accepted as the
/// path of a document, and is written as it was read.
extension ResourcePath {
  /// Creates the reference to a document of another database.
  ///
  /// - Parameters:
  ///   - root: the full name of the root of its database, `projects/P/databases/D/documents`.
  ///   - path: the path in that database.
  package init(foreignRoot root: String, _ path: ResourcePath) {
    self.init(segments: [root] + path.segments)
  }

  /// The other database and the path in it; `nil` for a path that isn't one of another database.
  package var foreignDatabase: (database: DatabaseName, path: ResourcePath)? {
    guard isForeign, let root = segments.first, let database = try? DatabaseName(parsing: root) else {
      return nil
    }
    return (database, ResourcePath(segments: Array(segments.dropFirst())))
  }

  /// Whether the path is one of another database.
  package var isForeign: Bool { segments.first?.utf8.contains(UInt8(ascii: "/")) ?? false }
}

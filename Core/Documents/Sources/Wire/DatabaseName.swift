package import TenonValues

/// The name of a database, from which the full names of its documents are derived.
///
/// In the protocol, a database is `projects/P/databases/D`, its root is `projects/P/databases/D/documents`,
/// and the full name of a document is the root, a slash and the path. Full names are used in JSON as they
/// are, and percent-encoded in URLs.
///
/// ```swift
/// let database = DatabaseName(project: "demo")
/// let den = ResourcePath(segments: ["rooms", "the den"])
/// database.fullName(of: den)  // → "projects/demo/databases/(default)/documents/rooms/the den"
/// database.urlPath(of: den)  // → "projects/demo/databases/(default)/documents/rooms/the%20den"
/// ```
package struct DatabaseName: Sendable, Hashable {
  /// The ID of the project.
  package let project: String
  /// The ID of the database.
  package let database: String

  /// Creates a name. The IDs aren't checked; a slash in one of them makes names that aren't accepted back.
  ///
  /// - Parameters:
  ///   - project: the ID of the project.
  ///   - database: the ID of the database, by default `(default)`.
  package init(project: String, database: String = "(default)") {
    self.project = project
    self.database = database
  }

  /// Creates the name from its text, or from the full name of a resource in the database.
  ///
  /// - Parameter text: `projects/P/databases/D`, or a name that begins with it and a slash.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` for anything else.
  /// - Complexity: O(*n*) in the length of the text.
  package init(parsing text: String) throws(DocumentError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].elementsEqual("projects".utf8), parts[2].elementsEqual("databases".utf8),
      !parts[1].isEmpty, !parts[3].isEmpty
    else {
      throw DocumentError(
        .damaged, "\"\(text.prefix(100))\" isn't a database's name, projects/PROJECT/databases/DATABASE.")
    }
    self.init(project: String(Substring(parts[1])), database: String(Substring(parts[3])))
  }

  /// The name, `projects/P/databases/D`.
  package var name: String { "projects/\(project)/databases/\(database)" }
  /// The full name of the root, `projects/P/databases/D/documents`.
  package var root: String { "\(name)/documents" }
  /// The text before the path in the full name of a document: ``root`` and a slash.
  package var prefix: String { "\(root)/" }

  /// Returns the full name of a document or a collection; that of the root for a path without IDs.
  ///
  /// - Parameter path: the path. Its IDs aren't checked.
  package func fullName(of path: ResourcePath) -> String {
    path.segments.isEmpty ? root : prefix + path.text
  }

  /// Returns the path of a full name of this database.
  ///
  /// - Parameter fullName: the full name of a document, a collection or the root.
  /// - Returns: the path; without IDs for the root. Its IDs aren't empty, and aren't checked otherwise.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/otherDatabase`` if the name is of another
  ///   database, and with ``DocumentError/Code/damaged`` if it isn't a full name.
  /// - Complexity: O(*n*) in the length of the name.
  package func path(of fullName: String) throws(DocumentError) -> ResourcePath {
    let path: ResourcePath
    do { path = try DatabasePrefix(self).path(of: fullName) } catch { throw error.documentError }
    return path
  }
}

extension DatabaseName: CustomStringConvertible {
  /// The same text as ``name``.
  package var description: String { name }
}

/// The prefix of the full names of a database, computed once for many names.
package struct DatabasePrefix: Sendable {
  /// Accepts the names of every database.
  static let any = DatabasePrefix(nil)

  /// The database; `nil` if names of all databases are accepted.
  let database: DatabaseName?
  /// The UTF-8 bytes of ``DatabaseName/root``; empty without a database.
  private let root: [UInt8]

  /// Creates the prefix of a database; `nil` for names of any database, as in bundles, which are created
  /// elsewhere.
  init(_ database: DatabaseName?) {
    self.database = database
    root = Array((database?.root ?? "").utf8)
  }

  /// Returns the path of a full name.
  ///
  /// - Throws: ``WireFailure``; see ``DatabaseName/path(of:)``.
  func path(of name: String) throws(WireFailure) -> ResourcePath {
    var text = name
    if let path = text.withUTF8(path) { return path }
    let bytes = name.utf8
    let parts = bytes.split(separator: UInt8(ascii: "/"), maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count >= 5, parts[0].elementsEqual("projects".utf8), parts[2].elementsEqual("databases".utf8),
      parts[4].elementsEqual("documents".utf8)
    else { throw WireFailure("isn't the full name of a document") }
    let found = DatabaseName(project: String(Substring(parts[1])), database: String(Substring(parts[3])))
    if let database, !UTF8Text.areEqual(found.name, database.name) {
      throw WireFailure(
        "is a name of \(found.name.prefix(100)), not of \(database)", code: .otherDatabase)
    }
    var segments: [String] = []
    for segment in parts.dropFirst(5).flatMap({
      $0.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }) {
      guard !segment.isEmpty else { throw WireFailure("has an empty ID in the name of a document") }
      segments.append(String(Substring(segment)))
    }
    return ResourcePath(segments: segments)
  }

  /// Returns the path of the full name of a document of any database, to which a value refers.
  ///
  /// - Throws: ``WireFailure`` if it isn't a full name. Its IDs aren't checked.
  func reference(to name: String) throws(WireFailure) -> ResourcePath {
    do { return try path(of: name) } catch {
      guard error.code == .otherDatabase, let other = try? DatabaseName(parsing: name) else { throw error }
      return ResourcePath(foreignRoot: other.root, try DatabasePrefix(other).path(of: name))
    }
  }

  /// Returns the path of a full name of this database; `nil` for a name of another one, or with an empty ID.
  private func path(of name: UnsafeBufferPointer<UInt8>) -> ResourcePath? {
    guard database != nil, name.starts(with: root) else { return nil }
    var segments: [String] = []
    var start = root.count
    while start < name.count {
      guard name[start] == UInt8(ascii: "/") else { return nil }
      start += 1
      let end = name[start...].firstIndex(of: UInt8(ascii: "/")) ?? name.count
      guard end > start else { return nil }
      // Checked: the end is behind the start.
      segments.append(String(decoding: name[start..<end], as: UTF8.self))
      start = end
    }
    return ResourcePath(segments: segments)
  }
}

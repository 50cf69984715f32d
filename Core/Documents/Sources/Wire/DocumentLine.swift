package import TenonFoundation
import TenonJSON
package import TenonValues

/// A document as one line of a file, in the format of `tenon store export` and `import`.
///
/// A line is a JSON object with the members:
/// - `name`: the document's path, for example `notes/tea`. The full name
///   `projects/P/databases/D/documents/notes/tea`, as Google's tools write it, is read as well; no path of a
///   document has this form, because paths have an even number of IDs.
/// - `fields`: an object with the fields in the JSON form of `google.firestore.v1`; missing if there are
///   none.
/// - `createTime` and `updateTime`: timestamps; missing if they aren't known.
/// - `hasPendingWrites`: `true` if the fields contain writes that the remote hasn't confirmed; otherwise
///   missing.
///
/// References are full names in a database of the project ``project``, because a file on a device knows no
/// project; those of any database are read.
package struct DocumentLine: Sendable, Hashable {
  /// The project in the full names of references.
  package static let project = "local"
  /// The greatest length of a line in bytes. That of a document with a million Booleans has 23 MiB.
  package static let limit = 32 << 20

  /// The document's path.
  package var path: ResourcePath
  /// The document's fields.
  package var fields: Fields
  /// The time of creation; `nil` if it isn't known.
  package var createTime: Timestamp?
  /// The time of the last change; `nil` if it isn't known.
  package var updateTime: Timestamp?
  /// Whether the fields contain writes that the remote hasn't confirmed.
  package var hasPendingWrites: Bool

  /// Creates a line.
  package init(
    path: ResourcePath, fields: Fields, createTime: Timestamp? = nil, updateTime: Timestamp? = nil,
    hasPendingWrites: Bool = false
  ) {
    (self.path, self.fields) = (path, fields)
    (self.createTime, self.updateTime) = (createTime, updateTime)
    self.hasPendingWrites = hasPendingWrites
  }

  /// Reads a line.
  ///
  /// The path and the fields satisfy Firestore's rules: what is read can be written.
  ///
  /// - Parameter line: the line in UTF-8, without its end.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if it isn't JSON of this form, also if
  ///   it has other members; with other codes if a rule is broken. The message says which part and why.
  package init(_ line: Data) throws(DocumentError) {
    let json = try FirestoreJSON(line, limit: Self.limit)
    guard case .object(let members) = json else {
      throw DocumentError(.damaged, "It isn't a JSON object with a document's name and fields.")
    }
    let known = ["name", "fields", "createTime", "updateTime", "hasPendingWrites"]
    if let other = members.keys.first(where: { !known.contains($0.string) }) {
      throw DocumentError(
        .damaged,
        "It has the member \"\(other.string.prefix(100))\"; a document has name, fields, createTime, updateTime and "
          + "hasPendingWrites.")
    }
    guard let name = json["name"]?.string else {
      throw DocumentError(.damaged, "It has no name, a string such as \"notes/tea\".")
    }
    path = try Self.path(name)
    do {
      fields =
        try json.member("fields") { (json) throws(WireFailure) in try json.fields(in: .any) } ?? Fields()
      createTime = try json.member("createTime", FirestoreJSON.time)
      updateTime = try json.member("updateTime", FirestoreJSON.time)
      hasPendingWrites = try json.member("hasPendingWrites", FirestoreJSON.flag) ?? false
    } catch { throw error.documentError }
    try fields.checkDocument(at: path)
  }

  /// Returns the path for the name of a document.
  private static func path(_ name: String) throws(DocumentError) -> ResourcePath {
    let segments = ResourcePath(unchecked: name).segments
    let isFullName =
      !segments.count.isMultiple(of: 2) && segments.count > 5 && segments[0] == "projects"
      && segments[2] == "databases" && segments[4] == "documents"
    guard isFullName else { return try ResourcePath(document: name) }
    let path = ResourcePath(segments: Array(segments.dropFirst(5)))
    return try ResourcePath(document: path.text)
  }
}

extension DocumentLine: WireEncodable {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("name", path.text)
    if !fields.isEmpty {
      writer.name("fields")
      try writer.fields(fields)
    }
    try writer.member("createTime", createTime)
    try writer.member("updateTime", updateTime)
    writer.member("hasPendingWrites", ifTrue: hasPendingWrites)
    writer.endObject()
  }
}

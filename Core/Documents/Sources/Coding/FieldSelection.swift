package import TenonValues

/// Fields that are decoded from stored documents without the others, for example those on which a query
/// depends.
package struct FieldSelection: Sendable {
  /// A name of a field of documents.
  struct Name: Sendable {
    let text: String
    /// The name in UTF-8.
    let bytes: [UInt8]
  }

  /// The names of the fields, sorted by their bytes, each once.
  private let names: [Name]

  /// Creates a selection of the fields that contain some paths: of `a.b`, the map `a`. The document ID isn't
  /// a field.
  package init(_ paths: [FieldPath]) {
    var names: [Name] = []
    let sorted = paths.filter { $0 != .documentID() }.compactMap(\.segments.first)
      .sorted { ByteOrder.compare($0, $1) < 0 }
    for text in sorted where names.last.map({ ByteOrder.compare($0.text, text) < 0 }) ?? true {
      names.append(Name(text: text, bytes: Array(text.utf8)))
    }
    self.names = names
  }

  /// Returns the selected fields of a document. Each is equal to that of the decoded document.
  ///
  /// - Parameter bytes: the document in the format of ``DocumentCoding``.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the bytes up to the last of the
  ///   fields can't be read; those after it aren't checked, and none are if no field is selected.
  /// - Complexity: O(*n*) in the number of bytes of the fields and of those before them; strings and bytes
  ///   that aren't selected are skipped in O(1).
  package func fields(in bytes: Span<UInt8>) throws(DocumentError) -> Fields {
    guard !names.isEmpty else { return Fields() }
    var reader = DocumentCoding.Reader()
    return try reader.fields(named: names, bytes)
  }
}

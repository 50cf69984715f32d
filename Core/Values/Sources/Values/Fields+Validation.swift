extension Fields {
  /// The maximum size of a document in bytes, 1 MiB, as ``documentSize(at:)`` counts it: with its path, its
  /// names and a fixed overhead (https://firebase.google.com/docs/firestore/quotas).
  package static let maximumDocumentSize = 1_048_576
  /// The maximum size of a single text in UTF-8, or of a byte string, 1 MiB less 89 bytes.
  package static let maximumValueSize = 1_048_487
  /// The maximum nesting depth of maps and arrays, 20 levels
  /// (https://firebase.google.com/docs/firestore/quotas). The values of a document's fields are at level 1,
  /// the elements of an array and the members of a map one level deeper. A value that is neither a map nor an
  /// array may be at level 21.
  package static let maximumDepth = 20

  /// Checks that the fields form a valid document.
  ///
  /// The rules are those of Firestore. They are checked locally, because a database without a remote has no
  /// server that would reject the document.
  /// - Names, at any depth, aren't empty, not longer than 1,500 UTF-8 bytes and not reserved, that is, they
  ///   don't begin and end with two underscores.
  /// - Maps and arrays nest at most ``maximumDepth`` levels.
  /// - An array contains neither arrays nor vectors directly. A map between them is allowed.
  /// - Timestamps are in the years 1 to 9999, with 0 to 999,999,999 nanoseconds. Finer fractions than
  ///   microseconds are valid, and truncated when the document is written.
  /// - The latitude of a geo point is from -90 to 90 and its longitude from -180 to 180; neither is NaN.
  /// - A vector has at most 2,048 components, which may be any doubles.
  /// - A text or a byte string has at most ``maximumValueSize`` bytes.
  /// - The size is at most ``maximumDocumentSize``.
  ///
  /// The paths of references aren't checked, nor whether the documents exist.
  ///
  /// - Parameter path: the document's path, which counts toward its size. It isn't checked itself.
  /// - Throws: ``DocumentError`` for the first broken rule in the order of the fields, the size last:
  ///   ``DocumentError/Code/badField`` for a name, ``DocumentError/Code/badValue`` for a value,
  ///   ``DocumentError/Code/tooLarge`` for the size. Its message names the field or the document.
  /// - Complexity: O(*n*) in the number of values.
  package func checkDocument(at path: ResourcePath) throws(DocumentError) {
    try check(below: [])
    let size = documentSize(at: path)
    guard size <= Self.maximumDocumentSize else {
      throw DocumentError(
        .tooLarge,
        "The document \(path.text) has \(size) bytes; at most \(Self.maximumDocumentSize) are allowed. "
          + "Keep large contents in Storage and refer to them."
      )
    }
  }

  /// The fields as they are stored: every timestamp, at any depth, is truncated to microseconds, Firestore's
  /// precision. A document that is read locally therefore has the same timestamps as the one that a server
  /// returns.
  ///
  /// - Complexity: O(*n*) in the number of values. Fields whose timestamps need no truncation aren't copied.
  package var kept: Fields {
    guard !isKept else { return self }
    var fields = self
    for index in fields.entries.indices { fields.entries[index].value = fields.entries[index].value.kept }
    return fields
  }

  /// Whether ``kept`` would return these fields unchanged, because no timestamp needs to be truncated.
  fileprivate var isKept: Bool { entries.allSatisfy(\.value.isKept) }

  /// Checks the values of these fields as if each were the value at a field path. Names at the top level
  /// aren't checked, which permits a placeholder name for the operand of a transform; names within the values
  /// are.
  ///
  /// - Parameter field: the path, for the depth and for messages. Its names aren't checked.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` or ``DocumentError/Code/badValue``,
  ///   whose message names the field.
  package func checkValues(at field: FieldPath) throws(DocumentError) {
    let names = Array(field.segments.dropLast())
    for entry in entries {
      try Self.check(entry.value, named: field.segments.last ?? "", below: names, depth: field.segments.count)
    }
  }

  /// Checks names and values, in their order and depth first. The size isn't checked.
  ///
  /// - Parameter names: the names that lead to these fields, empty for the document itself. Elements of
  ///   arrays add no name.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` or ``DocumentError/Code/badValue`` for
  ///   the first broken rule.
  private func check(below names: [String]) throws(DocumentError) {
    for entry in entries {
      if let rule = FieldPath.brokenRule(entry.name) {
        let path = FieldPath(names + [entry.name])
        throw DocumentError(.badField, "The field \"\(path.text)\" \(rule).")
      }
      try Self.check(entry.value, named: entry.name, below: names, depth: names.count + 1)
    }
  }

  /// Checks one value and its contents. The recursion is bounded, because maps and arrays beyond
  /// ``maximumDepth`` are rejected before their contents are visited.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - name: the name of the field; for an element of an array, that of the array.
  ///   - names: the names that lead to the field.
  ///   - depth: the level of the value, 1 for a field of the document.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` or ``DocumentError/Code/badValue`` for
  ///   the first broken rule.
  private static func check(
    _ value: Value, named name: String, below names: [String], depth: Int
  ) throws(DocumentError) {
    // Computed only for an error message.
    var path: FieldPath { FieldPath(names + [name]) }
    switch value {
    case .map(let fields):
      guard depth <= maximumDepth else {
        throw DocumentError(.badValue, "The field \"\(path.text)\" lies deeper than \(maximumDepth) levels.")
      }
      try fields.check(below: names + [name])
    case .array(let elements):
      guard depth <= maximumDepth else {
        throw DocumentError(.badValue, "The field \"\(path.text)\" lies deeper than \(maximumDepth) levels.")
      }
      for element in elements {
        if case .array = element {
          throw DocumentError(
            .badValue,
            "The array in \"\(path.text)\" holds an array; put a map between them."
          )
        }
        if case .vector = element {
          throw DocumentError(
            .badValue,
            "The array in \"\(path.text)\" holds a vector; put a map between them."
          )
        }
        try check(element, named: name, below: names, depth: depth + 1)
      }
    case .timestamp(let timestamp):
      guard Timestamp.validSeconds.contains(timestamp.seconds),
        (0..<1_000_000_000).contains(timestamp.nanoseconds)
      else {
        throw DocumentError(
          .badValue,
          "The timestamp in \"\(path.text)\" isn't between the years 1 and 9999."
        )
      }
    case .geoPoint(let point):
      guard (-90...90).contains(point.latitude), (-180...180).contains(point.longitude) else {
        throw DocumentError(
          .badValue,
          "The geo point in \"\(path.text)\" isn't within ±90 and ±180 degrees."
        )
      }
    case .vector(let components):
      guard components.count <= 2048 else {
        throw DocumentError(.badValue, "The vector in \"\(path.text)\" has more than 2,048 dimensions.")
      }
    case .string(let text) where text.utf8.count > maximumValueSize:
      throw tooLong(path, text.utf8.count)
    case .bytes(let bytes) where bytes.count > maximumValueSize: throw tooLong(path, bytes.count)
    default: break
    }
  }

  /// Returns the error of a text or a byte string that is too long.
  private static func tooLong(_ path: FieldPath, _ size: Int) -> DocumentError {
    DocumentError(
      .tooLarge,
      "The value of \"\(path.text)\" has \(size) bytes; at most \(maximumValueSize) are allowed. "
        + "Keep large contents in Storage and refer to them.")
  }

  // MARK: - Size

  /// Returns the document's size in bytes as Firestore counts it
  /// (https://firebase.google.com/docs/firestore/storage-size): the size of the path, 32 bytes, and the sizes
  /// of all fields. It isn't the number of bytes that the document takes in a local database.
  ///
  /// A field counts the UTF-8 length of its name plus 1 and its value: 1 for null and booleans, 8 for numbers
  /// and timestamps, 16 for geo points, the UTF-8 length plus 1 for text, the length for bytes, the path's
  /// size for references, and the sum of the contents for arrays, maps and vectors (8 per component).
  ///
  /// For example, the document `c/d` with the single field `a` = 1 has 62 bytes: 20 for its path, 32, and 10
  /// for the field.
  ///
  /// - Parameter path: the document's path. It counts 16 bytes, and for each ID its UTF-8 length plus 1.
  /// - Complexity: O(*n*) in the number of values.
  package func documentSize(at path: ResourcePath) -> Int { Self.size(of: path) + 32 + size }

  /// The size of the names and values in bytes, without the path and the 32 bytes of a document. A map counts
  /// the same.
  private var size: Int {
    entries.reduce(0) { $0 + $1.name.utf8.count + 1 + Self.size(of: $1.value) }
  }

  /// Returns the size of a document's path in bytes: 16, and for each ID its UTF-8 length plus 1. Numeric IDs
  /// count like others.
  private static func size(of path: ResourcePath) -> Int {
    path.segments.reduce(16) { $0 + $1.utf8.count + 1 }
  }

  /// Returns the size of a value in bytes, without its name. Empty arrays and maps count 0.
  fileprivate static func size(of value: Value) -> Int {
    switch value {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .geoPoint: 16
    case .string(let text): text.utf8.count + 1
    case .bytes(let bytes): bytes.count
    case .reference(let path): size(of: path)
    case .array(let elements): elements.reduce(0) { $0 + size(of: $1) }
    case .vector(let components): components.count * 8
    case .map(let fields): fields.size
    }
  }
}

extension DocumentWrite {
  /// The size of the write in bytes, as ``Fields/documentSize(at:)`` counts its fields; deletions count 32
  /// and their path.
  ///
  /// - Complexity: O(*n*) in the number of values.
  package var size: Int {
    let fields: Fields =
      switch operation {
      case .set(let fields), .update(let fields, _): fields
      case .delete: [:]
      }
    return transforms.reduce(fields.documentSize(at: document)) { size, transform in
      switch transform.kind {
      case .union(let values), .remove(let values): size + Fields.size(of: .array(values))
      case .serverTimestamp, .increment, .minimum, .maximum: size + 8
      }
    }
  }
}

extension Value {
  /// Whether no timestamp in this value needs to be truncated. This is the usual case and avoids a copy.
  fileprivate var isKept: Bool {
    switch self {
    case .timestamp(let timestamp): timestamp.roundedDown == timestamp
    case .array(let elements): elements.allSatisfy(\.isKept)
    case .map(let fields): fields.isKept
    default: true
    }
  }

  /// The value as it is stored, with all timestamps truncated to microseconds; see ``Fields/kept``. What is
  /// compared with stored values has to be truncated in the same way. Values without timestamps stay
  /// identical.
  package var kept: Value {
    guard !isKept else { return self }
    return switch self {
    case .timestamp(let timestamp): .timestamp(timestamp.roundedDown)
    case .array(let elements): .array(elements.map(\.kept))
    case .map(let fields): .map(fields.kept)
    default: self
    }
  }
}

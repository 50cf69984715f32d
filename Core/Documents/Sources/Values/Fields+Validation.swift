public import TenonStoreInterop

extension Fields {
  /// The greatest size of a document, in bytes as Firestore counts them.
  public static let maximumDocumentSize = 1_048_576
  /// How deep maps and arrays may lie in each other.
  public static let maximumDepth = 20

  /// Checks that the fields can be a document: names, depth, arrays in arrays, ranges, and the size.
  ///
  /// - Parameter path: the document's path, which counts towards its size.
  /// - Throws: ``DocumentError`` that names the field.
  public func checkDocument(at path: ResourcePath) throws(DocumentError) {
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

  /// The fields as they are kept: every timestamp cut to the microsecond.
  public var kept: Fields {
    guard !isKept else { return self }
    var fields = self
    for index in fields.entries.indices { fields.entries[index].value = fields.entries[index].value.kept }
    return fields
  }

  fileprivate var isKept: Bool { entries.allSatisfy(\.value.isKept) }

  /// Checks the values for themselves, as parts of a field.
  func checkValues(at field: FieldPath) throws(DocumentError) {
    let names = Array(field.segments.dropLast())
    for entry in entries {
      try Self.check(entry.value, named: field.segments.last ?? "", below: names, depth: field.segments.count)
    }
  }

  private func check(below names: [String]) throws(DocumentError) {
    for entry in entries {
      if let rule = FieldPath.brokenRule(entry.name) {
        let path = FieldPath(names + [entry.name])
        throw DocumentError(.badField, "The field \"\(path.text)\" \(rule).")
      }
      try Self.check(entry.value, named: entry.name, below: names, depth: names.count + 1)
    }
  }

  private static func check(
    _ value: Value, named name: String, below names: [String], depth: Int
  ) throws(DocumentError) {
    // Made for what is wrong only.
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
      let range = Int64(-62_135_596_800)...Int64(253_402_300_799)
      guard range.contains(timestamp.seconds), (0..<1_000_000_000).contains(timestamp.nanoseconds) else {
        throw DocumentError(
          .badValue,
          "The timestamp in \"\(path.text)\" is not between the years 1 and 9999."
        )
      }
    case .geoPoint(let point):
      guard (-90...90).contains(point.latitude), (-180...180).contains(point.longitude) else {
        throw DocumentError(
          .badValue,
          "The geo point in \"\(path.text)\" is not within ±90 and ±180 degrees."
        )
      }
    case .vector(let components):
      guard components.count <= 2048 else {
        throw DocumentError(.badValue, "The vector in \"\(path.text)\" has more than 2,048 dimensions.")
      }
    default: break
    }
  }

  // MARK: - Size

  /// The document's size as Firestore counts it (https://firebase.google.com/docs/firestore/storage-size).
  public func documentSize(at path: ResourcePath) -> Int { Self.size(of: path) + 32 + size }

  private var size: Int {
    entries.reduce(0) { $0 + $1.name.utf8.count + 1 + Self.size(of: $1.value) }
  }

  private static func size(of path: ResourcePath) -> Int {
    path.segments.reduce(16) { $0 + $1.utf8.count + 1 }
  }

  private static func size(of value: Value) -> Int {
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

extension Value {
  /// Whether keeping it changes nothing, which is the rule.
  fileprivate var isKept: Bool {
    switch self {
    case .timestamp(let moment): moment.roundedDown == moment
    case .array(let elements): elements.allSatisfy(\.isKept)
    case .map(let fields): fields.isKept
    default: true
    }
  }

  fileprivate var kept: Value {
    switch self {
    case .timestamp(let moment): .timestamp(moment.roundedDown)
    case .array(let elements): .array(elements.map(\.kept))
    case .map(let fields): .map(fields.kept)
    default: self
    }
  }
}

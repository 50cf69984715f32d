package import TenonValues

extension DocumentWrite {
  /// Checks the parts of a write that don't depend on the document's current state: its path, the paths in its
  /// update mask, its fields as far as ``Value/checkConversion(at:depth:allowsNestedArrays:)`` does, and its
  /// transforms. The document that results is checked by ``outcome(on:at:)``.
  ///
  /// - Throws: ``DocumentError`` with `badPath`, `badField` or `badValue`.
  package func check() throws(DocumentError) {
    try document.checkDocument()
    switch operation {
    case .set(let fields): try fields.checkConversion()
    case .update(let fields, let mask):
      for field in mask { try field.check() }
      try fields.checkConversion()
    case .delete: break
    }
    for transform in transforms { try transform.check() }
  }

  /// Checks everything in a write that doesn't depend on the document's current state: also the size and the
  /// names of what it writes.
  ///
  /// - Throws: ``DocumentError`` for the first broken rule.
  package func checkWhole() throws(DocumentError) {
    try check()
    try contents(on: nil)?.checkDocument(at: document)
  }
}

extension Fields {
  /// Checks what Firestore's server checks in all fields of a write, also in those outside its mask.
  fileprivate func checkConversion() throws(DocumentError) {
    try checkConversion(below: [], depth: 1, allowsNestedArrays: false)
  }

  fileprivate func checkConversion(
    below names: [String], depth: Int, allowsNestedArrays: Bool
  ) throws(DocumentError) {
    guard depth <= Self.maximumDepth else { return }
    for entry in entries {
      // Whether a name is empty or too long matters only where it is stored.
      if !entry.name.isEmpty, entry.name.utf8.count <= 1500 { try FieldPath([entry.name]).check() }
      try entry.value.checkConversion(
        at: names + [entry.name], depth: depth, allowsNestedArrays: allowsNestedArrays)
    }
  }
}

extension Value {
  /// Checks what Firestore's server checks while it converts a value, before it looks at documents: reserved
  /// names, the contents of arrays, and coordinates. Sizes and depths don't matter there.
  ///
  /// - Parameters:
  ///   - names: the names that lead to the value, for the error.
  ///   - depth: the level of the value, 1 for a field of the document. What is deeper than a document can be
  ///     isn't checked.
  ///   - allowsNestedArrays: whether arrays may be in arrays, as in queries.
  /// - Throws: ``DocumentError`` with `badField` or `badValue`.
  /// - Complexity: O(*n*) in the number of values.
  func checkConversion(
    at names: [String], depth: Int = 1, allowsNestedArrays: Bool
  ) throws(DocumentError) {
    guard depth <= Fields.maximumDepth else { return }
    switch self {
    case .map(let fields):
      try fields.checkConversion(below: names, depth: depth + 1, allowsNestedArrays: allowsNestedArrays)
    case .array(let elements):
      for element in elements {
        switch element {
        case .array where !allowsNestedArrays: try Value.array([.array([])]).checkAlone(at: names)
        case .vector where !allowsNestedArrays: try Value.array([.vector([])]).checkAlone(at: names)
        default:
          try element.checkConversion(at: names, depth: depth + 1, allowsNestedArrays: allowsNestedArrays)
        }
      }
    case .geoPoint: try checkAlone(at: names)
    default: break
    }
  }

  /// Checks a value as one of a document.
  private func checkAlone(at names: [String]) throws(DocumentError) {
    try Fields(unsorted: [.init(name: names.last ?? "", value: self)]).checkValues(at: FieldPath(names))
  }
}

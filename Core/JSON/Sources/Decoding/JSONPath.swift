/// The path from the decoded value to a part of it, as a list from the innermost key outward.
///
/// Appending a key takes constant time and copies nothing, whereas an array would be copied at each level, in
/// time proportional to the square of the depth. The array of ``keys`` is created only for errors, and for
/// types that read `codingPath`.
package indirect enum JSONPath {
  /// The path to the decoded value itself.
  case root
  /// The path to the member or element with a key.
  case key(any CodingKey, in: JSONPath)

  /// The keys, the outermost first. Complexity: O(*n*), where *n* is at most ``JSON/deepestNesting``.
  package var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var path = self
    while case .key(let key, let outer) = path {
      keys.append(key)
      path = outer
    }
    return keys.reversed()
  }
}

/// The key of an element, of the value for a superclass, or of a member.
package struct JSONKey: CodingKey {
  /// `Index` and the index, as in the coding paths of `JSONDecoder`; `super`; or the name of a member.
  package let stringValue: String
  /// The index of an element, counted from 0; `nil` for other values.
  package let intValue: Int?

  /// Creates the key of an element.
  package init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  /// Creates the key of the value for a superclass, or of a member.
  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  /// Creates the key of an element.
  package init(intValue: Int) { self.init(index: intValue) }
}

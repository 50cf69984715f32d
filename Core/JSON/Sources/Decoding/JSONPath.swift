/// The path from the decoded value to a part of it, as a list from the innermost key outward.
///
/// Appending a key takes constant time and copies nothing. The array of ``keys`` is created only for errors, and for types that
/// read `codingPath`.
indirect enum JSONPath {
  /// The path to the decoded value itself.
  case root
  /// The path to the member or element with a key.
  case key(any CodingKey, in: JSONPath)

  /// The keys, the outermost first. Complexity: O(*n*), where *n* is at most ``JSON/deepestNesting``.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var path = self
    while case .key(let key, let outer) = path {
      keys.append(key)
      path = outer
    }
    return keys.reversed()
  }
}

/// The key of an element, or of the value for a superclass.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  /// Creates the key of an element.
  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) { self.init(index: intValue) }
}

import TenonFoundation
package import TenonValues

extension Value {
  /// Compares two values in Firestore's total order.
  ///
  /// Values are ordered by type first: null, boolean, number, timestamp, string, bytes, reference, geo point,
  /// array, vector, map. Within a type:
  /// - Booleans: `false` precedes `true`.
  /// - Numbers: integers and doubles are compared by their exact mathematical values. NaN equals itself and
  ///   precedes all other numbers; -0.0 equals 0.
  /// - Timestamps by ``Timestamp/compare(_:)``.
  /// - Strings by their UTF-8 bytes; bytes as unsigned numbers; references by ``ResourcePath/compare(_:)``.
  /// - Geo points by latitude, then by longitude.
  /// - Arrays element by element, then by length; vectors by the number of dimensions, then component by
  ///   component.
  /// - Maps by their entries in the order of their names, each by name and then by value; then by the number
  ///   of entries. Thus `{a: 1}` < `{a: 1, b: 1}` < `{a: 2}` < `{b: 0}`.
  ///
  /// This is the order and the equality of queries
  /// (https://firebase.google.com/docs/firestore/manage-data/data-types). `==` is stricter: it distinguishes
  /// 1 from 1.0. Values that are identical by `==` always compare as equal. For values that are valid in a
  /// document, the encodings of ``OrderedEncoding`` have the same order, byte by byte.
  ///
  /// ```swift
  /// Value(1).compare(1.0) == 0  // → true
  /// Value(1).compare("1") < 0  // → true
  /// ```
  ///
  /// - Parameter other: the value to compare with, of any type.
  /// - Returns: a negative number if this value comes first, 0 if the values are equal in queries, otherwise
  ///   a positive number.
  /// - Complexity: O(*n*) in the size of the smaller value, up to the first difference.
  package func compare(_ other: Value) -> Int {
    guard typeRank == other.typeRank else { return typeRank < other.typeRank ? -1 : 1 }
    switch (self, other) {
    case (.boolean(let left), .boolean(let right)): return left == right ? 0 : (left ? 1 : -1)
    case (.integer(let left), .integer(let right)): return Self.order(left, right)
    case (.integer(let left), .double(let right)): return Self.order(left, right)
    case (.double(let left), .integer(let right)): return -Self.order(right, left)
    case (.double(let left), .double(let right)): return Self.order(left, right)
    case (.timestamp(let left), .timestamp(let right)): return left.compare(right)
    case (.string(let left), .string(let right)): return ByteOrder.compare(left, right)
    case (.bytes(let left), .bytes(let right)): return ByteOrder.compare(left, right)
    case (.reference(let left), .reference(let right)): return left.compare(right)
    case (.geoPoint(let left), .geoPoint(let right)):
      let latitude = Self.order(left.latitude, right.latitude)
      return latitude != 0 ? latitude : Self.order(left.longitude, right.longitude)
    case (.array(let left), .array(let right)): return Self.order(left, right) { $0.compare($1) }
    case (.vector(let left), .vector(let right)):
      return left.count != right.count
        ? Self.order(left.count, right.count) : Self.order(left, right) { Self.order($0, $1) }
    case (.map(let left), .map(let right)):
      return Self.order(left.entries, right.entries) { left, right in
        let names = ByteOrder.compare(left.name, right.name)
        return names != 0 ? names : left.value.compare(right.value)
      }
    default: return 0
    }
  }

  /// Whether two values have the same type for queries, for which integers and doubles are one type.
  ///
  /// Inequalities hold only between values of one type (`google.firestore.v1.StructuredQuery.FieldFilter`).
  /// An array and a vector are different types, as are a map and a vector, although a vector is a map on the
  /// wire.
  ///
  /// - Parameter other: the value to compare with. Its content doesn't matter.
  package func hasTypeOf(_ other: Value) -> Bool { typeRank == other.typeRank }

  /// The position of the value's type in the total order, from 0 for null to 10 for maps. The numbers aren't
  /// stored; the tags of ``OrderedEncoding`` are, which have the same order.
  var typeRank: Int {
    switch self {
    case .null: 0
    case .boolean: 1
    case .integer, .double: 2
    case .timestamp: 3
    case .string: 4
    case .bytes: 5
    case .reference: 6
    case .geoPoint: 7
    case .array: 8
    case .vector: 9
    case .map: 10
    }
  }

  /// Compares two numbers of a type without unordered values, such as integers. For doubles, the overload
  /// below handles NaN.
  ///
  /// - Returns: -1, 0 or 1.
  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left == right ? 0 : (left < right ? -1 : 1)
  }

  /// Compares doubles: NaN equals NaN and precedes all other numbers; -0.0 equals 0.
  ///
  /// If none of the IEEE 754 comparisons holds, at least one operand is NaN.
  ///
  /// - Returns: -1, 0 or 1.
  private static func order(_ left: Double, _ right: Double) -> Int {
    if left == right { return 0 }
    if left < right { return -1 }
    if left > right { return 1 }
    return left.isNaN ? (right.isNaN ? 0 : -1) : 1
  }

  /// Compares an integer with a double exactly. Converting the integer to a double would lose its last digits
  /// beyond 2^53.
  ///
  /// A double outside the range of `Int64` is decided by its sign. Any other one is truncated to an integer,
  /// which is exact for doubles of 2^53 and more. If the integers are equal, the truncated fraction decides:
  /// it makes the double greater than the integer if it is positive, and less if it is negative.
  ///
  /// - Returns: -1, 0 or 1; 1 for NaN, which precedes all integers.
  private static func order(_ left: Int64, _ right: Double) -> Int {
    if right.isNaN { return 1 }
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    // Checked: other doubles were decided above.
    let whole = Int64(right)
    return left != whole ? order(left, whole) : order(Double(whole), right)
  }

  /// Compares arrays element by element; a prefix precedes longer arrays.
  ///
  /// - Parameters:
  ///   - left: the elements.
  ///   - right: the elements to compare with.
  ///   - compare: compares two elements; its result is passed through unless it is 0.
  /// - Returns: a negative number, 0 or a positive number.
  private static func order<Element>(
    _ left: [Element],
    _ right: [Element],
    by compare: (Element, Element) -> Int
  ) -> Int {
    for (left, right) in zip(left, right) {
      let order = compare(left, right)
      if order != 0 { return order }
    }
    return order(left.count, right.count)
  }
}

extension Timestamp {
  /// Compares two timestamps by their seconds, then by their nanoseconds.
  ///
  /// This is the chronological order if the nanoseconds of both are within their range of 0 to 999,999,999.
  ///
  /// - Parameter other: the timestamp to compare with.
  /// - Returns: a negative number if this one is earlier, 0 if they are equal, otherwise a positive number.
  package func compare(_ other: Timestamp) -> Int {
    if seconds != other.seconds { return seconds < other.seconds ? -1 : 1 }
    return nanoseconds == other.nanoseconds ? 0 : (nanoseconds < other.nanoseconds ? -1 : 1)
  }
}

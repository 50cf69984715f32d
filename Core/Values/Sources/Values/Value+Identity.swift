/// Equality is identity, which decides whether a document has changed: an integer never equals a double,
/// doubles are compared by their bit patterns (all NaNs are identical), and text by its UTF-8 bytes. Queries
/// use the equality of Firestore's total order instead, in which 1 equals 1.0.
///
/// ```swift
/// Value.integer(1) == .double(1)  // → false
/// Value.double(.nan) == .double(.nan)  // → true
/// Value.double(0.0) == .double(-0.0)  // → false
/// Value.string("\u{E9}") == .string("e\u{301}")  // → false
/// "\u{E9}" == "e\u{301}"  // → true
/// ```
extension Value: Hashable {
  /// Returns whether two values are identical.
  ///
  /// Arrays, vectors and maps are identical if their contents are, in the same order. Only the coordinates of
  /// geo points are compared as numbers: -0.0 equals 0.0 there, and a point with NaN, which no document may
  /// contain, doesn't even equal itself.
  ///
  /// - Parameters:
  ///   - left: a value.
  ///   - right: the value to compare with; one of another type is never identical.
  /// - Complexity: O(*n*) in the size of the smaller value, up to the first difference.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): areIdentical(left, right)
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.string(let left), .string(let right)): UTF8Text.areEqual(left, right)
    case (.bytes(let left), .bytes(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.geoPoint(let left), .geoPoint(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.vector(let left), .vector(let right)): left.elementsEqual(right, by: areIdentical)
    case (.map(let left), .map(let right)): left == right
    default: false
    }
  }

  /// Hashes the kind and the content. Identical values have the same hash: all NaNs contribute the same bits,
  /// and text contributes its UTF-8 bytes, while `String` would hash its normalized form.
  ///
  /// Of a vector, only the number of components is hashed, so vectors of one field usually collide. This is
  /// correct, but a `Set` of many vectors of the same dimension is slow.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .null: break
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .timestamp(let value): hasher.combine(value)
    case .string(let value): hasher.combine(UTF8Text(value))
    case .bytes(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .geoPoint(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .vector(let value): hasher.combine(value.count)
    case .map(let value): hasher.combine(value)
    }
  }

  /// A number for each case, so that equal contents of different kinds hash differently. It isn't stored and
  /// has no relation to the order of types.
  private var kind: UInt8 {
    switch self {
    case .null: 0
    case .boolean: 1
    case .integer: 2
    case .double: 3
    case .timestamp: 4
    case .string: 5
    case .bytes: 6
    case .reference: 7
    case .geoPoint: 8
    case .array: 9
    case .map: 10
    case .vector: 11
    }
  }

  /// Whether two doubles have the same bit pattern or are both NaN, whatever its sign and payload. Unlike
  /// `==`, this is an equivalence relation that distinguishes the two zeros.
  private static func areIdentical(_ left: Double, _ right: Double) -> Bool {
    left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
  }
}

extension Fields: Hashable {
  /// Returns whether both have the same names with identical values.
  ///
  /// - Complexity: O(*n*) in the size of the contents, because the entries of both are sorted by their names.
  public static func == (left: Fields, right: Fields) -> Bool {
    left.entries == right.entries
  }

  /// Hashes the names and values in their order.
  public func hash(into hasher: inout Hasher) {
    for entry in entries { hasher.combine(entry) }
  }
}

extension Fields.Entry: Hashable {
  /// Returns whether both have the same name, byte by byte, and identical values.
  package static func == (left: Fields.Entry, right: Fields.Entry) -> Bool {
    UTF8Text.areEqual(left.name, right.name) && left.value == right.value
  }

  /// Hashes the name's bytes and the value.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(name))
    hasher.combine(value)
  }
}

/// Paths are equal if their IDs have the same UTF-8 bytes. Canonically equivalent IDs name different
/// documents, as they do on the server, also as keys of a `Dictionary`.
extension ResourcePath: Hashable {
  /// Returns whether the IDs are the same, byte by byte.
  public static func == (left: ResourcePath, right: ResourcePath) -> Bool {
    left.segments.elementsEqual(right.segments, by: UTF8Text.areEqual)
  }

  /// Hashes the IDs' bytes, each followed by a slash, which no ID contains, so that `a/b` and `ab` contribute
  /// different bytes.
  public func hash(into hasher: inout Hasher) {
    for segment in segments {
      hasher.combine(UTF8Text(segment))
      hasher.combine(UInt8(ascii: "/"))
    }
  }
}

/// Paths are equal if their names have the same UTF-8 bytes. A name that contains a dot differs from two
/// names.
extension FieldPath: Hashable {
  /// Returns whether the names are the same, byte by byte.
  public static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.segments.elementsEqual(right.segments, by: UTF8Text.areEqual)
  }

  /// Hashes the names' bytes, each followed by a zero byte.
  public func hash(into hasher: inout Hasher) {
    for segment in segments {
      hasher.combine(UTF8Text(segment))
      hasher.combine(0 as UInt8)
    }
  }
}

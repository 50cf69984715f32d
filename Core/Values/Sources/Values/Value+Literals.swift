public import TenonFoundation

// There is no `nil` literal: it would convert an absent `Value?` to a null.
extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// Creates a boolean from a literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates an integer from a literal. Literals outside the range of `Int64` don't compile.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral, ExpressibleByStringInterpolation {
  /// Creates a double from a literal. A literal without a decimal point or an exponent is an integer.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates text from a literal or an interpolated string.
  public init(stringLiteral value: String) { self = .string(value) }
}

/// With these literals, fields and their values are written like dictionaries. Other types use the cases or
/// initializers:
///
/// ```swift
/// let note: Fields = [
///   "title": "Tea", "rating": 5, "price": 2.5, "tags": ["hot", "green"], "author": ["name": "Ada"],
///   "isPublic": true, "rejected": .null, "created": Value(Date()),
///   "place": .geoPoint(GeoPoint(latitude: 48, longitude: 10)),
/// ]
/// ```
extension Value: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates an array from a literal. An array that directly contains an array is rejected when it is
  /// written.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Creates a map from a literal. If a name occurs more than once, its last value is used.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .map(Fields(unsorted: elements.map { Fields.Entry(name: $0.0, value: $0.1) }))
  }
}

extension Value {
  /// Creates an integer, which is stored with 64 bits.
  public init(_ value: Int) { self = .integer(Int64(clamping: value)) }
  /// Creates a double. It remains a double if it has no fraction: 1.0 and 1 are equal in queries, but not
  /// identical.
  public init(_ value: Double) { self = .double(value) }
  /// Creates a boolean.
  public init(_ value: Bool) { self = .boolean(value) }
  /// Creates text. Its maximum length follows from the maximum size of a document.
  public init(_ value: String) { self = .string(value) }
  /// Creates a timestamp, rounded down to the microsecond; see ``Timestamp/init(date:)``.
  public init(_ value: Date) { self = .timestamp(Timestamp(date: value)) }
  /// Creates bytes.
  public init(_ value: Data) { self = .bytes(value) }
}

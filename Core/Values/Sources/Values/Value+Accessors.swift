public import TenonFoundation

/// The content of a value as a Swift type; `nil` if the value has another type.
///
/// No accessor converts between Firestore's types, except that ``doubleValue`` accepts integers:
///
/// ```swift
/// let rating: Value = 5
/// rating.intValue  // → 5
/// rating.doubleValue  // → 5.0
/// rating.stringValue  // → nil
/// ```
extension Value {
  /// Whether this is an explicit null. A field that doesn't exist has no value at all.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The boolean; `nil` for other types.
  public var boolValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
  /// The integer; `nil` for other types, doubles included, and if the integer is outside the range of `Int`.
  public var intValue: Int? { int64Value.flatMap(Int.init(exactly:)) }
  /// The integer; `nil` for other types, doubles included.
  public var int64Value: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The double, or the integer as a double, rounded to the nearest one beyond 2^53; `nil` for other types.
  public var doubleValue: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  /// The text; `nil` for other types.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The timestamp; `nil` for other types.
  public var timestampValue: Timestamp? { if case .timestamp(let value) = self { value } else { nil } }
  /// The timestamp as a date, with the precision of `Double`; `nil` for other types.
  public var dateValue: Date? { timestampValue?.dateValue() }
  /// The bytes; `nil` for other types.
  public var dataValue: Data? { if case .bytes(let value) = self { value } else { nil } }
  /// The geo point; `nil` for other types.
  public var geoPointValue: GeoPoint? { if case .geoPoint(let value) = self { value } else { nil } }
  /// The path of the referenced document; `nil` for other types.
  public var referenceValue: ResourcePath? { if case .reference(let value) = self { value } else { nil } }
  /// The elements of the array; `nil` for other types, vectors included.
  public var arrayValue: [Value]? { if case .array(let value) = self { value } else { nil } }
  /// The fields of the map; `nil` for other types.
  public var mapValue: Fields? { if case .map(let value) = self { value } else { nil } }
  /// The components of the vector; `nil` for other types, arrays included.
  public var vectorValue: [Double]? { if case .vector(let value) = self { value } else { nil } }
}

/// Provides unavailable accessors whose messages name the right one if a different integer type is expected.
///
/// Without it, the compiler fails to produce a diagnostic for
/// `let n: Int? = document.fields?["n"]?.int64Value`.
public protocol IntegerAccessors {}

extension Value: IntegerAccessors {}

extension IntegerAccessors {
  /// Unavailable: use `intValue` for an `Int`.
  @available(*, unavailable, message: "use intValue for an Int")
  public var int64Value: Int? { nil }
  /// Unavailable: use `int64Value` for an `Int64`.
  @available(*, unavailable, message: "use int64Value for an Int64")
  public var intValue: Int64? { nil }
}

public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of a value as a Swift type; `nil` if the value has another type.
extension Value {
  /// Whether this is null.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The boolean.
  public var boolValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
  /// The integer; `nil` also if it is outside the range of `Int`.
  public var intValue: Int? { int64Value.flatMap(Int.init(exactly:)) }
  /// The integer.
  public var int64Value: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The double, or the integer as a double.
  public var doubleValue: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  /// The text.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The timestamp.
  public var timestampValue: Timestamp? { if case .timestamp(let value) = self { value } else { nil } }
  /// The timestamp as a date.
  public var dateValue: Date? { timestampValue?.dateValue() }
  /// The bytes.
  public var dataValue: Data? { if case .bytes(let value) = self { value } else { nil } }
  /// The point.
  public var geoPointValue: GeoPoint? { if case .geoPoint(let value) = self { value } else { nil } }
  /// The path of the document to which this is a reference.
  public var referenceValue: ResourcePath? { if case .reference(let value) = self { value } else { nil } }
  /// The elements of the array.
  public var arrayValue: [Value]? { if case .array(let value) = self { value } else { nil } }
  /// The fields of the map.
  public var mapValue: Fields? { if case .map(let value) = self { value } else { nil } }
  /// The components of the vector.
  public var vectorValue: [Double]? { if case .vector(let value) = self { value } else { nil } }
}

/// Names the right accessor where one of another integer type is expected: without it, the compiler fails to produce a message for
/// `let n: Int? = document["n"]?.int64Value`.
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

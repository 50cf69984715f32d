public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// There is no literal `nil`: it would turn every absent `Value?` into a null.
extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral, ExpressibleByStringInterpolation {
  /// A double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// A map.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .map(Fields(unsorted: elements.map { Fields.Entry(name: $0.0, value: $0.1) }))
  }
}

extension Value {
  /// An integer.
  public init(_ value: Int) { self = .integer(Int64(value)) }
  /// A double.
  public init(_ value: Double) { self = .double(value) }
  /// A boolean.
  public init(_ value: Bool) { self = .boolean(value) }
  /// Text.
  public init(_ value: String) { self = .string(value) }
  /// A moment, cut to the microsecond.
  public init(_ value: Date) { self = .timestamp(Timestamp(value)) }
  /// Bytes.
  public init(_ value: Data) { self = .bytes(value) }

  /// The text, if this is a string.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The number, if this is an integer.
  public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The number, if this is an integer or a double.
  public var doubleValue: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  /// The truth, if this is a boolean.
  public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
  /// The elements, if this is an array.
  public var arrayValue: [Value]? { if case .array(let value) = self { value } else { nil } }
  /// The fields, if this is a map.
  public var mapValue: Fields? { if case .map(let value) = self { value } else { nil } }
}

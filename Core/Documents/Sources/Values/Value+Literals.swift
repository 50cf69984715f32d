public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// There is no `nil` literal: it would turn an absent `Value?` into a null.
extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral, ExpressibleByStringInterpolation {
  /// Creates a double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates an array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Creates a map. If a name occurs more than once, its last value is used.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .map(Fields(unsorted: elements.map { Fields.Entry(name: $0.0, value: $0.1) }))
  }
}

extension Value {
  /// Creates an integer.
  public init(_ value: Int) { self = .integer(Int64(value)) }
  /// Creates a double.
  public init(_ value: Double) { self = .double(value) }
  /// Creates a boolean.
  public init(_ value: Bool) { self = .boolean(value) }
  /// Creates text.
  public init(_ value: String) { self = .string(value) }
  /// Creates a timestamp, rounded down to the microsecond.
  public init(_ value: Date) { self = .timestamp(Timestamp(date: value)) }
  /// Creates bytes.
  public init(_ value: Data) { self = .bytes(value) }
}

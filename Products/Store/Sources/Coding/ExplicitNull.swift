/// A property of a `Codable` type that is written as null if it is `nil`; other properties that are `nil` are
/// omitted.
///
/// ```swift
/// struct Task: Codable {
///   var title: String
///   @ExplicitNull var due: Date?
/// }
/// ```
///
/// A field that is null is read as `nil`; a document without the field can't be decoded.
@propertyWrapper
public struct ExplicitNull<Value> {
  /// The value; `nil` for null.
  public var wrappedValue: Value?

  /// Creates the property.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension ExplicitNull: Encodable where Value: Encodable {
  /// Encodes the value or null.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}

extension ExplicitNull: Decodable where Value: Decodable {
  /// Decodes the value or null.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
  }
}

extension ExplicitNull: Equatable where Value: Equatable {}
extension ExplicitNull: Hashable where Value: Hashable {}
extension ExplicitNull: Sendable where Value: Sendable {}

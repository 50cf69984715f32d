import TenonDocuments
public import TenonFoundation
public import TenonValues

/// A type that a timestamp can be converted to, for ``ServerTimestamp``: `Date` and `Timestamp`.
public protocol ServerTimestampWrappable {
  /// Returns the value for a timestamp that was read.
  ///
  /// - Throws: any error; decoding the document then throws it.
  static func wrap(_ timestamp: Timestamp) throws -> Self
  /// Returns the timestamp that is written for a value.
  ///
  /// - Throws: any error; encoding the document then throws it.
  static func unwrap(_ value: Self) throws -> Timestamp
}

extension Date: ServerTimestampWrappable {
  /// Returns the date of a timestamp.
  public static func wrap(_ timestamp: Timestamp) -> Date { timestamp.dateValue() }
  /// Returns the timestamp of a date.
  public static func unwrap(_ value: Date) -> Timestamp { Timestamp(date: value) }
}

extension Timestamp: ServerTimestampWrappable {
  /// Returns the timestamp itself.
  public static func wrap(_ timestamp: Timestamp) -> Timestamp { timestamp }
  /// Returns the timestamp itself.
  public static func unwrap(_ value: Timestamp) -> Timestamp { value }
}

/// A property of a `Codable` type that is set to the server's time when the document is written and the
/// property is `nil`.
///
/// ```swift
/// struct Note: Codable {
///   var title: String
///   @ServerTimestamp var created: Date?
/// }
/// try await page.setData(from: Note(title: "Tea", created: nil))
/// ```
///
/// A property with a value is written as it is. A field that is null is read as `nil`.
@propertyWrapper
public struct ServerTimestamp<Value: ServerTimestampWrappable & Codable>: Codable {
  /// The time; `nil` for the server's time of the next write.
  public var wrappedValue: Value?

  /// Creates the property.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  /// Decodes a timestamp or null.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try Value.wrap(try container.decode(Timestamp.self))
  }

  /// Encodes the timestamp, or the request to set it.
  ///
  /// - Throws: `EncodingError` for a `nil` and encoders other than that of `setData(from:)`.
  public func encode(to encoder: any Encoder) throws {
    if let wrappedValue {
      var container = encoder.singleValueContainer()
      try container.encode(try Value.unwrap(wrappedValue))
    } else if let encoder = encoder as? any FieldEncoder {
      encoder.setServerTimestamp()
    } else {
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "a @ServerTimestamp property that is nil can only be encoded with setData(from:)")
      )
    }
  }
}

extension ServerTimestamp: Equatable where Value: Equatable {}
extension ServerTimestamp: Hashable where Value: Hashable {}
extension ServerTimestamp: Sendable where Value: Sendable {}

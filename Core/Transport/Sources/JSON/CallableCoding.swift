package import TenonJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The encoding of values in the callable protocol
/// (https://firebase.google.com/docs/functions/callable-reference#serialization).
///
/// Values are JSON, with two conventions: integers that a double can't represent are wrapped in objects with the
/// members `@type` and `value`, and dates are RFC 3339 text with milliseconds.
///
/// The protocol has no escape for objects that have such members for another reason: an object whose `@type` is one of
/// the two names is always read as an integer. JSON text doesn't distinguish `1e17` from an integer either, so a
/// `Double` beyond ±2^53 that is a whole number within 64 bits is wrapped as well.
///
/// ```swift
/// let json = try CallableCoding.encode(["id": Int64.max])
/// // {"id":{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9223372036854775807"}}
/// ```
package enum CallableCoding {
  /// The type name of a wrapped signed integer.
  private static let int64Type = "type.googleapis.com/google.protobuf.Int64Value"
  /// The type name of a wrapped unsigned integer.
  private static let uint64Type = "type.googleapis.com/google.protobuf.UInt64Value"
  /// The largest magnitude up to which all integers are exact as doubles: 2^53.
  private static let exact: Int64 = 1 << 53

  /// Encodes a value in the form of the protocol.
  ///
  /// `Data` becomes Base64 text, and all other types are encoded as by `JSONEncoder`.
  ///
  /// - Parameter value: the value.
  /// - Throws: `EncodingError` if JSON can't represent the value, for example a number that isn't finite or a date
  ///   outside the years 0 to 9999; ``JSONSyntaxError`` if its nesting exceeds ``JSON/deepestNesting``; what the
  ///   value's own `encode(to:)` throws.
  /// - Complexity: O(*n*) in the size of the encoded value, which is encoded as text and parsed.
  package static func encode(_ value: some Encodable) throws -> JSON {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      guard let text = date.iso8601Milliseconds else {
        let reason = "The date is outside the years 0 to 9999 of ISO 8601."
        // The error holds seconds, because printing a `Date` that isn't finite traps.
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970, .init(codingPath: encoder.codingPath, debugDescription: reason))
      }
      try container.encode(text)
    }
    return wrapped(try JSON(parsing: encoder.encode(value)))
  }

  /// Decodes a value from the form of the protocol.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - value: the encoded value. Wrapped integers are accepted wherever an integer is.
  /// - Returns: the value. Members that the type doesn't have are ignored.
  /// - Throws: `DecodingError` if the JSON has another form than `type` or a date is malformed; ``UnreadableNumber`` if
  ///   a wrapped integer is malformed, even in a member that `type` doesn't have.
  package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSON) throws -> Value {
    try unwrapped(value).decode(
      type, dates: .text({ Date(iso8601: $0) }, "It isn't a date of ISO 8601 with a time zone."))
  }

  /// Returns a value in which all integers beyond ±2^53 are wrapped. Numbers that are wrapped already are kept, because
  /// their digits are text.
  ///
  /// - Parameter value: the value. A ``JSON/unsigned(_:)`` in it is wrapped whatever its size.
  /// - Complexity: O(*n*) in the number of values.
  package static func wrapped(_ value: JSON) -> JSON {
    switch value {
    // Checked: a constant.
    case .int(let number) where !(-exact...exact).contains(number):
      ["@type": .string(int64Type), "value": .string(String(number))]
    case .unsigned(let number):
      ["@type": .string(uint64Type), "value": .string(String(number))]
    case .array(let values): .array(values.map(wrapped))
    case .object(let members): .object(members.mapValues(wrapped))
    default: value
    }
  }

  /// Returns a value in which wrapped integers are replaced by plain ones. Objects with another `@type` are kept.
  ///
  /// The text may be a string or a JSON number, and other members of a wrapper are ignored.
  ///
  /// - Throws: ``UnreadableNumber`` if the member `value` is missing, is not an integer or doesn't fit into the type.
  /// - Complexity: O(*n*) in the number of values.
  package static func unwrapped(_ value: JSON) throws -> JSON {
    switch value {
    case .array(let values): return .array(try values.map(unwrapped))
    case .object(let members):
      switch members["@type"]?.string {
      case int64Type:
        guard let number = members["value"]?.text.flatMap({ Int64(decimal: $0) }) else {
          throw UnreadableNumber()
        }
        return .int(number)
      case uint64Type:
        guard let number = members["value"]?.text.flatMap({ UInt64(decimal: $0) }) else {
          throw UnreadableNumber()
        }
        return .unsigned(number)
      default: return .object(try members.mapValues(unwrapped))
      }
    default: return value
    }
  }

  /// An error: a wrapped integer whose text is not an integer of its type.
  package struct UnreadableNumber: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// A fixed sentence. It doesn't quote the text.
    package var description: String { "A wrapped integer has no valid text." }
    /// The same text as ``description``.
    package var errorDescription: String? { description }
  }
}

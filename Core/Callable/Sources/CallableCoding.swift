import TenonFoundation
package import TenonJSON

/// The encoding of values in the callable protocol
/// (https://firebase.google.com/docs/functions/callable-reference#serialization).
///
/// Values are JSON, with two conventions: integers that a double can't represent are wrapped in objects with
/// the members `@type` and `value`, and dates are RFC 3339 text with milliseconds.
///
/// The protocol has no escape for objects that have such members for another reason: an object whose `@type`
/// is one of the two names is always read as an integer.
///
/// ```swift
/// try CallableCoding.encode(["id": Int64.max])
/// // → ["id": ["@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "9223372036854775807"]]
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
  /// `Data` becomes Base64 text, and all other types are encoded as by `JSONEncoder`. The value is encoded
  /// once, straight into the tree.
  ///
  /// - Parameter value: the value.
  /// - Throws: `EncodingError`, with the path, if JSON can't represent a part of the value: a number that
  ///   isn't finite, a date outside the years 0 to 9999, or nesting beyond ``JSON/deepestNesting``; what the
  ///   value's own `encode(to:)` throws.
  /// - Complexity: O(*n*) in the size of the encoded value.
  package static func encode(_ value: some Encodable) throws -> JSON { try CallableEncoder.encode(value) }

  /// Decodes a value from the form of the protocol.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - value: the encoded value. Wrapped integers are accepted wherever an integer is.
  /// - Returns: the value. Members that the type doesn't have are ignored.
  /// - Throws: `DecodingError` if the JSON doesn't have the form of `type`, or a date is malformed;
  ///   ``UnreadableNumber`` if a wrapped integer is malformed, even in a member that `type` doesn't have.
  package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSON) throws -> Value {
    try unwrapped(value).decode(
      type, dates: .text({ Date(iso8601: $0) }, "It isn't an ISO 8601 date with a time zone."))
  }

  /// Returns a value in which all integers beyond ±2^53 are wrapped. Numbers that are wrapped already are
  /// kept, because their digits are text.
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

  /// Returns a value in which wrapped integers are replaced by plain ones. Objects with another `@type` are
  /// kept.
  ///
  /// The text may be a string or a JSON number, and other members of a wrapper are ignored.
  ///
  /// - Throws: ``UnreadableNumber``, with the path, if the member `value` is missing, isn't an integer or
  ///   doesn't fit into the type.
  /// - Complexity: O(*n*) in the number of values. A value without wrapped integers isn't copied.
  package static func unwrapped(_ value: JSON) throws -> JSON {
    hasWrapped(value) ? try unwrapped(value, at: .root) : value
  }

  /// Returns whether a part of a value is a wrapped integer.
  private static func hasWrapped(_ value: JSON) -> Bool {
    switch value {
    case .array(let values): values.contains(where: hasWrapped)
    case .object(let members):
      [int64Type, uint64Type].contains(members["@type"]?.string) || members.values.contains(where: hasWrapped)
    default: false
    }
  }

  /// Returns a part of a value without wrapped integers.
  private static func unwrapped(_ value: JSON, at path: JSONPath) throws(UnreadableNumber) -> JSON {
    switch value {
    case .array(let values):
      var unwrapped: [JSON] = []
      for (index, value) in values.enumerated() {
        unwrapped.append(try self.unwrapped(value, at: .key(JSONKey(index: index), in: path)))
      }
      return .array(unwrapped)
    case .object(let members):
      switch members["@type"]?.string {
      case int64Type:
        guard let number = members["value"]?.text.flatMap({ Int64(decimal: $0) }) else {
          throw UnreadableNumber(at: path)
        }
        return .int(number)
      case uint64Type:
        guard let number = members["value"]?.text.flatMap({ UInt64(decimal: $0) }) else {
          throw UnreadableNumber(at: path)
        }
        return .unsigned(number)
      default:
        var unwrapped: [String: JSON] = [:]
        for (name, member) in members {
          unwrapped[name] = try self.unwrapped(member, at: .key(JSONKey(stringValue: name), in: path))
        }
        return .object(unwrapped)
      }
    default: return value
    }
  }

  /// An error: a wrapped integer whose text isn't an integer of its type.
  package struct UnreadableNumber: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// A sentence, preceded by the path of the integer, for example `items[2].id: `. It doesn't quote the
    /// text.
    package let description: String

    /// Creates the error of an integer.
    ///
    /// - Parameter path: the path of the integer in the decoded value.
    fileprivate init(at path: JSONPath) {
      let context = DecodingError.Context(
        codingPath: path.keys, debugDescription: "A wrapped integer has no valid text.")
      description = DecodingError.dataCorrupted(context).codingReason
    }

    /// The same text as ``description``.
    package var errorDescription: String? { description }
  }
}

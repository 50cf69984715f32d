import Foundation

/// How values cross the callable protocol: JSON, with 64-bit whole numbers wrapped where a double can't hold them,
/// and dates as ISO 8601 text.
package enum CallableCoding {
  private static let int64Type = "type.googleapis.com/google.protobuf.Int64Value"
  private static let uint64Type = "type.googleapis.com/google.protobuf.UInt64Value"
  /// Whole numbers up to this size are exact as doubles.
  private static let exact: Int64 = 1 << 53

  package static func encode(_ value: some Encodable) throws -> JSON {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      guard let text = date.iso8601Milliseconds else {
        let reason = "The date lies outside of the years 0 to 9999, which ISO 8601 text can have."
        // As seconds: a `Date` that isn't finite ends the process when it is printed.
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970, .init(codingPath: encoder.codingPath, debugDescription: reason))
      }
      try container.encode(text)
    }
    return wrapped(try JSON(parsing: encoder.encode(value)))
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSON) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = Date(iso8601: text) else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "\"\(text.prefix(100))\" is no ISO 8601 date that exists."
        )
      }
      return date
    }
    return try decoder.decode(type, from: unwrapped(value).serialized)
  }

  private static func wrapped(_ value: JSON) -> JSON {
    switch value {
    case .int(let number) where !(-exact...exact).contains(number):
      ["@type": .string(int64Type), "value": .string(String(number))]
    case .unsigned(let number):
      ["@type": .string(uint64Type), "value": .string(String(number))]
    case .array(let values): .array(values.map(wrapped))
    case .object(let members): .object(members.mapValues(wrapped))
    default: value
    }
  }

  private static func unwrapped(_ value: JSON) throws -> JSON {
    switch value {
    case .array(let values): return .array(try values.map(unwrapped))
    case .object(let members):
      switch members["@type"]?.string {
      case int64Type:
        guard let number = members["value"]?.text.flatMap({ Int64($0) }) else { throw UnreadableNumber() }
        return .int(number)
      case uint64Type:
        guard let number = members["value"]?.text.flatMap({ UInt64($0) }) else { throw UnreadableNumber() }
        return .unsigned(number)
      default: return .object(try members.mapValues(unwrapped))
      }
    default: return value
    }
  }

  /// A wrapped number whose text is none.
  package struct UnreadableNumber: Error {}
}

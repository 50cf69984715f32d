package import Foundation

extension JSON: Codable {
  /// Decodes any JSON value. Integers up to 64 bits keep all their digits; larger numbers become `double`.
  ///
  /// The types are tried one after the other, each with an error if it doesn't fit. ``init(parsing:)`` avoids that and
  /// limits the nesting; this exists for values within decodable types.
  ///
  /// - Parameter decoder: a decoder that doesn't convert types, such as `JSONDecoder`. One that decodes numbers from
  ///   strings would change the values.
  /// - Throws: `DecodingError` if the decoder's value is not one of JSON.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  /// Encodes the value as the JSON value that it represents, without a wrapper.
  ///
  /// - Parameter encoder: the encoder. Its formatting applies to the members.
  /// - Throws: the encoder's error, for example for a `double` that isn't finite.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }

  /// The value as compact UTF-8 text (RFC 8259), with the members of objects sorted by name, so that equal values have
  /// equal texts. Slashes are not escaped. The value is encoded each time that the property is read.
  ///
  /// - Throws: `EncodingError` for a `double` that isn't finite.
  package var serialized: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }
}

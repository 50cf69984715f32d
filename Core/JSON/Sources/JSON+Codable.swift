extension JSON: Codable {
  /// Returns the value that the decoder of ``decode(_:dates:)`` is at. Complexity: O(1).
  ///
  /// - Throws: `DecodingError` for any other decoder. Through those, the type of a value can only be found by
  ///   trying one after the other, which takes time proportional to the cube of the depth with `JSONDecoder`.
  package init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? JSONTreeDecoder else {
      throw DecodingError.typeMismatch(
        JSON.self,
        .init(codingPath: decoder.codingPath, debugDescription: "JSON is decoded by JSON.decode only."))
    }
    self = decoder.value
  }

  /// Encodes the value as the JSON value that it represents, without a wrapper, with any encoder.
  ///
  /// - Throws: the encoder's error; `JSONEncoder` throws `EncodingError` for a `double` that isn't finite.
  /// - Complexity: O(*n*) calls of the encoder in the number of values.
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
}

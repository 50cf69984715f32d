// `FieldsEncoder` and `FieldsDecoder` handle these types without calling these methods. The conformances
// allow their use as properties of `Codable` types.

/// A value as a property of a `Codable` type, for fields whose type varies. Only ``FieldsEncoder`` and
/// ``FieldsDecoder`` can encode and decode it; any other coder, for example `JSONEncoder`, fails with the
/// errors below.
extension Value: Codable {
  /// Always throws: only ``FieldsDecoder`` can decode values.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a Value is decoded by FieldsDecoder only")
    )
  }

  /// Always throws: only ``FieldsEncoder`` can encode values.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: encoder.codingPath, debugDescription: "a Value is encoded by FieldsEncoder only")
    )
  }
}

/// Fields as a property of a `Codable` type, for maps whose members aren't declared. As for ``Value``, other
/// coders throw.
extension Fields: Codable {
  /// Always throws: only ``FieldsDecoder`` can decode fields.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "Fields are decoded by FieldsDecoder only")
    )
  }

  /// Always throws: only ``FieldsEncoder`` can encode fields.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: encoder.codingPath, debugDescription: "Fields are encoded by FieldsEncoder only")
    )
  }
}

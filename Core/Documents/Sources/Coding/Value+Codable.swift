public import TenonStoreInterop

// `FieldsEncoder` and `FieldsDecoder` take these types as they are and never come here; the conformances let them stand
// in `Codable` types.

extension Value: Codable {
  /// Not for other decoders than ``FieldsDecoder``.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a Value is decoded by FieldsDecoder only")
    )
  }

  /// Not for other encoders than ``FieldsEncoder``.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: encoder.codingPath, debugDescription: "a Value is encoded by FieldsEncoder only")
    )
  }
}

extension Fields: Codable {
  /// Not for other decoders than ``FieldsDecoder``.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "Fields are decoded by FieldsDecoder only")
    )
  }

  /// Not for other encoders than ``FieldsEncoder``.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: encoder.codingPath, debugDescription: "Fields are encoded by FieldsEncoder only")
    )
  }
}

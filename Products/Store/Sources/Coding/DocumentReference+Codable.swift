import TenonDocuments
import TenonValues

extension DocumentReference: Codable {
  /// Decodes a reference that is a field of a document, read with
  /// ``DocumentSnapshotConvertible/data(as:with:)``.
  ///
  /// - Throws: `DecodingError` if the field isn't a reference, or for other decoders.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer().decode(Value.self)
    guard case .reference(let path) = value,
      let document = decoder.userInfo[.document] as? DocumentReference
    else {
      throw DecodingError.typeMismatch(
        DocumentReference.self,
        .init(codingPath: decoder.codingPath, debugDescription: "the field holds \(value) instead"))
    }
    self.init(store: document.store, path: path)
  }

  /// Encodes the reference for a field of a document, written with ``setData(from:merge:)``.
  ///
  /// - Throws: `EncodingError` for other encoders, and if the path isn't that of a document.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Value.reference(try checkedPath()))
  }
}

import TenonDocuments
public import TenonStoreInterop

/// A document at one moment.
public struct DocumentSnapshot: Sendable {
  /// The document's place.
  public let reference: DocumentReference
  /// The content; `nil` when there is no such document.
  public let fields: Fields?
  /// When the document was created; `nil` when there is none.
  public let createTime: Timestamp?
  /// When the document was last changed; `nil` when there is none.
  public let updateTime: Timestamp?

  init(reference: DocumentReference, document: StoredDocument?) {
    self.reference = reference
    fields = document?.fields
    createTime = document?.createTime
    updateTime = document?.updateTime
  }

  /// The document's id.
  public var documentID: String { reference.documentID }
  /// Whether there is a document.
  public var exists: Bool { fields != nil }

  /// A field's value; `nil` when there is no such field.
  public subscript(field: FieldPath) -> Value? { fields?[field] }

  /// The document as a `Decodable` value.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` when there is no document; `DecodingError` that names
  ///   the field.
  public func decode<Decoded: Decodable>(_ type: Decoded.Type = Decoded.self) throws -> Decoded {
    guard let fields else {
      throw StoreError(.notFound, "There is no document \(reference.path.text) to decode.")
    }
    return try FieldsDecoder().decode(type, from: fields)
  }
}

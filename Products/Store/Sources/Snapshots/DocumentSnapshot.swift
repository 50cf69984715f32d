import TenonDocuments
public import TenonStoreInterop

/// A document at one moment.
public struct DocumentSnapshot: Sendable {
  /// The document's place.
  public let reference: DocumentReference
  /// The content; `nil` when there is no such document. Moments that the remote will set are estimated.
  public let fields: Fields?
  /// When the document was created; `nil` when there is none, or the remote hasn't told.
  public let createTime: Timestamp?
  /// When the document was last changed; `nil` when there is none, or the remote hasn't told.
  public let updateTime: Timestamp?
  /// How the snapshot stands to what the remote has.
  public let metadata: SnapshotMetadata
  private let pendingTimestamps: [PendingTimestamp]

  /// A document, or that there is none.
  init(reference: DocumentReference, document: StoredDocument?, isFromCache: Bool) {
    self.init(
      reference: reference, fields: document?.fields, createTime: document?.createTime ?? .zero,
      updateTime: document?.updateTime ?? .zero,
      hasPendingWrites: document.map { StoredDocument.isPending($0.flags) } ?? false,
      isFromCache: isFromCache, pendingTimestamps: document?.pendingTimestamps ?? [])
  }

  /// What was read of a document.
  ///
  /// - Parameters:
  ///   - createTime: 0 where nobody knows.
  ///   - updateTime: 0 where nobody knows.
  init(
    reference: DocumentReference, fields: Fields?, createTime: Timestamp, updateTime: Timestamp,
    hasPendingWrites: Bool, isFromCache: Bool, pendingTimestamps: [PendingTimestamp]
  ) {
    self.reference = reference
    self.fields = fields
    self.createTime = createTime == .zero ? nil : createTime
    self.updateTime = updateTime == .zero ? nil : updateTime
    metadata = SnapshotMetadata(hasPendingWrites: hasPendingWrites, isFromCache: isFromCache)
    self.pendingTimestamps = pendingTimestamps
  }

  /// The document's id.
  public var documentID: String { reference.documentID }
  /// Whether there is a document.
  public var exists: Bool { fields != nil }

  /// A field's value; `nil` when there is no such field.
  public subscript(field: FieldPath) -> Value? { fields?[field] }

  /// The content, with a choice of what stands in fields whose moment the remote will set; `nil` when there is no such
  /// document.
  public func fields(serverTimestamps behavior: ServerTimestampBehavior) -> Fields? {
    guard var fields, behavior != .estimate else { return fields }
    for pending in pendingTimestamps {
      fields[pending.field] = behavior == .previous ? pending.previous ?? .null : .null
    }
    return fields
  }

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

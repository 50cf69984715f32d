import TenonDocuments
import TenonStoreEngine
public import TenonValues

/// The state of a document at one time.
///
/// A snapshot is a value: it never changes, and can be read on any thread. It includes the pending writes of
/// this device; see ``metadata``.
///
/// ```swift
/// let note = try await store.document("notes/tea").getDocument()
/// let title = note["title"]?.stringValue ?? "Untitled"
/// ```
public struct DocumentSnapshot: Sendable {
  /// The reference to the document.
  public let reference: DocumentReference
  /// The fields with estimated server timestamps; `nil` if the document doesn't exist.
  let fields: Fields?
  /// The time at which the document was created; `nil` if it doesn't exist or the remote hasn't reported the
  /// time.
  public let createTime: Timestamp?
  /// The time at which the document was last updated; `nil` if it doesn't exist or the remote hasn't reported
  /// the time.
  public let updateTime: Timestamp?
  /// The relation of the snapshot to the state of the remote.
  public let metadata: SnapshotMetadata
  /// The fields whose server timestamps aren't known yet, with their previous values.
  private let pendingTimestamps: [PendingTimestamp]

  /// Creates the snapshot of a document, or of a document that doesn't exist.
  ///
  /// - Parameters:
  ///   - reference: the reference to the document.
  ///   - document: the document as it is stored; `nil` if it doesn't exist.
  ///   - isFromCache: whether the remote hasn't confirmed that the state is current.
  init(reference: DocumentReference, document: StoredDocument?, isFromCache: Bool) {
    self.init(
      reference: reference, fields: document?.fields, createTime: document?.createTime ?? .zero,
      updateTime: document?.updateTime ?? .zero,
      hasPendingWrites: document.map { StoredDocument.isPending($0.flags) } ?? false,
      isFromCache: isFromCache, pendingTimestamps: document?.pendingTimestamps ?? [])
  }

  /// Creates the snapshot of a document that was read.
  ///
  /// - Parameters:
  ///   - reference: the reference to the document.
  ///   - fields: the fields with estimated server timestamps; `nil` if the document doesn't exist.
  ///   - createTime: 0 if it isn't known.
  ///   - updateTime: 0 if it isn't known.
  ///   - hasPendingWrites: whether this device has changed the document in a way that the remote hasn't sent
  ///     back.
  ///   - isFromCache: whether the remote hasn't confirmed that the state is current.
  ///   - pendingTimestamps: the fields whose server timestamps aren't known yet.
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

  /// The document's ID.
  public var documentID: String { reference.documentID }
  /// Whether the document exists.
  public var exists: Bool { fields != nil }

  /// Returns the fields of the document; `nil` if it doesn't exist.
  ///
  /// - Parameter behavior: the values of fields whose server timestamp isn't known yet; estimates, by
  ///   default.
  public func data(with behavior: ServerTimestampBehavior = .estimate) -> Fields? {
    guard var fields, behavior != .estimate else { return fields }
    for pending in pendingTimestamps {
      fields[pending.field] = behavior == .previous ? pending.previous ?? .null : .null
    }
    return fields
  }

  /// Returns the document as a `Decodable` value.
  ///
  /// - Parameters:
  ///   - type: the value's type; see ``DocumentID``, ``ServerTimestamp`` and ``ExplicitNull`` for its
  ///     properties.
  ///   - behavior: the values of fields whose server timestamp isn't known yet; estimates, by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if the document doesn't exist;
  ///   `DecodingError` that names the field.
  public func data<Decoded: Decodable>(
    as type: Decoded.Type, with behavior: ServerTimestampBehavior = .estimate
  ) throws -> Decoded {
    guard let fields = data(with: behavior) else {
      throw StoreError(.notFound, "The document \(reference.path) doesn't exist, so it can't be decoded.")
    }
    return try FieldsDecoder().decode(type, from: fields, of: reference)
  }

  /// Returns the value of a field; `nil` if there is no such field.
  ///
  /// ```swift
  /// let rating = document.get("rating")?.intValue
  /// ```
  ///
  /// - Parameters:
  ///   - field: the field's name, with dots between the names of maps, or its path.
  ///   - behavior: the value of a field whose server timestamp isn't known yet; an estimate, by default.
  public func get(
    _ field: some FieldPathConvertible, serverTimestampBehavior behavior: ServerTimestampBehavior = .estimate
  ) -> Value? {
    behavior == .estimate ? fields?[field.fieldPath] : data(with: behavior)?[field.fieldPath]
  }

  /// The value of a field; `nil` if there is no such field. See ``get(_:serverTimestampBehavior:)``.
  public subscript(field: some FieldPathConvertible) -> Value? { fields?[field.fieldPath] }

  /// Returns the document to which a field refers; `nil` if the field isn't a reference.
  public func getReference(_ field: some FieldPathConvertible) -> DocumentReference? {
    get(field)?.referenceValue.map { DocumentReference(store: reference.store, path: $0) }
  }
}

extension DocumentSnapshot: CustomStringConvertible {
  /// The document on one line, for example `notes/tea {rating: 5, title: "Tea"}`.
  public var description: String {
    "\(reference.path) \(fields?.description ?? "(doesn't exist)")\(metadata.suffix)"
  }
}

import TenonStoreEngine
import TenonValues

/// A document that is decoded as a model, and written from it.
///
/// Its writes return as those of ``DocumentReference``: when they are durable on this device, before the
/// remote has accepted them, unless ``StoreSettings/writes`` says otherwise.
public struct TypedDocument<Model: Codable & Sendable>: SnapshotSource, Hashable {
  /// The document without the type.
  public let reference: DocumentReference

  /// Creates a typed document.
  ///
  /// - Parameters:
  ///   - reference: the document.
  ///   - type: the type of its content.
  public init(_ reference: DocumentReference, of type: Model.Type = Model.self) { self.reference = reference }

  /// The document's ID.
  public var documentID: String { reference.documentID }
  /// The document's path, for example `rooms/den`.
  public var path: String { reference.path }

  /// Sets the content of the document; see ``DocumentReference/setData(from:merge:)``.
  @discardableResult
  public func setData(_ model: Model, merge: Bool = false) async throws -> WriteConfirmation {
    try await reference.setData(from: model, merge: merge)
  }

  /// Sets some fields of the document to those of a model, and keeps the others; see
  /// ``DocumentReference/setData(from:mergeFields:)``.
  ///
  /// - Throws: also ``StoreError`` with ``StoreError/Code/invalidArgument`` for a key path that names no
  ///   field.
  @discardableResult
  public func setData(
    _ model: Model, mergeFields keyPaths: [PartialKeyPath<Model>]
  ) async throws -> WriteConfirmation {
    let fields = try keyPaths.map { try FieldNames<Model>.field(of: $0) }
    return try await reference.setData(from: model, mergeFields: fields)
  }

  /// Creates the document, which must not exist; see ``DocumentReference/create(from:)``.
  @discardableResult
  public func create(_ model: Model) async throws -> WriteConfirmation {
    try await reference.create(from: model)
  }

  /// Changes one field of the document, which must exist; see ``DocumentReference/updateData(_:if:)``.
  /// Several fields are changed together by ``setData(_:mergeFields:)``, or by ``reference``.
  ///
  /// - Parameters:
  ///   - keyPath: the property, which names the field; see ``FieldNaming``.
  ///   - value: the value; `nil` becomes null.
  /// - Throws: as ``DocumentReference/updateData(_:if:)``; ``StoreError`` with
  ///   ``StoreError/Code/invalidArgument`` for a key path that names no field; `EncodingError`.
  @discardableResult
  public func updateData<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, to value: Property
  ) async throws -> WriteConfirmation {
    let field = try FieldNames<Model>.field(of: keyPath)
    return try await reference.updateData([field: try storedValue(value)])
  }

  /// Deletes the document; see ``DocumentReference/delete(if:)``.
  @discardableResult
  public func delete() async throws -> WriteConfirmation { try await reference.delete() }

  /// Reads the document; see ``DocumentReference/getDocument(source:)``.
  public func getDocument(source: FirestoreSource = .default) async throws -> TypedDocumentSnapshot<Model> {
    TypedDocumentSnapshot(try await reference.getDocument(source: source))
  }

  /// Returns a stream of the document now, and each time it changes; see
  /// ``DocumentReference/snapshots(includeMetadataChanges:source:)``.
  public func snapshots(
    includeMetadataChanges: Bool = false, source: ListenSource = .default
  ) -> AsyncThrowingStream<TypedDocumentSnapshot<Model>, any Error> {
    reference.snapshots(includeMetadataChanges: includeMetadataChanges, source: source) {
      TypedDocumentSnapshot($0)
    }
  }
}

extension TypedDocument: CustomStringConvertible {
  /// The path, for example `rooms/den`.
  public var description: String { path }
}

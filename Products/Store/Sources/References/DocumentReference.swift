import TenonDocuments
public import TenonStoreInterop

/// A document's place, whether there is a document or not.
public struct DocumentReference: Sendable {
  /// The database.
  public let store: Store
  /// The document's path, from the database's root.
  public let path: ResourcePath

  /// The document's id, the last part of its path.
  public var documentID: String { path.id }
  /// The collection that the document belongs to.
  public var parent: CollectionReference {
    CollectionReference(store: store, path: ResourcePath(segments: path.segments.dropLast()))
  }

  /// A collection below the document.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  public func collection(_ path: String) throws -> CollectionReference {
    try store.collection("\(self.path.text)/\(path)")
  }

  // MARK: - Writing

  /// Makes the document these fields, replacing what was there.
  ///
  /// - Parameters:
  ///   - fields: the content.
  ///   - merge: keeps the fields that aren't named; maps are merged field by field.
  /// - Throws: ``StoreError``.
  public func set(_ fields: Fields, merge: Bool = false) async throws {
    try await store.engine.commit([.setting(path, fields, merge: merge)])
  }

  /// Makes the document what an `Encodable` value encodes, replacing what was there.
  ///
  /// - Throws: ``StoreError``; `EncodingError`.
  public func set(_ value: some Encodable, merge: Bool = false) async throws {
    try await set(try StoreError.mapping { try FieldsEncoder().encode(value) }, merge: merge)
  }

  /// Changes fields of a document that exists. Names with dots lead into maps: `["address.city": "Ulm"]`.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` when there is no such document.
  public func update(_ fields: [FieldPath: Value]) async throws {
    try await store.engine.commit([try .updating(path, fields)])
  }

  /// Removes fields of a document that exists.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` when there is no such document.
  public func removeFields(_ paths: [FieldPath]) async throws {
    try await store.engine.commit([try .removing(paths, from: path)])
  }

  /// Deletes the document; its collections stay. Deleting what isn't there is no error.
  public func delete() async throws {
    try await store.engine.commit([DocumentWrite(path, .delete)])
  }

  // MARK: - Reading

  /// The document as it is now.
  public func get() async throws -> DocumentSnapshot {
    DocumentSnapshot(reference: self, document: try await store.engine.document(path))
  }

  /// The document as it is now, and then each time it changes.
  ///
  /// A slow reader skips states and sees the newest. The listening ends with the iteration.
  public var snapshots: AsyncThrowingStream<DocumentSnapshot, any Error> {
    store.engine.documentSnapshots(self)
  }
}

extension DocumentReference: Hashable {
  /// Whether both mean the same place in the same database.
  public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
    left.store === right.store && left.path == right.path
  }

  /// Feeds the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension StoreError {
  /// Runs what throws errors of the layers below, and throws what users catch.
  static func mapping<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw wrapping(error) }
  }
}

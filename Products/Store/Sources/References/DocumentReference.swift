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

  /// Makes the document this content.
  ///
  /// ```swift
  /// try await page.set(["title": "Tea", "views": .increment(1), "seen": .serverTimestamp], merge: true)
  /// ```
  ///
  /// - Parameters:
  ///   - data: the content: values, and how values are found.
  ///   - merge: keeps the fields that aren't named; maps are merged field by field. `false` replaces what was there.
  /// - Throws: ``StoreError``; nothing was changed then.
  public func set(_ data: DocumentData, merge: Bool = false) async throws {
    try await store.engine.commit([try .setting(path, data, merge: merge)])
  }

  /// Makes the document these fields; see ``set(_:merge:)-(DocumentData,_)``.
  @_disfavoredOverload
  public func set(_ fields: Fields, merge: Bool = false) async throws {
    try await set(DocumentData(fields), merge: merge)
  }

  /// Makes the document what an `Encodable` value encodes; see ``set(_:merge:)-(DocumentData,_)``.
  ///
  /// - Throws: ``StoreError``; `EncodingError`.
  public func set(_ value: some Encodable, merge: Bool = false) async throws {
    try await set(DocumentData(try StoreError.mapping { try FieldsEncoder().encode(value) }), merge: merge)
  }

  /// Makes some fields of the document what the content says, and keeps the others.
  ///
  /// - Parameters:
  ///   - data: the content; what lies outside the fields is ignored.
  ///   - fields: the fields, each of which the content must name.
  /// - Throws: ``StoreError``.
  public func set(_ data: DocumentData, mergeFields fields: [FieldPath]) async throws {
    try await store.engine.commit([try .merging(path, data, fields: fields)])
  }

  /// Makes a document that isn't there yet.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/alreadyExists`` when it is.
  public func create(_ data: DocumentData) async throws {
    try await store.engine.commit([try .setting(path, data, precondition: .exists(false))])
  }

  /// Changes fields of a document that exists. Names with dots lead into maps: `["address.city": "Ulm"]`. A map
  /// replaces what was there.
  ///
  /// - Parameters:
  ///   - changes: the fields and what they become.
  ///   - precondition: what must hold; that the document exists, by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` when there is no such document,
  ///   ``StoreError/Code/failedPrecondition`` when it was changed since the moment that `precondition` names.
  public func update(
    _ changes: [FieldPath: FieldValue], if precondition: WritePrecondition = .exists(true)
  ) async throws {
    try await store.engine.commit([try .updating(path, changes, precondition: precondition)])
  }

  /// Changes fields of a document that exists to plain values; see ``update(_:if:)``.
  @_disfavoredOverload
  public func update(_ fields: [FieldPath: Value]) async throws {
    try await update(fields.mapValues(FieldValue.value))
  }

  /// Deletes the document; its collections stay. Deleting what isn't there is no error, unless a precondition says so.
  ///
  /// - Parameter precondition: what must hold; nothing by default.
  public func delete(if precondition: WritePrecondition? = nil) async throws {
    try await store.engine.commit([DocumentWrite(path, .delete, precondition: precondition)])
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

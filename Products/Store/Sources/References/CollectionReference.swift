import TenonDocuments
public import TenonStoreInterop

/// A collection's place. A collection exists while it holds documents.
public struct CollectionReference: Queryable {
  /// The database.
  public let store: Store
  /// The collection's path, from the database's root.
  public let path: ResourcePath

  /// The collection's id, the last part of its path.
  public var collectionID: String { path.id }

  /// The query for every document of the collection.
  public var query: Query {
    Query(
      store: store,
      structure: StructuredQuery(parent: path.parent ?? ResourcePath(segments: []), collectionID: path.id)
    )
  }

  /// A document of the collection.
  ///
  /// - Parameter id: the document's id; a new one of twenty random characters when `nil`.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  public func document(_ id: String? = nil) throws -> DocumentReference {
    guard let id else { return DocumentReference(store: store, collection: path, id: AutomaticID.make()) }
    // Anything but a plain id may be the rest of a path, or wrong.
    if path.mayHaveChild(id) { return DocumentReference(store: store, collection: path, id: id) }
    return try store.document("\(path.text)/\(id)")
  }

  /// Adds a document under a new id.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func add(_ fields: Fields) async throws -> DocumentReference {
    let reference = try document()
    try await reference.set(fields)
    return reference
  }

  /// Adds what an `Encodable` value encodes under a new id.
  ///
  /// - Throws: ``StoreError``; `EncodingError`.
  @discardableResult
  public func add(_ value: some Encodable) async throws -> DocumentReference {
    let reference = try document()
    try await reference.set(value)
    return reference
  }
}

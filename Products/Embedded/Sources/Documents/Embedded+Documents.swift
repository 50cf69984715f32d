public import TenonStoreInterop

extension Embedded {
  /// Returns the documents of the backend with an administrator's access, for preparing and inspecting what
  /// apps share. The rules of ``onDocumentAccess(_:)`` don't apply; listeners receive the changes.
  ///
  /// ```swift
  /// let documents = try Embedded.embedded().documents()
  /// try await documents.set("rooms/den", ["name": "Den"])
  /// ```
  ///
  /// - Parameter database: the ID of the database.
  public func documents(database: String = "(default)") -> EmbeddedDocuments {
    EmbeddedDocuments(database: database, backend: documentDatabase)
  }
}

/// The documents of one database of the embedded backend, with an administrator's access. All methods throw
/// `StoreRemoteError`.
public struct EmbeddedDocuments: Sendable {
  /// The ID of the database.
  public let database: String
  /// The database, which is shared with the apps of the same directory.
  let backend: DocumentDatabase

  /// Returns the fields of a document; `nil` if the document doesn't exist.
  ///
  /// - Parameter path: the path of the document, for example `rooms/den`.
  public func get(_ path: String) async throws -> Fields? {
    try await backend.fetch([try Self.document(path)], database, .administrator).first?.fields
  }

  /// Creates a document, or replaces all of its fields.
  ///
  /// - Parameters:
  ///   - path: the path of the document.
  ///   - fields: the fields.
  public func set(_ path: String, _ fields: Fields) async throws {
    try await commit([.set(path, fields)])
  }

  /// Deletes a document if it exists. Documents in its subcollections aren't deleted.
  ///
  /// - Parameter path: the path of the document.
  public func delete(_ path: String) async throws {
    try await commit([.delete(path)])
  }

  /// Returns the documents of a collection, in the order of their IDs.
  ///
  /// - Parameter collection: the path of the collection, for example `rooms`.
  public func list(_ collection: String) async throws -> [EmbeddedDocument] {
    let path = try Self.checked { () throws(DocumentError) in try ResourcePath(collection: collection) }
    let query = StructuredQuery(parent: path.parent ?? ResourcePath(segments: []), collectionID: path.id)
    return try await backend.run(query, database, .administrator).compactMap(EmbeddedDocument.init)
  }

  /// Applies writes atomically: either all of them or none.
  ///
  /// ```swift
  /// try await documents.commit([.update("rooms/den", ["n": 2]), .delete("rooms/attic")])
  /// ```
  ///
  /// - Parameter writes: the writes, applied in their order.
  /// - Returns: the time of the commit, which is the update time of the documents that changed.
  @discardableResult
  public func commit(_ writes: [EmbeddedWrite]) async throws -> Timestamp {
    let writes = try writes.map { write throws(StoreRemoteError) in try write.documentWrite }
    return try await backend.commit(RemoteBatch(writes: writes), database, .administrator).time
  }

  /// Parses the path of a document.
  static func document(_ path: String) throws(StoreRemoteError) -> ResourcePath {
    try checked { () throws(DocumentError) in try ResourcePath(document: path) }
  }

  /// Converts the error of an invalid path.
  private static func checked(
    _ body: () throws(DocumentError) -> ResourcePath
  ) throws(StoreRemoteError) -> ResourcePath {
    do { return try body() } catch { throw StoreRemoteError.wrapping(error) }
  }
}

import TenonDocuments
public import TenonStoreInterop

extension Embedded {
  /// The documents of the backend as an administrator sees them, to set up and to look at what apps share. The rules of
  /// ``onDocumentAccess(_:)`` don't hold for it; those who listen are told what it changes.
  ///
  /// ```swift
  /// let documents = try Embedded.embedded().documents()
  /// try await documents.set("rooms/den", ["name": "Den"])
  /// ```
  ///
  /// - Parameter database: the database's id.
  public func documents(database: String = "(default)") -> EmbeddedDocuments {
    EmbeddedDocuments(database: database, backend: documentDatabase)
  }
}

/// The documents of one database of the embedded backend. Every method throws `StoreRemoteError`.
public struct EmbeddedDocuments: Sendable {
  /// The database's id.
  public let database: String
  let backend: DocumentDatabase

  /// A document's content; `nil` when there is no such document.
  public func get(_ path: String) async throws -> Fields? {
    try await backend.fetch([try Self.document(path)], database, .administrator).first?.fields
  }

  /// Makes a document these fields.
  public func set(_ path: String, _ fields: Fields) async throws {
    try await commit([DocumentWrite(try Self.document(path), .set(fields))])
  }

  /// Deletes a document, if it is there. Documents below it stay.
  public func delete(_ path: String) async throws {
    try await commit([DocumentWrite(try Self.document(path), .delete)])
  }

  /// The documents of a collection, in the order of their ids.
  public func list(_ collection: String) async throws -> [RemoteDocument] {
    let path = try Self.checked { () throws(DocumentError) in try ResourcePath(collection: collection) }
    let query = StructuredQuery(parent: path.parent ?? ResourcePath(segments: []), collectionID: path.id)
    return try await backend.run(query, database, .administrator)
  }

  /// Makes changes together or not at all.
  @discardableResult
  public func commit(_ writes: [DocumentWrite]) async throws -> RemoteCommit {
    try await backend.commit(RemoteBatch(writes: writes), database, .administrator)
  }

  private static func document(_ path: String) throws(StoreRemoteError) -> ResourcePath {
    try checked { () throws(DocumentError) in try ResourcePath(document: path) }
  }

  private static func checked(
    _ body: () throws(DocumentError) -> ResourcePath
  ) throws(StoreRemoteError) -> ResourcePath {
    do { return try body() } catch { throw StoreRemoteError.wrapping(error) }
  }
}

import TenonValues

/// A collection whose documents are decoded as a model, and written from it.
///
/// ```swift
/// struct Note: Codable {
///   @DocumentID var id: String?
///   var title: String
///   var rating: Int
/// }
/// let notes = store.collection("notes", of: Note.self)
/// let tea = try await notes.addDocument(Note(title: "Tea", rating: 5))
/// let best = try await notes.whereField(\.rating, isGreaterThan: 3).getDocuments().documents
/// ```
///
/// The type exists only in the app: the documents are the same as those of ``reference``.
public struct TypedCollection<Model: Codable & Sendable>: TypedQueryable, Hashable {
  /// The collection without the type.
  public let reference: CollectionReference

  /// Creates a typed collection.
  ///
  /// - Parameters:
  ///   - reference: the collection.
  ///   - type: the type of its documents.
  public init(_ reference: CollectionReference, of type: Model.Type = Model.self) {
    self.reference = reference
  }

  /// The query for all documents of the collection, without the type.
  public var untyped: Query { reference.query }

  /// The collection's path, for example `rooms/den/messages`.
  public var path: String { reference.path }

  /// Returns a document of the collection; see ``CollectionReference/document(_:)``.
  public func document(_ path: String) -> TypedDocument<Model> { TypedDocument(reference.document(path)) }

  /// Returns a new document with an ID of twenty random characters.
  public func document() -> TypedDocument<Model> { TypedDocument(reference.document()) }

  /// Adds a document with a new ID, and returns when it is durable on this device; the remote's rejection
  /// comes later, as for ``CollectionReference/addDocument(from:)``.
  ///
  /// - Parameter model: the document's content.
  /// - Returns: the document.
  /// - Throws: as ``CollectionReference/addDocument(from:)``.
  @discardableResult
  public func addDocument(_ model: Model) async throws -> TypedDocument<Model> {
    TypedDocument(try await reference.addDocument(from: model))
  }
}

extension Store {
  /// Returns a collection by its path, whose documents are decoded as a model.
  public func collection<Model>(_ path: String, of type: Model.Type) -> TypedCollection<Model> {
    TypedCollection(collection(path))
  }

  /// Returns the query for the documents of all collections with an ID, which are decoded as a model.
  public func collectionGroup<Model>(_ id: String, of type: Model.Type) -> TypedQuery<Model> {
    collectionGroup(id).documents(of: type)
  }

  /// Returns a document by its path, which is decoded as a model.
  public func document<Model>(_ path: String, of type: Model.Type) -> TypedDocument<Model> {
    TypedDocument(document(path))
  }
}

extension DocumentReference {
  /// Returns a collection below the document, whose documents are decoded as a model.
  public func collection<Model>(_ path: String, of type: Model.Type) -> TypedCollection<Model> {
    TypedCollection(collection(path))
  }
}

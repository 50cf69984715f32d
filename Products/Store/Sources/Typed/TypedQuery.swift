import TenonDocuments
import TenonValues

/// A source of documents that are decoded as a model: a ``TypedCollection`` or a ``TypedQuery``. It has
/// conditions and orders by key path, and all that every ``QuerySource`` has.
public protocol TypedQueryable<Model>: QuerySource
where Refined == TypedQuery<Model>, Snapshot == TypedQuerySnapshot<Model> {
  /// The type of the documents.
  associatedtype Model: Codable & Sendable
  /// The query without the type.
  var untyped: Query { get }
}

extension TypedQueryable {
  /// The query without the type.
  public var query: Query { untyped }
  /// Returns a query for documents of the same model.
  public func refined(_ query: Query) -> TypedQuery<Model> { TypedQuery(query) }
  /// Returns the documents, which are decoded as the model.
  public func snapshot(of documents: QuerySnapshot) -> TypedQuerySnapshot<Model> {
    TypedQuerySnapshot(documents)
  }
}

/// The documents of a collection that satisfy conditions, in an order, decoded as a model.
///
/// ```swift
/// let notes = store.collection("notes", of: Note.self)
/// let best = notes.whereField(\.rating, isGreaterThan: 3).order(by: \.title)
/// for note in try await best.getDocuments().documents {
///   print(note.documentID, try note.data().title)
/// }
/// ```
///
/// Each document is decoded when its ``TypedDocumentSnapshot/data(with:)`` is called, so that one that can't
/// be decoded doesn't hide the others.
public struct TypedQuery<Model: Codable & Sendable>: TypedQueryable {
  /// The query without the type.
  public let untyped: Query

  // These two are named, because `TypedQueryable` refers to them: the compiler can't infer them from it.
  /// The query with more conditions.
  public typealias Refined = TypedQuery<Model>
  /// The documents that are read.
  public typealias Snapshot = TypedQuerySnapshot<Model>

  /// Creates a typed query.
  init(_ untyped: Query) { self.untyped = untyped }
}

extension Queryable {
  /// Returns the query with the type of its documents.
  ///
  /// - Parameter type: the type. Nothing is checked before a document is decoded.
  public func documents<Model>(of type: Model.Type) -> TypedQuery<Model> { TypedQuery(query) }
}

extension TypedQuery: CustomStringConvertible {
  /// The query on one line; see ``Query/description``.
  public var description: String { untyped.description }
}

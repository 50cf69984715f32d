import TenonDocuments
import TenonValues

/// A source of documents that are decoded as a model: a ``TypedCollection`` or a ``TypedQuery``.
public protocol TypedQueryable<Model>: Sendable {
  /// The type of the documents.
  associatedtype Model: Codable & Sendable
  /// The query without the type, for everything that needs none, such as ``Queryable/explain()``.
  var untyped: Query { get }
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

extension TypedQueryable {
  /// Returns the query limited to its first documents; see ``Queryable/limit(to:)``.
  public func limit(to count: Int) -> TypedQuery<Model> { changed { $0.limit(to: count) } }

  /// Returns the query limited to its last documents; see ``Queryable/limit(toLast:)``.
  public func limit(toLast count: Int) -> TypedQuery<Model> { changed { $0.limit(toLast: count) } }

  // MARK: - Cursors

  /// Returns the query beginning with the documents whose ordered fields have the given values; see
  /// `Queryable.start(at:)`.
  public func start(at values: [any DocumentValue]) -> TypedQuery<Model> { changed { $0.start(at: values) } }

  /// Returns the query beginning after the documents whose ordered fields have the given values; see
  /// `Queryable.start(after:)`.
  public func start(after values: [any DocumentValue]) -> TypedQuery<Model> {
    changed { $0.start(after: values) }
  }

  /// Returns the query ending with the documents whose ordered fields have the given values; see
  /// `Queryable.end(at:)`.
  public func end(at values: [any DocumentValue]) -> TypedQuery<Model> { changed { $0.end(at: values) } }

  /// Returns the query ending before the documents whose ordered fields have the given values; see
  /// `Queryable.end(before:)`.
  public func end(before values: [any DocumentValue]) -> TypedQuery<Model> {
    changed { $0.end(before: values) }
  }

  /// Returns the query beginning with one of its documents; see ``Queryable/start(atDocument:)``.
  public func start(atDocument document: TypedDocumentSnapshot<Model>) -> TypedQuery<Model> {
    changed { $0.start(atDocument: document.untyped) }
  }

  /// Returns the query beginning after one of its documents; see ``Queryable/start(afterDocument:)``.
  public func start(afterDocument document: TypedDocumentSnapshot<Model>) -> TypedQuery<Model> {
    changed { $0.start(afterDocument: document.untyped) }
  }

  /// Returns the query ending with one of its documents; see ``Queryable/end(atDocument:)``.
  public func end(atDocument document: TypedDocumentSnapshot<Model>) -> TypedQuery<Model> {
    changed { $0.end(atDocument: document.untyped) }
  }

  /// Returns the query ending before one of its documents; see ``Queryable/end(beforeDocument:)``.
  public func end(beforeDocument document: TypedDocumentSnapshot<Model>) -> TypedQuery<Model> {
    changed { $0.end(beforeDocument: document.untyped) }
  }

  // MARK: - Reading

  /// Reads the documents of the query; see ``Queryable/getDocuments(source:)``.
  ///
  /// - Throws: ``StoreError`` as ``Queryable/getDocuments(source:)``, also for a key path that names no
  ///   field. Documents that can't be decoded aren't errors of the query.
  public func getDocuments(source: FirestoreSource = .default) async throws -> TypedQuerySnapshot<Model> {
    TypedQuerySnapshot(try await untyped.getDocuments(source: source))
  }

  /// The documents now, and each time they change; see
  /// ``Queryable/snapshots(includeMetadataChanges:source:)``.
  public var snapshots: AsyncThrowingStream<TypedQuerySnapshot<Model>, any Error> { snapshots() }

  /// Returns a stream of the documents now, and each time they change; see
  /// ``Queryable/snapshots(includeMetadataChanges:source:)``.
  public func snapshots(
    includeMetadataChanges: Bool = false, source: ListenSource = .default
  ) -> AsyncThrowingStream<TypedQuerySnapshot<Model>, any Error> {
    let snapshots = Iteration(
      untyped.snapshots(includeMetadataChanges: includeMetadataChanges, source: source))
    return AsyncThrowingStream { try await snapshots.next().map { TypedQuerySnapshot($0) } }
  }

  /// Calls a closure on the main actor, as Firebase does, with the documents now and each time they change;
  /// see ``snapshots(includeMetadataChanges:source:)``.
  ///
  /// ```swift
  /// let registration = query.addSnapshotListener { snapshot, error in
  ///   guard let snapshot else { return print(error ?? "") }
  ///   print(snapshot)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of the metadata alone are delivered.
  ///   - source: whether the remote is asked for changes.
  ///   - listener: called with one snapshot after the other, and finally with `nil` and an error if there is
  ///     one. See ``ListenerRegistration`` about processes whose main actor is blocked.
  /// - Returns: the registration, which ends the listener. The listener stays registered if it is dropped.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool = false, source: ListenSource = .default,
    _ listener: @escaping @MainActor @Sendable (TypedQuerySnapshot<Model>?, (any Error)?) -> Void
  ) -> ListenerRegistration {
    ListenerRegistration(
      snapshots(includeMetadataChanges: includeMetadataChanges, source: source), listener)
  }

  /// Calls a closure on the main actor with the documents now and each time they change, as the method whose
  /// closure takes a snapshot and an error.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of the metadata alone are delivered.
  ///   - source: whether the remote is asked for changes.
  ///   - listener: called with one snapshot after the other, and finally with an error if there is one.
  /// - Returns: the registration, which ends the listener. The listener stays registered if it is dropped.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool = false, source: ListenSource = .default,
    _ listener: @escaping @MainActor @Sendable (Result<TypedQuerySnapshot<Model>, any Error>) -> Void
  ) -> ListenerRegistration {
    ListenerRegistration(
      snapshots(includeMetadataChanges: includeMetadataChanges, source: source), listener)
  }

  /// The number of documents; see ``Queryable/count``.
  public var count: AggregateQuery { untyped.count }

  /// Returns a query for counts, sums and averages; see ``Queryable/aggregate(_:)-([AggregateField])``.
  public func aggregate(_ fields: [AggregateField]) -> AggregateQuery { untyped.aggregate(fields) }
}

/// The reader of a stream, which several calls of a function share.
actor Iteration<Element: Sendable> {
  private var iterator: AsyncThrowingStream<Element, any Error>.Iterator

  init(_ stream: AsyncThrowingStream<Element, any Error>) { iterator = stream.makeAsyncIterator() }

  /// Returns the next element; `nil` at the end.
  func next() async throws -> Element? {
    var iterator = iterator
    return try await iterator.next(isolation: #isolation)
  }
}

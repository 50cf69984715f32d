import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop

/// A source of documents that can be read, and queries over it: a ``Queryable``, or a ``TypedQueryable``,
/// whose documents are decoded as a model.
public protocol QuerySource<Snapshot>: SnapshotSource {
  /// The type of a query with more conditions: ``Query``, or ``TypedQuery``.
  associatedtype Refined: QuerySource where Refined.Refined == Refined, Refined.Snapshot == Snapshot

  /// The query for its documents, without their type.
  var query: Query { get }
  /// Returns a query for documents of the same type.
  func refined(_ query: Query) -> Refined
  /// Returns documents with their type.
  func snapshot(of documents: QuerySnapshot) -> Snapshot
}

/// A source of documents without a type: a collection, or a query over one.
public protocol Queryable: QuerySource where Refined == Query, Snapshot == QuerySnapshot {}

extension Queryable {
  /// Returns the query.
  public func refined(_ query: Query) -> Query { query }
  /// Returns the documents.
  public func snapshot(of documents: QuerySnapshot) -> QuerySnapshot { documents }
}

/// The documents of a collection that satisfy conditions, in an order.
///
/// ```swift
/// let good = notes.whereField("rating", isGreaterThan: 3)
/// let best = good.order(by: "rating", descending: true).limit(to: 10)
/// for document in try await best.getDocuments().documents { print(document) }
/// ```
///
/// The rules are those of Firestore's server. A query that breaks one, or that compares with a value that
/// can't be stored, throws when it is run.
public struct Query: Queryable {
  /// The database.
  public let store: Store
  /// The query in the form that the remote understands, apart from the limit to the last documents.
  var structure: StructuredQuery
  /// Whether the limit counts from the end of the result.
  var isLimitedToLast = false
  /// The first error in how the query was made, thrown when it is run.
  var error: StoreError?

  // These two are named, because `Queryable` refers to them: the compiler can't infer them from it.
  /// The query with more conditions.
  public typealias Refined = Query
  /// The documents that are read.
  public typealias Snapshot = QuerySnapshot

  /// The query itself.
  public var query: Query { self }

  /// Returns the query as it is run.
  ///
  /// - Parameter isSent: whether the server may be asked for the result, so that it requires indexes; see
  ///   ``Store/requiredIndexes``.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule.
  func runnable(isSent: Bool = true) throws -> RunnableQuery {
    if let error { throw error }
    if !structure.allDescendants {
      let collection = structure.parent.appending(structure.collectionID)
      try checked { () throws(DocumentError) in try collection.checkCollection() }
    }
    let runnable = try RunnableQuery(structure, isLimitedToLast: isLimitedToLast)
    if isSent { store.engine.requiredIndexes.add(runnable.run) }
    return runnable
  }
}

extension Query: CustomStringConvertible {
  /// The query on one line, for example `notes where rating > 3 order by rating desc limit 10`.
  public var description: String { structure.description + (isLimitedToLast ? " (last)" : "") }
}

extension QuerySource {
  /// Returns the query ordered by a field, after the orders added before. Documents without the field aren't
  /// part of the result. Documents with equal values are ordered by ID, in the direction of the last order.
  ///
  /// A query without an order is ordered by the fields with inequalities, then by ID.
  ///
  /// - Parameters:
  ///   - field: the field's name, with dots between the names of maps, or its path. No field can be ordered
  ///     by twice, and nothing after the document ID.
  ///   - descending: whether greater values come first; `false` by default.
  public func order(by field: some FieldPathConvertible, descending: Bool = false) -> Refined {
    var query = query
    query.structure.orders.append(QueryOrder(field: field.fieldPath, isDescending: descending))
    return refined(query)
  }

  /// Returns the query limited to its first documents. It replaces a limit set before.
  ///
  /// - Parameter count: the maximum number of documents. The query throws a ``StoreError`` with
  ///   ``StoreError/Code/invalidArgument`` when it is run if it isn't positive.
  public func limit(to count: Int) -> Refined {
    var query = query
    query.structure.limit = count
    query.isLimitedToLast = false
    return refined(query)
  }

  /// Returns the query limited to its last documents, in its order. It replaces a limit set before.
  ///
  /// The query throws a ``StoreError`` with ``StoreError/Code/invalidArgument`` when it is run if it has no
  /// explicit order; see ``order(by:descending:)``.
  ///
  /// - Parameter count: the maximum number of documents, a positive number.
  /// - Complexity: the same as that of ``limit(to:)``: the query is run in reverse order.
  public func limit(toLast count: Int) -> Refined {
    var query = query
    query.structure.limit = count
    query.isLimitedToLast = true
    return refined(query)
  }

  // MARK: - Reading

  /// Reads the documents of the query.
  ///
  /// Pending writes of this device are applied to what the remote sends. See ``explain()`` for the cost on
  /// this device.
  ///
  /// - Parameter source: where they are read. By default the remote is asked, and the cache is used if the
  ///   remote can't be reached.
  /// - Returns: the documents, in the query's order.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule; with
  ///   ``StoreError/Code/unavailable`` if only the remote is asked and can't be reached; with
  ///   ``StoreError/Code/failedPrecondition`` if only the remote is asked and the collection exists only on
  ///   this device; with ``StoreError/Code/dataLoss`` if a document on this device can't be decoded;
  ///   `CancellationError`.
  public func getDocuments(source: FirestoreSource = .default) async throws -> Snapshot {
    let query = query
    let store = query.store
    let runnable = try query.runnable()
    let collectionID = query.structure.collectionID
    let isLocal = try await store.engine.isLocal(collectionID)
    if isLocal, source == .server { throw StoreError.onlyOnDevice(collectionID) }
    let usesCache = source == .cache || (source == .default && store.engine.prefersCache)
    guard !store.isLocalOnly, !isLocal, !usesCache else {
      let isFromCache = !store.isLocalOnly && !isLocal
      let found = try await store.engine.encodedDocuments(of: runnable.run)
      let documents = try found.snapshots(in: store, isFromCache: isFromCache)
      return self.snapshot(
        of: QuerySnapshot(documents: runnable.inOrder(documents), isFromCache: isFromCache))
    }
    let result: QuerySnapshot
    switch try await store.engine.result(of: runnable) {
    case .documents(let found, let isFromCache):
      let documents = try found.snapshots(in: store, isFromCache: isFromCache)
      result = QuerySnapshot(documents: runnable.inOrder(documents), isFromCache: isFromCache)
    case .snapshot(let snapshot): result = QuerySnapshot(store: store, snapshot)
    }
    if result.metadata.isFromCache, source == .server {
      throw store.engine.unavailable("The query can't be answered by the server")
    }
    return snapshot(of: result)
  }

  /// Returns a stream of the documents now, and each time they change.
  ///
  /// A slow reader skips states; the changes of a snapshot are those since the snapshot read before it. The
  /// listener ends with the iteration. A query that breaks a rule ends the stream with its error.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of ``QuerySnapshot/metadata`` alone are delivered.
  ///   - source: whether the remote is asked for changes.
  public func snapshots(
    includeMetadataChanges: Bool = false, source: ListenSource = .default
  ) -> AsyncThrowingStream<Snapshot, any Error> {
    let query = query
    let reader: SnapshotReader
    do {
      reader = query.store.engine.listen(
        to: ListenQuery(try query.runnable()),
        QueryListener.Options(
          includesMetadataChanges: includeMetadataChanges, asksRemote: source == .default))
    } catch {
      return AsyncThrowingStream { throw error }
    }
    return AsyncThrowingStream {
      try await reader.next().map { snapshot(of: QuerySnapshot(store: query.store, $0)) }
    }
  }
}

import TenonDocuments
public import TenonStoreInterop

/// Something whose documents can be asked for: a collection, or a query over one.
public protocol Queryable: Sendable {
  /// The query for its documents.
  var query: Query { get }
}

/// Documents of a collection that satisfy conditions, in an order.
///
/// The rules are those of Firestore's server; a query that breaks one throws when it is run.
public struct Query: Queryable {
  /// The database.
  public let store: Store
  var structure: StructuredQuery
  /// Whether the limit counts from the end of the result.
  var isLimitedToLast = false

  /// The query itself.
  public var query: Query { self }
}

extension Queryable {
  /// The documents of the query whose field satisfies a condition.
  ///
  /// - Parameters:
  ///   - field: the field, with dots into maps; ``TenonStoreInterop/FieldPath/documentID`` for the document's id.
  ///   - comparison: how the field is compared.
  ///   - value: with what; an array for `.in`, `.notIn` and `.arrayContainsAny`.
  public func `where`(_ field: FieldPath, _ comparison: QueryComparison, _ value: Value) -> Query {
    self.where(.field(field, comparison, value))
  }

  /// The documents of the query that satisfy a condition, for example one made of `.and` and `.or`.
  public func `where`(_ filter: QueryFilter) -> Query {
    var query = query
    query.structure.filter = query.structure.filter.map { .and([$0, filter]) } ?? filter
    return query
  }

  /// The documents of the query ordered by a field, after the orders that were given before. Documents without the
  /// field drop out.
  public func order(by field: FieldPath, descending: Bool = false) -> Query {
    var query = query
    query.structure.orders.append(QueryOrder(field: field, isDescending: descending))
    return query
  }

  /// The first documents of the query.
  public func limit(to count: Int) -> Query {
    var query = query
    query.structure.limit = count
    query.isLimitedToLast = false
    return query
  }

  /// The last documents of the query, in its order. The query needs an order, see ``order(by:descending:)``.
  public func limit(toLast count: Int) -> Query {
    var query = query
    query.structure.limit = count
    query.isLimitedToLast = true
    return query
  }

  /// The documents from one on whose ordered fields have these values: one value for each ``order(by:descending:)`` at most,
  /// in their order.
  public func start(at values: Value...) -> Query { starting(QueryCursor(values: values, isInclusive: true)) }

  /// The documents after those whose ordered fields have these values.
  public func start(after values: Value...) -> Query {
    starting(QueryCursor(values: values, isInclusive: false))
  }

  /// The documents from one on that the query gave.
  ///
  /// - Throws: as ``start(after:)-(DocumentSnapshot)``.
  public func start(at document: DocumentSnapshot) throws -> Query {
    try bounded(at: document, isInclusive: true) { $0.starting($1) }
  }

  /// The documents that follow one that the query gave: the next page.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` when the document lacks an ordered field, or the
  ///   query breaks a rule.
  public func start(after document: DocumentSnapshot) throws -> Query {
    try bounded(at: document, isInclusive: false) { $0.starting($1) }
  }

  /// The documents up to one that the query gave, that one included.
  ///
  /// - Throws: as ``start(after:)-(DocumentSnapshot)``.
  public func end(at document: DocumentSnapshot) throws -> Query {
    try bounded(at: document, isInclusive: true) { $0.ending($1) }
  }

  /// The documents before one that the query gave.
  ///
  /// - Throws: as ``start(after:)-(DocumentSnapshot)``.
  public func end(before document: DocumentSnapshot) throws -> Query {
    try bounded(at: document, isInclusive: false) { $0.ending($1) }
  }

  /// Bounds the query at a place that no other document has: the values of all orders. The implicit ones become explicit,
  /// so that nothing can be ordered between them later.
  private func bounded(
    at document: DocumentSnapshot, isInclusive: Bool, _ bound: (Query, QueryCursor) -> Query
  ) throws -> Query {
    var query = query
    query.structure.orders = try checked { () throws(DocumentError) in try ResolvedQuery(query.structure) }
      .orders
    let values = try query.structure.orders.map { order in
      guard let value = document.fields?.value(of: order.field, at: document.reference.path) else {
        throw StoreError(
          .invalidArgument,
          "The document \(document.reference.path.text) can't bound the query: it has no field \"\(order.field.text)\"."
        )
      }
      return value
    }
    return bound(query, QueryCursor(values: values, isInclusive: isInclusive))
  }

  /// The documents up to those whose ordered fields have these values.
  public func end(at values: Value...) -> Query { ending(QueryCursor(values: values, isInclusive: true)) }

  /// The documents before those whose ordered fields have these values.
  public func end(before values: Value...) -> Query {
    ending(QueryCursor(values: values, isInclusive: false))
  }

  private func starting(_ cursor: QueryCursor) -> Query {
    var query = query
    query.structure.start = cursor
    return query
  }

  private func ending(_ cursor: QueryCursor) -> Query {
    var query = query
    query.structure.end = cursor
    return query
  }

  // MARK: - Reading

  /// The documents as they are now.
  ///
  /// - Parameter source: where they are looked for. By default the remote is asked, and what is here counts when it can't be
  ///   reached.
  /// - Throws: ``StoreError``; with ``StoreError/Code/unavailable`` when only the remote is asked and can't be reached.
  public func get(source: ReadSource = .default) async throws -> QuerySnapshot {
    let query = query
    let store = query.store
    let runnable = try RunnableQuery(query)
    guard store.isShared, source != .cache else {
      let isFromCache = store.isShared
      let found = try await store.engine.read { try $0.encodedDocuments(of: runnable.run) }
      let documents = try found.snapshots(in: store, isFromCache: isFromCache)
      return QuerySnapshot(documents: runnable.inOrder(documents), isFromCache: isFromCache)
    }
    let options = QueryListener.Options(includesMetadataChanges: true, waitsForSync: true)
    let snapshot = try await store.engine.first(ViewQuery(runnable), options)
    if snapshot.isFromCache, source == .server {
      throw store.engine.unavailable("The query can't be answered by the server")
    }
    return QuerySnapshot(store: store, snapshot)
  }

  /// The documents as they are now, and then each time they change; see ``snapshots(includeMetadataChanges:source:)``.
  public var snapshots: AsyncThrowingStream<QuerySnapshot, any Error> { snapshots() }

  /// The documents as they are now, and then each time they change.
  ///
  /// A slow reader skips states; the changes of a snapshot are those since the one that was read before. The listening
  /// ends with the iteration. A query that breaks a rule ends the stream with its error.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether snapshots are told whose ``QuerySnapshot/metadata`` alone has changed.
  ///   - source: whether the remote is asked for changes.
  public func snapshots(
    includeMetadataChanges: Bool = false, source: ListenSource = .default
  ) -> AsyncThrowingStream<QuerySnapshot, any Error> {
    let query = query
    let listening: Listening
    do {
      listening = query.store.engine.listen(
        to: ViewQuery(try RunnableQuery(query)),
        QueryListener.Options(
          includesMetadataChanges: includeMetadataChanges, asksRemote: source == .default))
    } catch {
      return AsyncThrowingStream { throw error }
    }
    return AsyncThrowingStream {
      try await listening.next().map { QuerySnapshot(store: query.store, $0) }
    }
  }

  /// Calls back with the documents as they are now, and then each time they change; see
  /// ``snapshots(includeMetadataChanges:source:)``.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether snapshots are told whose ``QuerySnapshot/metadata`` alone has changed.
  ///   - source: whether the remote is asked for changes.
  ///   - callback: called with one snapshot after the other, and with an error at last if there is one.
  /// - Returns: ends the listening when it is told to.
  public func addSnapshotListener(
    includeMetadataChanges: Bool = false, source: ListenSource = .default,
    _ callback: @escaping @Sendable (Result<QuerySnapshot, any Error>) -> Void
  ) -> ListenerRegistration {
    ListenerRegistration(
      snapshots(includeMetadataChanges: includeMetadataChanges, source: source), callback)
  }
}

import TenonDocuments
public import TenonStoreInterop

/// What was computed over the documents of a query at one moment.
public struct AggregateSnapshot: Sendable, Equatable {
  private let values: [QueryAggregation: Value]

  init(_ aggregations: [QueryAggregation], _ values: [Value]) {
    self.values = Dictionary(zip(aggregations, values)) { first, _ in first }
  }

  /// How many documents there are; `nil` when that wasn't asked.
  public var count: Int? { self[.count]?.integerValue.map(Int.init) }

  /// A result: an integer or a double, null for the average of nothing; `nil` when it wasn't asked.
  public subscript(aggregation: QueryAggregation) -> Value? { values[aggregation] }
}

extension Queryable {
  /// Counts, sums and averages over the documents as they are now.
  ///
  /// ```swift
  /// let result = try await orders.aggregate(.count, .sum("price"), .average("price"))
  /// print(result.count ?? 0, result[.sum("price")] ?? 0)
  /// ```
  ///
  /// As on the server, only documents that have every aggregated field count; what is no number adds nothing. A sum is an
  /// integer while all numbers are and it fits, a double otherwise; the average of nothing is null.
  ///
  /// - Parameters:
  ///   - aggregations: what is computed.
  ///   - source: over what. By default the remote computes, which doesn't know writes that wait; over what is here when it
  ///     can't be reached, or there is none.
  /// - Throws: ``StoreError``; with ``StoreError/Code/unavailable`` when only the remote is asked and can't be reached.
  public func aggregate(
    _ aggregations: QueryAggregation..., source: ReadSource = .default
  ) async throws -> AggregateSnapshot {
    AggregateSnapshot(aggregations, try await values(of: aggregations, source))
  }

  /// How many documents there are now.
  ///
  /// - Parameter source: where they are counted; see ``aggregate(_:source:)``.
  /// - Throws: as ``aggregate(_:source:)``.
  public func count(source: ReadSource = .default) async throws -> Int {
    try await values(of: [.count], source).first?.integerValue.map(Int.init) ?? 0
  }

  private func values(of aggregations: [QueryAggregation], _ source: ReadSource) async throws -> [Value] {
    let query = query
    let engine = query.store.engine
    let run = try RunnableQuery(query).run
    if query.store.isShared, source != .cache {
      let session = await engine.beginReading(.query(run.completed))
      if let values = try await session?.aggregate(run, aggregations) { return values }
      if source == .server {
        throw engine.unavailable("The server can't aggregate")
      }
    }
    return try await engine.read { local in
      // Counting alone keeps nothing.
      if case [.count] = aggregations { return [Value(try local.count(of: run))] }
      return try local.aggregate(aggregations, over: run)
    }
  }

  /// Counts, sums and averages as they are now, and then each time they change.
  ///
  /// A slow reader skips states. The listening ends with the iteration; a query that breaks a rule ends the stream with its
  /// error.
  public func aggregates(
    _ aggregations: QueryAggregation...
  ) -> AsyncThrowingStream<AggregateSnapshot, any Error> {
    let documents = snapshots
    let state = AggregateStream(iterator: documents.makeAsyncIterator(), aggregations: aggregations)
    return AsyncThrowingStream { try await state.next() }
  }

  /// How the documents would be found, and how many entries of the index are read for that now.
  ///
  /// - Throws: ``StoreError``.
  public func explain() async throws -> QueryExplanation {
    let query = query
    let run = try RunnableQuery(query).run
    return try await query.store.engine.read { try $0.explain(run) }
  }
}

/// How a query is answered.
public struct QueryExplanation: Sendable, Equatable {
  /// What is read: `documents by their id`, `values of rating`, `elements of tags` (every field has its index), a declared
  /// index by its name, several in which the same documents are looked for (`values of a ∩ values of b`), or several
  /// for the alternatives of a condition (`union of 3: values of a`).
  public let index: String
  /// What is read for the alternatives of the query, each once.
  public let indexes: [String]
  /// How many collections the query ranges over that have documents, or had.
  public let collections: Int
  /// Whether all that is read comes in the query's order, so that reading stops at the limit.
  public let isOrdered: Bool
  /// How many entries are read.
  public let entriesRead: Int
  /// How many documents the query gives.
  public let results: Int

  init(
    index: String, indexes: [String]? = nil, collections: Int, isOrdered: Bool, entriesRead: Int, results: Int
  ) {
    self.index = index
    self.indexes = indexes ?? [index]
    self.collections = collections
    self.isOrdered = isOrdered
    self.entriesRead = entriesRead
    self.results = results
  }
}

/// Turns the documents of a live query into what is computed over them.
private actor AggregateStream {
  private var iterator: AsyncThrowingStream<QuerySnapshot, any Error>.Iterator
  private let aggregations: [QueryAggregation]
  private var last: AggregateSnapshot?

  init(iterator: AsyncThrowingStream<QuerySnapshot, any Error>.Iterator, aggregations: [QueryAggregation]) {
    self.iterator = iterator
    self.aggregations = aggregations
  }

  func next() async throws -> AggregateSnapshot? {
    while true {
      var iterator = iterator
      guard let documents = try await iterator.next(isolation: #isolation) else { return nil }
      var state = AggregationState(aggregations)
      for document in documents.documents { if let fields = document.fields { state.add(fields) } }
      let snapshot = AggregateSnapshot(aggregations, state.values)
      guard snapshot != last else { continue }
      last = snapshot
      return snapshot
    }
  }
}

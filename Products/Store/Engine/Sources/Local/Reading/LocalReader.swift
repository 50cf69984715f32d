package import TenonDocuments
import TenonSQLite
package import TenonStoreInterop

/// Reads documents and runs queries on the local database. Not thread-safe; its owner serializes access.
///
/// Each query runs in one read transaction, so its result is a consistent snapshot; within a write
/// transaction it includes the changes made so far. Nothing is cached between calls, except for the numbers
/// of collections and fields and the declared indexes.
///
/// All methods that read throw `SQLiteError`, and ``StoreError`` with ``StoreError/Code/dataLoss`` if a
/// document or an index entry can't be decoded. Queries also throw `CancellationError`; see
/// ``checkCancellation()``.
package final class LocalReader {
  /// Opens the read transactions.
  let transactions: Transactions
  let database: DatabaseReader
  let collections: CollectionTable
  let fields: FieldTable
  let documentTable: DocumentTable
  let entries: EntryTable
  let indexes: IndexTable
  let requests: IndexRequests
  let plans: PlanCache
  let targets: TargetTable
  private let overlays: Overlays
  /// Whether documents are synchronized with a remote. Otherwise the local documents are authoritative.
  package let hasRemote: Bool
  /// Whether reads throw when their task is cancelled. Reads for views don't: a view is updated in the task
  /// of the writer, and cancelling a writer must not end the listeners of others.
  private let isCancellable: Bool

  /// - Parameters:
  ///   - tables: the tables of the database.
  ///   - transactions: opens read transactions.
  ///   - hasRemote: whether documents are synchronized with a remote.
  ///   - isCancellable: whether reads throw `CancellationError` when their task is cancelled.
  init(_ tables: LocalTables, _ transactions: Transactions, hasRemote: Bool, isCancellable: Bool) {
    self.transactions = transactions
    database = tables.reader
    collections = tables.collections
    fields = tables.fields
    documentTable = tables.documents
    entries = tables.entries
    indexes = tables.indexes
    requests = tables.indexRequests
    plans = PlanCache(tables.indexes)
    targets = tables.targets
    overlays = tables.overlays
    self.hasRemote = hasRemote
    self.isCancellable = isCancellable
  }

  /// Throws `CancellationError` if the task is cancelled and reads are cancellable. Called at least once per
  /// 16 entries that are read one by one; a count that SQLite computes from an index alone isn't interrupted.
  func checkCancellation() throws { if isCancellable { try Task.checkCancellation() } }

  // MARK: - Documents

  /// Returns a document as users see it, with pending writes applied; `nil` if it doesn't exist.
  package func document(_ path: ResourcePath) throws -> StoredDocument? {
    // In a transaction, because another process may have dropped the collection.
    try transactions.read { try documentTable.document(path) }
  }

  /// Returns the last state of a document that the remote sent; `nil` if it sent none.
  func base(of path: ResourcePath) throws -> BaseDocument? {
    try transactions.read { try overlays.base(of: path) }
  }

  // MARK: - Queries

  /// Runs a query in a read transaction, and notes which indexes it has lacked and used.
  private func reading<Result>(_ query: ResolvedQuery, _ body: (QueryReading) throws -> Result) throws
    -> Result
  {
    try transactions.read {
      let reading = try QueryReading(query, in: self)
      let result = try body(reading)
      reading.finish()
      return result
    }
  }

  /// Returns the documents of a query, in its order.
  ///
  /// - Complexity: see ``QueryReading/documents()``.
  package func documents(of query: ResolvedQuery) throws -> [StoredDocument] {
    try reading(query) { try $0.documents() }
  }

  /// Returns the documents of a query, in its order, without decoding them if possible; see
  /// ``QueryReading/encodedDocuments()``.
  func encodedDocuments(of query: ResolvedQuery) throws -> EncodedDocuments {
    try reading(query) { try $0.encodedDocuments() }
  }

  /// Returns the number of documents of a query, within its limit.
  ///
  /// - Complexity: see ``QueryReading/count()``.
  func count(of query: ResolvedQuery) throws -> Int {
    try reading(query) { try $0.count() }
  }

  /// Returns aggregations over the documents of a query. Documents aren't kept in memory unless the query has
  /// a limit. If the index contains all required numbers, no document is read.
  ///
  /// - Parameters:
  ///   - aggregations: the aggregations; as on the server, only documents that have every aggregated field
  ///     are counted.
  ///   - query: the query. With a limit, the first documents that are counted are aggregated.
  /// - Returns: the values, in the order of the aggregations.
  func aggregate(_ aggregations: [QueryAggregation], over query: ResolvedQuery) throws -> [Value] {
    var missing: Set<FieldIndexKey> = []
    if let values = try aggregateIndex(aggregations, over: query, missing: &missing) { return values }
    var state = AggregationState(aggregations)
    var count = 0
    defer { requests.add(missing: missing, entriesRead: count) }
    guard let limit = query.query.limit else {
      try reading(query) { reading in
        try reading.aggregate(into: &state)
        count = reading.entriesRead
      }
      return state.values
    }
    let ordered = try checked { () throws(DocumentError) in try query.ordered(forAggregating: aggregations) }
    let counted = try documents(of: ordered).lazy.map(\.fields).filter { state.counts($0) }
    // Checked: the limit is positive in a resolved query.
    for fields in counted.prefix(limit) { state.add(fields) }
    return state.values
  }

  /// Returns aggregations over a single field, computed from its index entries.
  ///
  /// - Parameters:
  ///   - aggregations: the aggregations, which may include the count.
  ///   - query: the query.
  ///   - missing: receives the indexes that would have answered the query without reading documents.
  /// - Returns: the values; `nil` if there isn't exactly one field, or if the entries don't determine the
  ///   documents of the query.
  private func aggregateIndex(
    _ aggregations: [QueryAggregation], over query: ResolvedQuery, missing: inout Set<FieldIndexKey>
  ) throws -> [Value]? {
    let fields = Set(aggregations.compactMap(\.field))
    guard fields.count == 1, let field = fields.first else { return nil }
    // Only documents with the field count, which are those in its index.
    guard let ordered = try? query.ordered(forAggregating: aggregations) else { return nil }
    return try transactions.read {
      var state = AggregationState(aggregations)
      let reading = try QueryReading(ordered, in: self)
      guard let numbers = try reading.numbers(of: field, limit: query.query.limit) else {
        if reading.wouldContain(field) { missing = reading.plan.missing }
        return nil
      }
      reading.finish()
      state.add(numbers.documents, numbers.sum, of: field)
      return state.values
    }
  }

  /// Returns the documents of a query whose vectors are nearest to the query vector, with their distances.
  ///
  /// - Parameters:
  ///   - search: the vector, the field, and the number of documents.
  ///   - query: the query; its own limit applies before the search.
  /// - Complexity: O(n) in the number of documents of the query, each of which is decoded.
  func nearest(_ search: VectorSearch, among query: ResolvedQuery) throws -> [VectorSearch.Hit] {
    var hits = VectorSearch.Hits(search)
    try forEachDocument(of: query) { hits.add($0) }
    return hits.hits
  }

  /// Calls `body` with the documents of a query, in any order.
  private func forEachDocument(of query: ResolvedQuery, _ body: (StoredDocument) -> Void) throws {
    guard query.query.limit == nil else { return try documents(of: query).forEach(body) }
    try reading(query) { try $0.forEachDocument(body) }
  }

  /// Returns how a query is answered, and what it currently costs. The query is run to count the entries.
  package func explain(_ query: ResolvedQuery) throws -> QueryExplanation {
    try transactions.read {
      let reading = try QueryReading(query, in: self)
      let results = try reading.documents().count
      return QueryExplanation(
        index: reading.plan.name, indexes: reading.plan.indexes,
        missingIndexes: try reading.plan.missing.sorted { $0.name < $1.name }.map {
          QueryExplanation.MissingIndex(index: $0.definition, state: try indexes.missingState($0, requests))
        }, collections: reading.collections.count,
        isOrdered: reading.isOrdered, entriesRead: reading.entriesRead, results: results)
    }
  }
}

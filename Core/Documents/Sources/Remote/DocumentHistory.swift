package import TenonStoreInterop

/// The current documents of one database, and their earlier states as far as they are retained.
///
/// This is the storage of a remote. The protocol separates it from the logic of queries and listen streams,
/// which is the same for every kind of storage. All members must describe the same state while a caller uses
/// them; the implementation or its caller excludes concurrent commits.
package protocol DocumentHistory {
  /// A unique ID of the database. It differs from that of a previous database of the same name, so that
  /// resume tokens of a deleted and recreated database aren't accepted. It must not contain a space; see
  /// ``ListenResponder/token(of:)``.
  var identity: String { get }

  /// The prefix of a document's path in its full name: `projects/P/databases/D/documents/`.
  var namePrefix: String { get }

  /// The time of the last commit.
  var commitTime: Timestamp { get }

  /// Returns the current state of a document; `nil` if it doesn't exist.
  func document(_ path: ResourcePath) throws -> RemoteDocument?

  /// Calls a function for each document that matches a query, in any order. The query's limit is ignored.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - body: the function. An error that it throws ends the iteration and is rethrown.
  func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) throws

  /// Returns the number of documents that match a query. The query's limit is ignored.
  func count(of query: ResolvedQuery) throws -> Int

  /// Returns the net changes of all documents that changed after a given time.
  ///
  /// - Parameter time: the time of the earlier state.
  /// - Returns: one transition per document, from its state at `time` to its current state; `nil` if changes
  ///   since `time` are no longer retained.
  func transitions(since time: Timestamp) throws -> [DocumentTransition]?
}

extension DocumentHistory {
  /// Returns the number of documents that match a query, by iterating over them: O(number of matches) time
  /// and constant memory. An implementation that can count more efficiently provides its own.
  package func count(of query: ResolvedQuery) throws -> Int {
    var count = 0
    try forEachMatch(of: query) { _ in count += 1 }
    return count
  }

  /// Returns the current states of documents, in the order of the paths. The state of a document that doesn't
  /// exist has no fields and the time of the last commit.
  package func documents(at paths: [ResourcePath]) throws -> [RemoteDocument] {
    try paths.map { try document($0) ?? RemoteDocument(path: $0, fields: nil, updateTime: commitTime) }
  }

  /// Returns the result of a query, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its own limit is ignored.
  ///   - limit: the maximum number of documents; `nil` for all.
  package func documents(of query: ResolvedQuery, limit: Int?) throws -> [RemoteDocument] {
    try sortedDocuments(of: query, limit: limit).map(\.document)
  }

  /// Returns the result of a query as a server of documents sends it: with its offset, limit, projection and
  /// search for vectors.
  ///
  /// - Complexity: O(*n* log *n*) in the number of documents that match.
  package func result(of query: ResolvedQuery) throws -> [RemoteDocument] {
    let (offset, selection) = (query.query.offset, query.query.selection)
    if let search = query.query.nearest {
      return try search.documents(of: query, in: self).map { $0.selecting(selection) }
    }
    let last = query.query.limit.map { limit in
      let (sum, overflows) = offset.addingReportingOverflow(limit)
      return overflows ? .max : sum
    }
    // Checked: not negative.
    return try documents(of: query, limit: last).dropFirst(max(0, offset)).map { $0.selecting(selection) }
  }

  /// Returns the result of a query with the sort keys, in the order of the query.
  ///
  /// With a limit of up to 1,024, at most `limit` + 1 documents are held in memory at any time, in a sorted
  /// array. Otherwise all matches are collected and sorted.
  ///
  /// - Parameters:
  ///   - query: the query. Its own limit is ignored.
  ///   - limit: the maximum number of documents; `nil` for all.
  func sortedDocuments(of query: ResolvedQuery, limit: Int?) throws -> [SortedDocument] {
    var found: [SortedDocument] = []
    // Inserting into a long array takes longer than sorting it.
    let insertedLimit = limit.flatMap { $0 <= 1_024 ? $0 : nil }
    try forEachMatch(of: query) { document in
      guard let sorted = SortedDocument(document, in: query) else { return }
      guard let limit = insertedLimit else { return found.append(sorted) }
      // With a small limit, no more than that many documents are kept during the iteration.
      if found.count >= limit, let last = found.last, query.compare(last.key, sorted.key) <= 0 { return }
      found.insert(sorted, at: found.partition(of: sorted.key, in: query))
      if found.count > limit { found.removeLast() }
    }
    if insertedLimit == nil { found.sort { query.compare($0.key, $1.key) < 0 } }
    // Checked: not negative.
    return limit.map { Array(found.prefix(max(0, $0))) } ?? found
  }

  /// Computes aggregations over the result of a query, taking its limit into account.
  ///
  /// Only documents that have every aggregated field are included. With a limit, the first `limit` such
  /// documents in the order of ``ResolvedQuery/ordered(forAggregating:)`` are included. Counts without a
  /// limit use ``count(of:)``.
  ///
  /// - Returns: one value per aggregation, in their order.
  /// - Throws: ``DocumentError`` if the query, ordered for the aggregations, is invalid; errors of the
  ///   history.
  package func aggregate(_ query: ResolvedQuery, _ aggregations: [QueryAggregation]) throws -> [Value] {
    var state = AggregationState(aggregations)
    let offset = query.query.offset
    guard query.query.limit != nil || offset > 0 else {
      if aggregations.allSatisfy({ $0.field == nil }) {
        let count = try count(of: query)
        return aggregations.map { _ in Value(count) }
      }
      try forEachMatch(of: query) { if let fields = $0.fields { state.add(fields) } }
      return state.values
    }
    let documents = try documents(of: query.ordered(forAggregating: aggregations), limit: nil)
    let counted = documents.compactMap(\.fields).filter { state.counts($0) }
    // Checked: not negative.
    let rest = counted.dropFirst(max(0, offset))
    // Checked: not negative.
    for fields in rest.prefix(max(0, query.query.limit ?? counted.count)) { state.add(fields) }
    return state.values
  }
}

extension ResolvedQuery {
  /// Whether the query matches every document in its collection or group: it has no filter, no cursors and
  /// only the implicit order by document ID.
  package var holdsEverything: Bool {
    query.filter == nil && query.start == nil && query.end == nil && orders.count == 1
  }
}

/// A document of a query's result, with its sort key.
struct SortedDocument: Sendable {
  /// The document, which exists.
  let document: RemoteDocument
  /// The position of the document in the result.
  let key: ResolvedQuery.SortKey

  /// Creates a sorted document; `nil` if the document doesn't exist or doesn't match the query. The query's
  /// limit is ignored.
  init?(_ document: RemoteDocument?, in query: ResolvedQuery) {
    guard let document, let fields = document.fields, query.matches(fields, at: document.path) else {
      return nil
    }
    self.document = document
    key = query.sortKey(fields, at: document.path)
  }
}

extension [SortedDocument] {
  /// Returns the index at which a document with a key is to be inserted, the first one for equal keys. The
  /// array must be sorted in the order of the query. O(log n) comparisons.
  fileprivate func partition(of key: ResolvedQuery.SortKey, in query: ResolvedQuery) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if query.compare(self[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

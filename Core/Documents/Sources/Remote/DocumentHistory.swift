package import TenonStoreInterop

/// The documents of one database as they are, and what they were before: what a remote keeps, for the logic that is the
/// same however it is kept.
package protocol DocumentHistory {
  /// Tells this database from every other one, also from one of the same name that was there before.
  var identity: String { get }

  /// What stands before a document's path in its full name: `projects/P/databases/D/documents/`.
  var namePrefix: String { get }

  /// The moment of the last commit.
  var moment: Timestamp { get }

  /// A document as it is; `nil` when there is none.
  func document(_ path: ResourcePath) throws -> RemoteDocument?

  /// Hands out the documents that match a query, in any order and without regard to its limit.
  func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) throws

  /// How many documents match a query, without regard to its limit.
  func count(of query: ResolvedQuery) throws -> Int

  /// What became of the documents that were changed after a moment, each once, from their states at that moment to those
  /// of now; `nil` when that was forgotten.
  func transitions(since moment: Timestamp) throws -> [DocumentTransition]?
}

extension DocumentHistory {
  /// Counts one by one. A history that knows better says so itself.
  package func count(of query: ResolvedQuery) throws -> Int {
    var count = 0
    try forEachMatch(of: query) { _ in count += 1 }
    return count
  }

  /// The present state of documents; those that are missing have no fields.
  package func documents(at paths: [ResourcePath]) throws -> [RemoteDocument] {
    try paths.map { try document($0) ?? RemoteDocument(path: $0, fields: nil, updateTime: moment) }
  }

  /// The documents of a query, in its order.
  ///
  /// - Parameter limit: how many at most; all when `nil`.
  package func documents(of query: ResolvedQuery, limit: Int?) throws -> [RemoteDocument] {
    try sortedDocuments(of: query, limit: limit).map(\.document)
  }

  func sortedDocuments(of query: ResolvedQuery, limit: Int?) throws -> [SortedDocument] {
    var found: [SortedDocument] = []
    try forEachMatch(of: query) { document in
      guard let sorted = SortedDocument(document, in: query) else { return }
      guard let limit else { return found.append(sorted) }
      // With a limit only so many are kept while the others pass by.
      if found.count >= limit, let last = found.last, query.compare(last.key, sorted.key) <= 0 { return }
      found.insert(sorted, at: found.partition(of: sorted.key, in: query))
      if found.count > limit { found.removeLast() }
    }
    if limit == nil { found.sort { query.compare($0.key, $1.key) < 0 } }
    return found
  }

  /// Computes over the documents of a query.
  ///
  /// - Throws: ``DocumentError`` when the query breaks a rule.
  package func aggregate(_ query: ResolvedQuery, _ aggregations: [QueryAggregation]) throws -> [Value] {
    var state = AggregationState(aggregations)
    guard let limit = query.query.limit else {
      if aggregations.allSatisfy({ $0.field == nil }) {
        let count = try count(of: query)
        return aggregations.map { _ in Value(count) }
      }
      try forEachMatch(of: query) { if let fields = $0.fields { state.add(fields) } }
      return state.values
    }
    let documents = try documents(of: query.ordered(forAggregating: aggregations), limit: nil)
    for fields in documents.lazy.compactMap(\.fields).filter({ state.counts($0) }).prefix(limit) {
      state.add(fields)
    }
    return state.values
  }
}

extension ResolvedQuery {
  /// Whether every document in the collection or group matches.
  package var holdsEverything: Bool {
    query.filter == nil && query.start == nil && query.end == nil && orders.count == 1
  }
}

/// A document with its place in the result of a query.
struct SortedDocument: Sendable {
  let document: RemoteDocument
  let key: ResolvedQuery.SortKey

  /// `nil` when the document doesn't belong to the result.
  init?(_ document: RemoteDocument?, in query: ResolvedQuery) {
    guard let document, let fields = document.fields, query.matches(fields, at: document.path) else {
      return nil
    }
    self.document = document
    key = query.sortKey(fields, at: document.path)
  }
}

extension [SortedDocument] {
  /// Where a key belongs.
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

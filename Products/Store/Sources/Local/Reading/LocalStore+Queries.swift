import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  /// The documents of a query, in its order.
  func documents(of query: ResolvedQuery) throws -> [StoredDocument] {
    try reading {
      let reading = try QueryReading(query, in: self)
      return try reading.documents()
    }
  }

  /// The documents of a query, in its order, for somebody who decodes them.
  func encodedDocuments(of query: ResolvedQuery) throws -> EncodedDocuments {
    try reading { try QueryReading(query, in: self).encodedDocuments() }
  }

  /// How many documents a query has.
  func count(of query: ResolvedQuery) throws -> Int {
    try reading { try QueryReading(query, in: self).count() }
  }

  /// Aggregations over the documents of a query; none is kept unless the query has a limit. Where the index alone has the
  /// numbers, no document is read.
  func aggregate(_ aggregations: [QueryAggregation], over query: ResolvedQuery) throws -> [Value] {
    if let values = try aggregateIndex(aggregations, over: query) { return values }
    var state = AggregationState(aggregations)
    guard let limit = query.query.limit else {
      try forEachDocument(of: query) { state.add($0.fields) }
      return state.values
    }
    let ordered = try checked { () throws(DocumentError) in try query.ordered(forAggregating: aggregations) }
    let counted = try documents(of: ordered).lazy.map(\.fields).filter { state.counts($0) }
    for fields in counted.prefix(limit) { state.add(fields) }
    return state.values
  }

  /// Aggregations over one field, from its entries in the index.
  ///
  /// - Returns: `nil` when these don't tell which documents the query has.
  private func aggregateIndex(
    _ aggregations: [QueryAggregation], over query: ResolvedQuery
  ) throws -> [Value]? {
    let fields = Set(aggregations.compactMap(\.field))
    guard fields.count == 1, let field = fields.first else { return nil }
    // Only documents that have the field count: they are those in its index.
    guard let ordered = try? query.ordered(forAggregating: aggregations) else { return nil }
    return try reading {
      var state = AggregationState(aggregations)
      let reading = try QueryReading(ordered, in: self)
      let isIndexed = try reading.forEachNumber(of: field, limit: query.query.limit) {
        state.add($0, of: field)
      }
      return isIndexed ? state.values : nil
    }
  }

  /// The documents of a query whose vector is nearest to a given one, with their distances.
  func nearest(_ search: VectorSearch, among query: ResolvedQuery) throws -> [VectorSearch.Hit] {
    var hits = VectorSearch.Hits(search)
    try forEachDocument(of: query) { hits.add($0) }
    return hits.hits
  }

  /// Hands out the documents of a query in any order.
  private func forEachDocument(of query: ResolvedQuery, _ body: (StoredDocument) -> Void) throws {
    guard query.query.limit == nil else { return try documents(of: query).forEach(body) }
    try reading {
      let reading = try QueryReading(query, in: self)
      try reading.forEachMatch { document in
        body(document)
        return true
      }
    }
  }

  /// How a query is answered, and what it costs now.
  func explain(_ query: ResolvedQuery) throws -> QueryExplanation {
    try reading {
      let reading = try QueryReading(query, in: self)
      let results = try reading.documents().count
      return QueryExplanation(
        index: reading.plan.name, indexes: reading.plan.indexes, collections: reading.collections.count,
        isOrdered: reading.isOrdered, entriesRead: reading.entriesRead, results: results)
    }
  }

  /// The numbers of the collections that a query ranges over.
  func collections(of query: ResolvedQuery) throws -> [Int64] {
    guard query.query.allDescendants else {
      return try existingNumber(of: query.collection).map { [$0] } ?? []
    }
    let numbers = try database.rows(
      "SELECT id FROM collections WHERE collection_id = ?",
      [.text(query.query.collectionID)]
    ) { $0.integer(0) }
    return try numbers.filter { query.isInScope(try path(of: $0).appending("any")) }
  }
}

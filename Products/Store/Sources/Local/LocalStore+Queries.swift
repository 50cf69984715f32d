import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  /// The documents of a query, in its order.
  func documents(of query: ResolvedQuery) throws -> [StoredDocument] {
    try reading {
      let collections = try collections(of: query)
      let limit = query.query.limit ?? .max
      if collections.count == 1, QueryPlan(query).isOrdered {
        var documents: [StoredDocument] = []
        try forEachMatch(query, in: collections[0]) { document in
          documents.append(document)
          return documents.count < limit
        }
        return documents
      }
      var found = DocumentSet(order: query, limit: limit)
      for collection in collections {
        try forEachMatch(query, in: collection) { document in
          found.add(document)
          return true
        }
      }
      return found.documents
    }
  }

  /// How many documents a query has; none is kept.
  func count(of query: ResolvedQuery) throws -> Int {
    let limit = query.query.limit ?? .max
    var count = 0
    try reading {
      for collection in try collections(of: query) {
        try forEachMatch(query, in: collection) { _ in
          count += 1
          return count < limit
        }
      }
    }
    return min(count, limit)
  }

  /// Aggregations over the documents of a query; none is kept unless the query has a limit.
  func aggregate(_ aggregations: [QueryAggregation], over query: ResolvedQuery) throws -> [Value] {
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
      for collection in try collections(of: query) {
        try forEachMatch(query, in: collection) { document in
          body(document)
          return true
        }
      }
    }
  }

  /// How a query is answered, and what it costs now.
  func explain(_ query: ResolvedQuery) throws -> QueryExplanation {
    let plan = QueryPlan(query)
    let limit = query.query.limit ?? .max
    return try reading {
      let collections = try collections(of: query)
      let isOrdered = collections.count <= 1 && plan.isOrdered
      var explanation = QueryExplanation(
        index: plan.name, collections: collections.count, isOrdered: isOrdered, entriesRead: 0, results: 0)
      for collection in collections {
        guard let (sql, bindings) = try statement(for: plan, in: collection) else { continue }
        let parent = try path(of: collection)
        try database.forEachRow(sql, bindings) { row in
          try checkCancellation()
          explanation.entriesRead += 1
          let document = try document(row, in: parent)
          if query.matches(document.fields, at: document.path) { explanation.results += 1 }
          return !isOrdered || explanation.results < limit
        }
      }
      explanation.results = min(explanation.results, limit)
      return explanation
    }
  }

  /// The numbers of the collections that a query ranges over.
  private func collections(of query: ResolvedQuery) throws -> [Int64] {
    guard query.query.allDescendants else {
      return try existingNumber(of: query.collection).map { [$0] } ?? []
    }
    let numbers = try database.rows(
      "SELECT id FROM collections WHERE collection_id = ?",
      [.text(query.query.collectionID)]
    ) { $0.integer(0) }
    return try numbers.filter { query.isInScope(try path(of: $0).appending("any")) }
  }

  /// Hands out the documents of one collection that match, until `body` returns `false`.
  private func forEachMatch(
    _ query: ResolvedQuery,
    in collection: Int64,
    _ body: (StoredDocument) throws -> Bool
  ) throws {
    let plan = QueryPlan(query)
    guard let (sql, bindings) = try statement(for: plan, in: collection) else { return }
    let parent = try path(of: collection)
    try database.forEachRow(sql, bindings) { row in
      try checkCancellation()
      let document = try document(row, in: parent)
      guard query.matches(document.fields, at: document.path) else { return true }
      return try body(document)
    }
  }

  /// `nil` when no document has the field that the plan reads.
  private func statement(
    for plan: QueryPlan,
    in collection: Int64
  ) throws -> (sql: String, bindings: [SQLValue])? {
    var bindings: [SQLValue] = [.integer(collection)]
    let direction = plan.isDescending ? "DESC" : "ASC"
    let columns = Self.documentColumns
    let bounded: String
    var sql: String
    switch plan.source {
    case .documents:
      sql = "SELECT \(columns) FROM documents d WHERE d.collection = ?"
      bounded = "d.key"
    case .entries(let field, let kind):
      guard let number = try existingNumber(of: field) else { return nil }
      // CROSS keeps SQLite from reading the documents first.
      sql = """
        SELECT \(columns) FROM entries e CROSS JOIN documents d ON d.id = e.document \
        WHERE e.collection = ? AND e.field = ? AND e.kind = ?
        """
      bindings += [.integer(number), .integer(kind.rawValue)]
      bounded = "e.value"
    }
    if let lower = plan.lower {
      sql += " AND \(bounded) >= ?"
      bindings.append(.blob(lower))
    }
    if let upper = plan.upper {
      sql += " AND \(bounded) <= ?"
      bindings.append(.blob(upper))
    }
    switch plan.source {
    case .documents: sql += " ORDER BY d.key \(direction)"
    case .entries: sql += " ORDER BY e.value \(direction), e.key \(direction)"
    }
    return (sql, bindings)
  }
}

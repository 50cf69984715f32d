package import TenonFoundation
package import TenonStoreInterop

/// Runs aggregations (`google.firestore.v1.RunAggregationQueryRequest`, `POST PARENT:runAggregationQuery`).
/// The parent is in the URL.
package struct AggregationRequest: WireEncodable, Hashable {
  /// The query, whose limit is taken into account.
  package var query: StructuredQuery
  /// What to compute, in the order of ``aliases``.
  package var aggregations: [QueryAggregation]
  /// The names of the results, each another.
  package var aliases: [String]
  /// The greatest results of the aggregations that are counts, in their order; `nil` for any.
  package var limits: [Int64?]
  /// The state that is read; `nil` for the present.
  package var consistency: ReadConsistency?
  /// Whether and how the query is explained.
  package var explanation: ExplainOptions?

  /// The maximum number of aggregations (`StructuredAggregationQuery.aggregations`).
  private static let mostAggregations = 5

  /// Creates a request with the aliases `a0`, `a1` and so on, by default for the present.
  package init(
    query: StructuredQuery, aggregations: [QueryAggregation], consistency: ReadConsistency? = nil
  ) {
    self.query = query
    self.aggregations = aggregations
    aliases = aggregations.indices.map { "a\($0)" }
    limits = aggregations.map { _ in nil }
    self.consistency = consistency
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.name("structuredAggregationQuery")
    try writer.beginObject()
    try writer.member("structuredQuery", query)
    writer.name("aggregations")
    try writer.beginArray()
    for (index, (aggregation, alias)) in zip(aggregations, aliases).enumerated() {
      try writer.beginObject()
      writer.member("alias", alias)
      switch aggregation {
      case .count:
        writer.name("count")
        try writer.beginObject()
        if let limit = limits[index] {
          writer.name("upTo")
          writer.integer(limit)
        }
        writer.endObject()
      case .sum(let field): try Self.field(field, of: "sum", to: &writer)
      case .average(let field): try Self.field(field, of: "avg", to: &writer)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    try ReadConsistency.write(consistency, to: &writer)
    writer.endObject()
  }

  /// Appends the member of an aggregation that has a field.
  private static func field(
    _ field: FieldPath, of name: StaticString, to writer: inout WireWriter
  ) throws(DocumentError) {
    writer.name(name)
    try writer.beginObject()
    try writer.member("field", WireField(field))
    writer.endObject()
  }

  /// Decodes a request. Aggregations without an alias are named `field_1`, `field_2` and so on, as on
  /// Firestore's server.
  ///
  /// - Parameters:
  ///   - json: the request.
  ///   - parent: the path in the URL: a document, or the root.
  ///   - database: the database in the URL.
  /// - Throws: ``DocumentError``, as ``WireDecodable/init(decoding:in:limit:)``; also if two aggregations
  ///   have the same alias, or there are none.
  package init(
    _ json: FirestoreJSON, parent: ResourcePath, in database: DatabaseName
  ) throws(DocumentError) {
    let prefix = DatabasePrefix(database)
    do {
      explanation = try json.member("explainOptions", ExplainOptions.decode)
      consistency = try .decode(in: json, prefix)
      (query, aggregations, aliases, limits) = try json.required("structuredAggregationQuery") {
        (json) throws(WireFailure) in
        let items = try json.list("aggregations", Self.aggregation)
        guard !items.isEmpty else { throw WireFailure(sentence: "Aggregations can not be empty.") }
        guard items.count <= Self.mostAggregations else {
          throw WireFailure("has \(items.count) aggregations, not 1 to \(Self.mostAggregations)")
        }
        let query = try json.member("structuredQuery") { (json) throws(WireFailure) in
          try json.query(below: parent, in: prefix)
        }
        return (
          query ?? StructuredQuery(parent: parent, collectionID: ""), items.map(\.aggregation),
          try Self.aliases(items.map(\.alias)), items.map(\.limit)
        )
      }
    } catch { throw error.documentError }
  }

  /// Decodes a `StructuredAggregationQuery.Aggregation`.
  private static func aggregation(
    _ json: FirestoreJSON
  ) throws(WireFailure) -> (alias: String, aggregation: QueryAggregation, limit: Int64?) {
    var limit: Int64?
    let kinds = [
      try json.member("count") { (json) throws(WireFailure) in
        limit = try json.member("upTo", Self.limit)
        return QueryAggregation.count
      },
      try json.member("sum", WireField.decode).map(QueryAggregation.sum),
      try json.member("avg", WireField.decode).map(QueryAggregation.average),
    ].compactMap(\.self)
    guard kinds.count == 1 else { throw WireFailure("isn't exactly one of count, sum and avg") }
    guard kinds[0].field != .documentID() else { throw WireFailure("is an aggregation of __name__") }
    return (try json.member("alias", FirestoreJSON.text) ?? "", kinds[0], limit)
  }

  /// Decodes the greatest result of a count, an `Int64Value`.
  private static func limit(_ json: FirestoreJSON) throws(WireFailure) -> Int64 {
    let limit: Int64
    if case .object = json {
      limit = try json.member("value", FirestoreJSON.int64) ?? 0
    } else {
      limit = try json.int64()
    }
    guard limit >= 0 else { throw WireFailure("is negative") }
    return limit
  }

  /// Returns the aliases, with names for those that are empty.
  ///
  /// Names that are given to others are skipped.
  private static func aliases(_ given: [String]) throws(WireFailure) -> [String] {
    var used: Set<UTF8Text> = []
    for alias in given where !alias.isEmpty {
      guard used.insert(UTF8Text(alias)).inserted else {
        throw WireFailure(sentence: "Aggregation aliases contain duplicate alias: \(alias.prefix(100)).")
      }
      if let rule = FieldPath.brokenRule(alias) { throw WireFailure("has an alias that \(rule)") }
    }
    var number = 0
    return given.map { alias in
      guard alias.isEmpty else { return alias }
      repeat { number += 1 } while used.contains(UTF8Text("field_\(number)"))
      return "field_\(number)"
    }
  }
}

/// One element of the response to ``AggregationRequest`` (`google.firestore.v1.RunAggregationQueryResponse`).
package struct AggregationResponse: WireMessage, Hashable {
  /// The results by their aliases; `nil` in an element that has only the ID of a transaction.
  package var results: Fields?
  /// The ID of the transaction that was begun, in the first element.
  package var transaction: Data?
  /// The time of the state that was read.
  package var readTime: Timestamp?
  /// Whether this is the last element. It may be `false` in it.
  package var isDone = false
  /// The explanation of the query, in the last element.
  package var metrics: ExplainMetrics?

  /// Creates an element from results by their aliases.
  package init(results: Fields?, transaction: Data? = nil, readTime: Timestamp? = nil) {
    self.results = results
    self.transaction = transaction
    self.readTime = readTime
  }

  /// Creates the response to a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - values: the results, in the order of its aggregations.
  package init(to request: AggregationRequest, values: [Value], readTime: Timestamp?) {
    let limited = zip(values, request.limits).map { value, limit in
      guard let limit, case .integer(let count) = value else { return value }
      return .integer(min(count, limit))
    }
    self.init(
      results: Fields(unsorted: zip(request.aliases, limited).map { Fields.Entry(name: $0, value: $1) }),
      readTime: readTime)
  }

  /// Returns the results in the order of a request's aggregations.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if one is missing.
  package func values(for request: AggregationRequest) throws(DocumentError) -> [Value] {
    var values: [Value] = []
    for alias in request.aliases {
      guard let value = results?[alias] else {
        throw DocumentError(.damaged, "The response has no result of the aggregation \"\(alias)\".")
      }
      values.append(value)
    }
    return values
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    if let results {
      writer.name("result")
      try writer.beginObject()
      writer.name("aggregateFields")
      try writer.fields(results)
      writer.endObject()
    }
    writer.member("transaction", transaction)
    try writer.member("readTime", readTime)
    writer.member("done", ifTrue: isDone)
    if let metrics { try writer.member("explainMetrics", metrics) }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    try json.checkNoError()
    self.init(
      results: try json.member("result") { (json) throws(WireFailure) in
        try json.member("aggregateFields") { (json) throws(WireFailure) in try json.fields(in: database) }
          ?? Fields()
      },
      transaction: try json.token("transaction"),
      readTime: try json.member("readTime", FirestoreJSON.time))
  }
}

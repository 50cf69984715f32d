import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The methods of Firestore's API that read documents and run queries.
extension DocumentService {
  func get(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    let mask = try call.mask("mask")
    let reading = try await database.fetch(
      [call.path], call.database.database, caller, at: try call.consistency())
    guard let document = reading.result.first, document.fields != nil else {
      throw Self.missing(call.path, call.database)
    }
    return try Self.response(document.selecting(mask), in: call.database)
  }

  /// Reads documents. One that is named several times is in the response once.
  func batchGet(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try call.checkRoot()
    let request: BatchGetRequest = try message(.batchGet, of: call)
    var seen: Set<ResourcePath> = []
    let reading = try await database.fetch(
      request.documents.filter { seen.insert($0).inserted }, call.database.database, caller,
      at: request.consistency)
    let head = reading.transaction.map { BatchGetResponse(transaction: $0) }
    return try MessageArray.response(call.database, head: head, reading.result) { document, _ in
      BatchGetResponse(document: document.selecting(request.mask), readTime: reading.readTime)
    }
  }

  // MARK: - Queries

  /// Decodes the message of a query. It isn't inlined for the reason of ``message(_:of:)``.
  @inline(never) private static func queryRequest(of call: DocumentCall) throws -> RunQueryRequest {
    try call.checkParent()
    return try RunQueryRequest(try call.message(.runQuery), parent: call.path, in: call.database)
  }

  /// Decodes the message of an aggregation.
  @inline(never) private static func aggregationRequest(of call: DocumentCall) throws -> AggregationRequest {
    try call.checkParent()
    return try AggregationRequest(try call.message(.runAggregation), parent: call.path, in: call.database)
  }

  /// Decodes the message of a partition.
  @inline(never) private static func partitionRequest(of call: DocumentCall) throws -> PartitionQueryRequest {
    try call.checkParent()
    return try PartitionQueryRequest(
      try call.message(.partitionQuery), parent: call.path, in: call.database)
  }

  func runQuery(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    let request = try Self.queryRequest(of: call)
    let start = database.time.now()
    let reading = try await database.run(
      request.executed, call.database.database, caller, at: request.consistency)
    let (time, query) = (reading.readTime, request.query)
    let metrics = request.explanation.map {
      ExplainMetrics($0, query, results: reading.result.count, duration: database.time.now() - start)
    }
    let head = reading.transaction.map { RunQueryResponse(transaction: $0) }
    guard let first = reading.result.first else {
      var end = RunQueryResponse(readTime: time, isDone: true)
      end.metrics = metrics
      return try MessageArray.response(call.database, head: head, last: end)
    }
    return try MessageArray.response(call.database, head: head, reading.result) { document, isLast in
      var element = RunQueryResponse(document: document, readTime: time, isDone: isLast)
      if document.path == first.path { element.skipped = query.offset }
      if isLast { element.metrics = metrics }
      return element
    }
  }

  func runAggregation(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    let request = try Self.aggregationRequest(of: call)
    let start = database.time.now()
    let reading = try await database.aggregate(
      request.executed, request.aggregations, call.database.database, caller, at: request.consistency)
    var response = AggregationResponse(to: request, values: reading.result, readTime: reading.readTime)
    if request.explanation == .plan { response.results = nil }
    response.isDone = true
    response.metrics = request.explanation.map {
      ExplainMetrics($0, request.query, results: 1, duration: database.time.now() - start)
    }
    let head = reading.transaction.map { AggregationResponse(results: nil, transaction: $0) }
    return try MessageArray.response(call.database, head: head, last: response)
  }

  /// Splits the result of a query into parts with about the same number of documents.
  func partitionQuery(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    let request = try Self.partitionRequest(of: call)
    let list = "partitions \(call.path.text) \(request.query.collectionID) \(request.count)"
    let place = try PageToken.place(of: request.pageToken, in: list)
    let after = try place.map { try Self.path(String(decoding: $0, as: UTF8.self)) }
    let points = try await database.partitions(
      of: request.query, atMost: request.count, call.database.database, caller,
      at: request.readTime.map(ReadConsistency.readTime))
    let rest = points.filter { point in after.map { point.compare($0) > 0 } ?? true }
    let size = max(1, min(request.pageSize ?? 1_000, 1_000))
    // Checked: positive.
    var response = PartitionQueryResponse(partitions: Array(rest.prefix(size)))
    if rest.count > size, let last = response.partitions.last {
      response.nextPageToken = PageToken.make(after: Data(last.text.utf8), in: list)
    }
    return try Self.response(response, in: call.database)
  }

  /// Parses the path in a token, which was checked when the token was made.
  static func path(_ text: String) throws -> ResourcePath {
    let path = ResourcePath(unchecked: text)
    try path.checkDocument()
    return path
  }
}

extension RunQueryRequest {
  /// The query that is run: for a plan only, one without a result, whose rights are checked all the same.
  fileprivate var executed: StructuredQuery { query.limited(by: explanation) }
}

extension AggregationRequest {
  /// The query that is run; see `RunQueryRequest`.
  fileprivate var executed: StructuredQuery { query.limited(by: explanation) }
}

extension StructuredQuery {
  /// The query without a result if it is only planned.
  fileprivate func limited(by explanation: ExplainOptions?) -> StructuredQuery {
    guard explanation == .plan, nearest == nil else { return self }
    var query = self
    query.limit = 0
    return query
  }
}

extension ExplainMetrics {
  /// Creates the explanation of a query.
  fileprivate init(
    _ explanation: ExplainOptions, _ query: StructuredQuery, results: Int, duration: Duration
  ) {
    let execution = Execution(results: results, duration: duration)
    self.init(isGroup: query.allDescendants, execution: explanation == .analysis ? execution : nil)
  }
}

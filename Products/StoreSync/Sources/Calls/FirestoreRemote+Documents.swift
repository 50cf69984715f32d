import TenonDocuments
import TenonFoundation
import TenonStoreInterop

extension FirestoreRemote {
  /// The number of documents that one request reads.
  static let documentsPerRequest = 500

  /// Reads documents.
  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await fetch(documents, at: nil, in: context)
  }

  /// Reads documents, in requests of at most ``documentsPerRequest``.
  ///
  /// - Parameters:
  ///   - documents: the paths. Each is read once, even if it occurs several times.
  ///   - time: the time of the state to read, at most an hour ago; `nil` for the present.
  ///   - context: the database and the user.
  /// - Returns: one state per path, in an unspecified order.
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  func fetch(
    _ documents: [ResourcePath], at time: Timestamp?, in context: RemoteContext
  ) async throws -> [RemoteDocument] {
    let name = databaseName(context)
    var seen: Set<ResourcePath> = []
    var waiting = documents.filter { seen.insert($0).inserted }[...]
    var fetched: [RemoteDocument] = []
    while !waiting.isEmpty {
      let part = Array(waiting.prefix(Self.documentsPerRequest))
      waiting = waiting.dropFirst(part.count)
      let request = BatchGetRequest(documents: part, consistency: time.map(ReadConsistency.readTime))
      let expected = Set(part)
      var found: [ResourcePath: RemoteDocument] = [:]
      try await client.elements(
        of: try call("batchGet", request, in: context), restart: { _ in found = [:] }
      ) { json throws(DocumentError) in
        guard let document = try BatchGetResponse(json, in: name).document else { return }
        guard expected.contains(document.path), found.updateValue(document, forKey: document.path) == nil
        else { throw DocumentError(.damaged, "It has a document that wasn't requested.") }
      }
      guard found.count == part.count else { throw FirestoreClient.incomplete }
      fetched += part.compactMap { found[$0] }
    }
    return fetched
  }

  /// Computes aggregations over the results of a query.
  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] {
    guard !aggregations.isEmpty else { return [] }
    let name = databaseName(context)
    let request = AggregationRequest(query: query, aggregations: aggregations)
    var values: [Value]?
    try await client.elements(
      of: try call("runAggregationQuery", at: query.parent, request, in: context),
      restart: { _ in values = nil }
    ) { json throws(DocumentError) in
      let response = try AggregationResponse(json, in: name)
      if response.results != nil { values = try response.values(for: request) }
    }
    guard let values else { throw FirestoreClient.incomplete }
    return values
  }

  /// Returns the name of a context's database.
  func databaseName(_ context: RemoteContext) -> DatabaseName {
    DatabaseName(project: client.project, database: context.database)
  }

  /// Returns the call of a method that only reads.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - resource: the document in the URL; the root by default.
  ///   - message: the request.
  ///   - context: the database and the user.
  /// - Throws: `StoreRemoteError` with `invalidArgument` if a value of the request has no JSON form.
  func call(
    _ method: String, at resource: ResourcePath = ResourcePath(segments: []), _ message: some WireEncodable,
    in context: RemoteContext
  ) throws(StoreRemoteError) -> FirestoreClient.Call {
    FirestoreClient.Call(
      method: method, resource: resource, body: try encoded(message, in: context), context: context,
      isRepeatable: true)
  }

  /// Returns a message as JSON.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if a value has no JSON form, for example a timestamp
  ///   after the year 9999.
  func encoded(_ message: some WireEncodable, in context: RemoteContext) throws(StoreRemoteError) -> Data {
    do { return try message.encoded(in: databaseName(context)) } catch {
      throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
    }
  }
}

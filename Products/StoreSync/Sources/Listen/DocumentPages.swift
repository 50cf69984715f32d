import TenonDocuments
import TenonStoreInterop

/// Reads the result of a query at one read time in pages, as they are needed, so that only a page is in
/// memory at a time.
final class DocumentPages {
  /// The maximum number of documents per page. Google's emulator evaluates the whole query for each page.
  private static let pageSize = FirestoreRemote.documentsPerPage

  private let query: StructuredQuery
  private let context: RemoteContext
  private let client: FirestoreClient
  private let database: DatabaseName
  /// The state of the reading.
  private var pages: QueryPages

  /// Creates a reader at the beginning of a result.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - time: the read time; `nil` for the present, which is that of the first response.
  ///   - context: the database and the user.
  ///   - client: sends the requests.
  init(
    _ query: StructuredQuery, at time: Timestamp?, in context: RemoteContext, over client: FirestoreClient
  ) {
    self.query = query
    self.context = context
    self.client = client
    database = DatabaseName(project: client.project, database: context.database)
    pages = QueryPages(query, at: time, size: Self.pageSize)
  }

  /// The read time; `nil` before the first response if it wasn't given.
  var readTime: Timestamp? { pages.readTime }

  /// Returns the documents of the next page, in the order of the query; `nil` after the last one.
  ///
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  func next() async throws -> [RemoteDocument]? {
    guard !pages.isComplete else { return nil }
    try await client.elements(
      of: try call(), restart: { $0 = try call() }
    ) { json throws(DocumentError) in
      pages.receive(try RunQueryResponse(json, in: database))
    }
    return pages.endPage()
  }

  /// Returns the call for the rest of the current page.
  private func call() throws(StoreRemoteError) -> FirestoreClient.Call {
    try Self.call("runQuery", at: query.parent, try pages.next(), database, context)
  }

  /// Returns the number of documents in the result of a query, at most `limit`, and the read time of the
  /// number.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - limit: the number at which the server stops to count.
  ///   - context: the database and the user.
  ///   - client: sends the request.
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  static func count(
    of query: StructuredQuery, limit: Int, in context: RemoteContext, over client: FirestoreClient
  ) async throws -> (Int, Timestamp) {
    var query = query
    query.limit = min(query.limit ?? limit, limit)
    let database = DatabaseName(project: client.project, database: context.database)
    let request = AggregationRequest(query: query, aggregations: [.count])
    let call = try call("runAggregationQuery", at: query.parent, request, database, context)
    var result: (Int, Timestamp)?
    try await client.elements(of: call, restart: { _ in result = nil }) { json throws(DocumentError) in
      let response = try AggregationResponse(json, in: database)
      guard response.results != nil, let time = response.readTime,
        case .integer(let count)? = try response.values(for: request).first
      else { return }
      result = (min(max(Int(clamping: count), 0), limit), time)
    }
    guard let result else { throw FirestoreClient.incomplete }
    return result
  }

  /// Returns a call that only reads.
  private static func call(
    _ method: String, at resource: ResourcePath, _ message: some WireEncodable, _ database: DatabaseName,
    _ context: RemoteContext
  ) throws(StoreRemoteError) -> FirestoreClient.Call {
    do throws(DocumentError) {
      return FirestoreClient.Call(
        method: method, resource: resource, body: try message.encoded(in: database), context: context,
        isRepeatable: true)
    } catch {
      throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
    }
  }
}

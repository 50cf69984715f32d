import TenonDocuments
import TenonStoreInterop

extension FirestoreRemote {
  /// The number of documents in one page of a result.
  static let documentsPerPage = 10_000

  /// Runs a query.
  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    var documents: [RemoteDocument] = []
    _ = try await readPages(of: query, in: context) { documents += $0 }
    return documents
  }

  /// Reads the result of a query page by page, all pages as of one time.
  ///
  /// A page that fails is continued after the last document that has arrived.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - time: the time of the state to read, at most an hour ago; `nil` for the present.
  ///   - size: the maximum number of documents per page.
  ///   - context: the database and the user.
  ///   - receive: receives the documents of each page, in the order of the query. The next page is requested
  ///     when it returns.
  /// - Returns: the time of the state that was read.
  /// - Throws: `StoreRemoteError`; `CancellationError`; what `receive` throws.
  func readPages(
    of query: StructuredQuery, at time: Timestamp? = nil, size: Int = documentsPerPage,
    in context: RemoteContext, _ receive: ([RemoteDocument]) async throws -> Void
  ) async throws -> Timestamp {
    let name = databaseName(context)
    var pages = QueryPages(query, at: time, size: size)
    while !pages.isComplete {
      try await client.elements(
        of: try call("runQuery", at: query.parent, try pages.next(), in: context),
        restart: { call in call.body = try encoded(try pages.next(), in: context) }
      ) { json throws(DocumentError) in
        pages.receive(try RunQueryResponse(json, in: name))
      }
      try await receive(pages.endPage())
    }
    guard let time = pages.readTime else { throw FirestoreClient.incomplete }
    return time
  }
}

/// The state of reading the result of a query in pages.
struct QueryPages {
  /// The query, without the limit of a page.
  private let query: StructuredQuery
  /// The maximum number of documents per page.
  private let size: Int
  /// The time of the state that is read; `nil` before the first response.
  private(set) var readTime: Timestamp?
  /// Whether the last page has been received.
  private(set) var isComplete = false
  /// The number of documents of the earlier pages.
  private var count = 0
  /// The last document of the earlier pages.
  private var last: RemoteDocument?
  /// The documents of the current page.
  private var page: [RemoteDocument] = []

  /// Creates the state before the first page.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - time: the time of the state to read; `nil` for the present as of the first page.
  ///   - size: the maximum number of documents per page.
  init(_ query: StructuredQuery, at time: Timestamp?, size: Int) {
    self.query = query
    self.size = size
    readTime = time
  }

  /// The number of documents that are missing from the current page.
  private var missing: Int { min(size, (query.limit ?? .max) - count) - page.count }

  /// Returns the request for the rest of the current page: all of it, unless a part has arrived.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if the query is invalid and has several pages
  ///   despite that.
  func next() throws(StoreRemoteError) -> RunQueryRequest {
    var query = query
    query.limit = missing
    if let last = page.last ?? last {
      let orders: [QueryOrder]
      do { orders = try ResolvedQuery(self.query).orders } catch {
        throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
      }
      query.orders = orders
      query.start = QueryCursor(
        values: orders.map { order in
          order.field == .documentID() ? .reference(last.path) : last.fields?[order.field] ?? .null
        },
        isInclusive: false)
    }
    return RunQueryRequest(query: query, consistency: readTime.map(ReadConsistency.readTime))
  }

  /// Adds an element of a response.
  mutating func receive(_ response: RunQueryResponse) {
    if let document = response.document { page.append(document) }
    // The earlier documents haven't changed until this time.
    readTime = response.readTime ?? readTime
  }

  /// Ends the current page and returns its documents.
  mutating func endPage() -> [RemoteDocument] {
    isComplete = missing > 0 || count + page.count == query.limit
    count += page.count
    last = page.last ?? last
    defer { page = [] }
    return page
  }
}

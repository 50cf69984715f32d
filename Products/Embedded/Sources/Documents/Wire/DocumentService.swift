import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// The documents in the JSON form of Firestore's API, version 1
/// (https://firebase.google.com/docs/firestore/reference/rest), for clients of other processes.
///
/// Errors have Firestore's form: `{"error": {"code", "message", "status"}}`.
struct DocumentService: Sendable {
  /// The documents.
  let database: DocumentDatabase

  /// The greatest size of a request's body, in bytes.
  static let longestBody = FirestoreJSON.largestMessage

  /// Responds to a request. Errors are responses as well.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the request's service and URL.
  ///   - caller: the caller.
  /// - Throws: `TransportError` if the body can't be read; `CancellationError`.
  func answer(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    try await answer(request, route) { call in try await answer(call, caller) }
  }

  /// Responds to a request of the emulator's own API.
  ///
  /// - Throws: as ``answer(_:route:by:)``.
  func answerEmulator(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    try await answer(request, route) { call in try await clear(call, caller) }
  }

  /// Parses a request, and turns the errors of its method into responses.
  private func answer(
    _ request: TransportRequest, _ route: Route,
    _ method: (DocumentCall) async throws -> TransportStreamingResponse
  ) async throws -> TransportStreamingResponse {
    do {
      var call = try DocumentCall(request, route: route, projectID: database.projectID)
      call.body = try await Self.body(of: request)
      return try await method(call)
    } catch let error as TransportError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      return Self.response(to: StoreRemoteError(ofRequest: error))
    }
  }

  /// Returns the response to a request that fails.
  static func response(to error: StoreRemoteError) -> TransportStreamingResponse {
    TransportStreamingResponse(jsonResponse(error.responseBody, status: error.code.status.httpStatus))
  }

  /// Returns a response with JSON text as its body.
  static func jsonResponse(_ text: Data, status: Int = 200) -> TransportResponse {
    let type = HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")
    return TransportResponse(status: status, headers: HTTPHeaders([type]), body: text)
  }

  // MARK: - Bodies

  /// Returns the whole body of a request.
  ///
  /// - Parameter limit: the greatest size in bytes.
  /// - Throws: `StoreRemoteError` with `resourceExhausted` if the body is larger, as Google's emulator does;
  ///   the errors of ``BodyReader``.
  static func body(of request: TransportRequest, upTo limit: Int = longestBody) async throws -> Data {
    try await BodyReader.content(
      of: request, upTo: limit,
      orThrow: StoreRemoteError(
        .resourceExhausted, "The request has more than \(limit) bytes. Send less at a time."))
  }

  /// Returns a response with a message. It isn't inlined for the reason of ``message(of:)``.
  @inline(never) static func response(
    _ message: some WireEncodable, in database: DatabaseName
  ) throws -> TransportStreamingResponse {
    TransportStreamingResponse(jsonResponse(try message.encoded(in: database)))
  }
}

/// A parsed request for documents.
struct DocumentCall: Sendable {
  /// The request.
  let request: TransportRequest
  /// The body of the request, once it has been read.
  var body = Data()
  /// The database.
  let database: DatabaseName
  /// The path of the document or collection; without segments, the root.
  let path: ResourcePath
  /// The custom method behind a colon, for example `commit`; `nil` for the methods of HTTP.
  let method: String?
  /// The names and values of the URL's query, in their order.
  let query: [(name: String, value: String)]

  /// Finds out the resource and the method of a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the parts of its URL.
  ///   - projectID: the project of the backend.
  /// - Throws: `StoreRemoteError` with `notFound` for a URL that names no resource of the project;
  ///   `DocumentError`.
  init(_ request: TransportRequest, route: Route, projectID: String) throws {
    let text = route.encodedPath
    // A host or `emulator` may be in front of the version.
    var path = text.firstRange(of: "/v1/").map { text[$0.upperBound...] } ?? ""
    query = Self.items(of: route.encodedQuery)
    method =
      request.method == .post
      ? path.lastIndex(of: ":").flatMap { colon in
        let name = path[colon...].dropFirst()
        // A colon in an ID is percent-encoded in the URL of a custom method.
        guard !name.contains("/") else { return nil }
        path = path[..<colon]
        return String(name)
      } : nil
    let (database, resource) = try DatabaseName.parse(urlPath: String(path))
    guard database.project == projectID else {
      throw StoreRemoteError(
        .notFound,
        "The embedded backend serves the project \(projectID), not \(database.project.prefix(100)).")
    }
    self.request = request
    self.database = database
    self.path = resource
  }

  /// Returns the names and values of a query, decoded, in their order.
  private static func items(of query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let spaced = String(part.replacing("+", with: " "))
        return PercentEncoding.decode(spaced) ?? spaced
      }
      return (parts[0], parts.count == 2 ? parts[1] : "")
    }
  }

  /// Returns the first value of an item of the query; `nil` if there is none.
  func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// Returns all values of an item of the query.
  func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

  /// Returns a number of the query; `nil` if there is none.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for anything but a decimal number of at least 0.
  func number(_ name: String) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(decimal: text), number >= 0 else {
      throw StoreRemoteError(.invalidArgument, "The parameter \(name) isn't a number of at least 0.")
    }
    return number
  }

  /// Checks that the query has none of some items, whose features aren't supported.
  ///
  /// - Throws: `StoreRemoteError` with `unimplemented`, which names the item.
  func checkUnsupported(_ names: String...) throws {
    for name in names where value(name) != nil {
      throw StoreRemoteError(.unimplemented, "The embedded backend doesn't support the parameter \(name).")
    }
  }
}

extension StoreRemoteError {
  /// Returns the error for an error of a request: a malformed or unsupported message, an invalid value, or an
  /// error of the database.
  init(ofRequest error: any Error) {
    switch error {
    case let error as DocumentError where error.code == .unsupported:
      self.init(.unimplemented, error.message, underlying: error)
    case let error as DocumentError where [.damaged, .otherDatabase].contains(error.code):
      self.init(.invalidArgument, error.message, underlying: error)
    default: self = .wrapping(error)
    }
  }
}

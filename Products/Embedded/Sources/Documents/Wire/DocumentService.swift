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
  /// The documents of the projects.
  let projects: DocumentProjects

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
    try await answer(request, route) { call, database in try await answer(call, caller, database) }
  }

  /// Responds to a request of the emulator's own API.
  ///
  /// - Throws: as ``answer(_:route:by:)``.
  func answerEmulator(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    try await answer(request, route) { call, database in try await clear(call, caller, database) }
  }

  /// Parses a request, and turns the errors of its method into responses.
  private func answer(
    _ request: TransportRequest, _ route: Route,
    _ method: (DocumentCall, DocumentDatabase) async throws -> TransportStreamingResponse
  ) async throws -> TransportStreamingResponse {
    do {
      var call = try DocumentCall(request, route: route)
      let database = try projects.database(of: call.database.project)
      call.body = try await Self.body(of: request)
      return try await method(call, database)
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

  /// Returns a response with a message. It isn't inlined for the reason of ``message(_:of:)``.
  @inline(never) static func response(
    _ message: some WireEncodable, in database: DatabaseName
  ) throws -> TransportStreamingResponse {
    TransportStreamingResponse(jsonResponse(try message.encoded(in: database)))
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

import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The objects in buckets: version 0 of `firebasestorage`, the API of Cloud Storage for Firebase, version 1
/// of Cloud Storage's JSON API, and its XML API. Objects can be stored in every bucket, without creating it.
struct ObjectService: Sendable {
  /// The size of the chunks in which content is received, stored and sent, in bytes.
  static let pieceSize = 1 << 20

  /// The ID of the project.
  let projectID: String
  /// The objects, contents and uploads.
  let database: EmbeddedDatabase
  /// Determines the callers of the requests in a batch.
  let authenticator: Authenticator
  /// Returns the settings of the backend.
  let settings: @Sendable () -> EmbeddedSettings
  /// The rules of the app.
  let rules: ObjectRules
  /// Reads documents of the default database, which rules of objects may ask for.
  let readDocuments: @Sendable ([ResourcePath]) async throws -> [RemoteDocument]
  /// Returns the current time.
  let now: @Sendable () -> Timestamp

  /// Responds to a request for the objects of a bucket or for a single object.
  ///
  /// - Parameters:
  ///   - request: the request. Its body may be a file.
  ///   - route: the request's service and path: `v0/b/{bucket}/o[/{object}]`, or a path of the JSON API.
  ///   - caller: the caller.
  /// - Throws: ``Refusal`` for an error of the request, with status 507 if the disk is full;
  ///   ``UploadConflict`` for a command that doesn't match the state of an upload, `TransportError` if the
  ///   file of the body can't be read.
  func answer(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    do {
      guard route.service != .xmlObjects else {
        return try await answerXML(request, route: route, by: caller)
      }
      guard route.path.first == "v0" else { return try await answerJSON(request, route: route, by: caller) }
      return try await answerFirebase(request, route: route, by: caller)
    } catch let error as SQLiteError where error.code == .full {
      throw Refusal.fullDisk(error.path)
    }
  }

  /// Responds to a request of version 0 of `firebasestorage`.
  private func answerFirebase(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    // v0/b/{bucket}/o[/{object}]
    let path = route.path
    guard path.count == 4 || path.count == 5, path[0...1] == ["v0", "b"], path[3] == "o" else {
      throw Refusal.notFound
    }
    try ObjectName.check(bucket: path[2])
    let call = ObjectCall(
      request: request,
      caller: caller,
      query: route.query,
      bucket: path[2],
      name: path.count == 5 ? path[4] : nil,
      origin: route.origin
    )
    switch (call.method, call.name) {
    case (.get, let name?):
      guard call.query["alt"] == "media" else { return try await metadata(name, call) }
      return try await download(name, call)
    case (.get, nil): return try await list(call)
    case (.patch, let name?): return try await patch(name, call)
    case (.delete, let name?): return try await delete(name, call)
    case (.post, let name?) where call.query["create_token"] != nil || call.query["delete_token"] != nil:
      return try await changeTokens(name, call)
    case (.post, _): return try await upload(call)
    default: throw Refusal.notFound
    }
  }
}

/// A parsed request for objects.
struct ObjectCall: Sendable {
  /// The request.
  let request: TransportRequest
  /// The caller.
  let caller: Caller
  /// The items of the URL's query.
  let query: [String: String]
  /// The bucket.
  let bucket: String
  /// The object's name in the path; `nil` for requests to the bucket.
  let name: String?
  /// The origin at which the backend is reached; `nil` for production's hosts.
  let origin: URL?

  /// The method of the request. `X-HTTP-Method-Override: PATCH` overrides `PUT` and `POST`, for clients
  /// behind proxies that reject `PATCH`.
  var method: HTTPMethod {
    let override = request.headers["X-HTTP-Method-Override"]?.uppercased()
    return override == "PATCH" && [.put, .post].contains(request.method) ? .patch : request.method
  }

  /// The size of the body, as far as it is known before it is read.
  var statedSize: Int64? {
    switch request.body {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .file: nil
    case .stream(_, let length): length
    }
  }

  /// Returns the number in a header field; `nil` if there is none.
  func number(in field: String) -> Int64? { request.headers[field].flatMap { Int64(decimal: $0) } }

  /// Returns the body as a JSON object, which is empty if there is no body.
  ///
  /// - Throws: ``Refusal`` with status 400 if the body isn't a JSON object, with status 413 if it is longer
  ///   than 1 MiB.
  func members() async throws -> [String: JSON] {
    let content = try await content(upTo: Self.longestJSON)
    guard !content.isEmpty else { return [:] }
    guard let members = try? JSON(parsing: content).object else {
      throw Refusal.badObjectRequest("The request body is not a JSON object")
    }
    return members
  }

  /// The greatest length of a body that is JSON, in bytes.
  private static let longestJSON = 1 << 20
  /// The greatest length of a multipart body, in bytes. It is held in memory as a whole.
  static let longestMultipart = 256 << 20

  /// Returns the whole body.
  ///
  /// - Parameter limit: the greatest length in bytes.
  /// - Throws: ``Refusal`` with status 413 if the body is longer.
  func content(upTo limit: Int) async throws -> Data {
    try await BodyReader.content(of: request, upTo: limit, orThrow: Refusal.tooLarge)
  }
}

extension ObjectService {
  /// Checks that the caller of a request has the App Check token that the settings require, and is signed in
  /// if they require it for buckets without rules.
  ///
  /// - Parameters:
  ///   - call: the request.
  ///   - permission: the permission for the error: `READ`, `LIST` or `WRITE`.
  /// - Returns: the caller, for whom the rules must still be checked.
  /// - Throws: ``AuthenticationError``; ``Refusal`` with status 403.
  func admit(_ call: ObjectCall, _ permission: String) throws -> Caller {
    // A request with a secret in its URL comes here if the secret isn't valid.
    try authenticator.checkApp(of: call.caller, at: .storage)
    guard
      call.caller.identity != .nobody || rules.decide(about: call.bucket) || !settings().objectsRequireSignIn
    else { throw Refusal.denied(permission) }
    return call.caller
  }

  /// Returns a response with a JSON body.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - json: the body.
  ///   - headers: the header fields, to which `Content-Type` is added.
  static func answer(_ status: Int, json: JSON, headers: HTTPHeaders = HTTPHeaders()) throws
    -> TransportStreamingResponse
  {
    TransportStreamingResponse(try TransportResponse(status: status, json: json, headers: headers))
  }
}

extension TransportStreamingResponse {
  /// Creates a response whose body is complete.
  init(_ response: TransportResponse) {
    var headers = response.headers
    if response.status != 204 { headers["Content-Length"] = String(response.body.count) }
    self.init(
      status: response.status,
      headers: headers,
      body: AsyncThrowingStream { continuation in
        if !response.body.isEmpty { continuation.yield(response.body) }
        continuation.finish()
      }
    )
  }
}

import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// A client of version 0 of the protocol of Cloud Storage for Firebase. It can be used concurrently.
struct StorageClient: Sendable {
  /// The time limit of an exchange, measured from the start of the call.
  struct TimeLimit: Sendable {
    /// The maximum time for tokens and retries.
    var duration: Duration
    /// The setting that is ``duration``, for error messages.
    var setting: String
    /// Whether ``duration`` also limits the last attempt. If not, a content transfer that has started is
    /// limited only by ``end``.
    var isWhole = true
    /// When the operation to which the exchange belongs ends at the latest; `nil` if ``duration`` limits it.
    var end: ContinuousClock.Instant?

    /// The limit of an operation that transfers no content.
    static func operation(_ storage: Storage) -> TimeLimit {
      TimeLimit(duration: storage.maxOperationRetryTime, setting: "Storage.maxOperationRetryTime")
    }

    /// The limit of a request of an upload without content.
    static func upload(_ storage: Storage, until end: ContinuousClock.Instant) -> TimeLimit {
      TimeLimit(duration: storage.maxUploadRetryTime, setting: "Storage.maxUploadRetryTime", end: end)
    }

    /// The limit of a request of an upload with content.
    static func content(_ storage: Storage, until end: ContinuousClock.Instant) -> TimeLimit {
      var limit = upload(storage, until: end)
      limit.isWhole = false
      return limit
    }

    /// Returns when to stop waiting for tokens and when the last attempt may start.
    ///
    /// - Parameter now: the start of the call.
    func lastStart(from now: ContinuousClock.Instant) -> ContinuousClock.Instant {
      min(now + duration.limited, end ?? now + .longestWait)
    }

    /// Returns the end of the exchange and the setting that determines it.
    ///
    /// - Parameter lastStart: the result of ``lastStart(from:)``.
    func deadline(_ lastStart: ContinuousClock.Instant) -> (time: ContinuousClock.Instant, setting: String) {
      if let end, !isWhole || end <= lastStart { return (end, "Storage.maxTransferTime") }
      return (lastStart, setting)
    }
  }

  /// The resource of a request.
  enum Target {
    /// The object.
    case object
    /// The bucket, for an upload of the object.
    case upload
    /// The bucket's listing, with query parameters.
    case list([(String, String)])
  }

  /// Sends the requests, with retries.
  let http: HTTPClient
  /// Adds the tokens of the linked products.
  let signer: RequestSigner
  /// The name of the app.
  let app: String
  /// The origin of Cloud Storage's own APIs as text, which administrators use: production or the emulator.
  let cloud: String
  /// The origin of the service as text: production or the emulator.
  private let service: String
  /// The origin of download URLs as text: that of the service, or of the embedded backend.
  private let downloads: String
  /// The app's ID for `X-Firebase-GMPID`; `nil` if the options have none.
  private let appID: String?

  /// Creates the client of one app.
  ///
  /// - Parameters:
  ///   - http: sends the requests.
  ///   - signer: adds the tokens of the linked products.
  ///   - app: the name of the app.
  ///   - options: the app's options, which select the emulator or production.
  init(http: HTTPClient, signer: RequestSigner, app: String, options: AppOptions) {
    self.http = http
    self.signer = signer
    self.app = app
    appID = options.appID
    if case .emulator(let hosts) = options.backend, let host = hosts.storage {
      service = "http://\(host)"
      cloud = service
    } else {
      service = "https://firebasestorage.googleapis.com"
      cloud = "https://storage.googleapis.com"
    }
    downloads = options.backend.kind == .embedded ? StorageLocation.embeddedOrigin : service
  }

  // MARK: - Requests

  /// Sends a request for an object or its bucket and returns the complete response.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - reference: the object.
  ///   - target: the resource of the request: the object, or its bucket.
  ///   - headers: further header fields.
  ///   - body: the body.
  ///   - repeatable: whether the request may be sent again after a temporary failure.
  ///   - limit: the time limit; ``Storage/maxOperationRetryTime`` for the whole exchange if `nil`.
  /// - Throws: ``StorageError`` for every response that isn't 2xx; Auth's error; `CancellationError`.
  func send(
    _ method: HTTPMethod,
    _ reference: StorageReference,
    at target: Target = .object,
    headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPBody = .none,
    repeatable: Bool = false,
    within limit: TimeLimit? = nil
  ) async throws -> TransportResponse {
    let url = try url(of: reference, target)
    return try await send(
      TransportRequest(method, url, headers: headers, body: body),
      reference,
      repeatable: repeatable,
      within: limit
    )
  }

  /// Sends a request to a URL of the service, and returns the complete response. A URL that the server
  /// supplied must have passed ``checked(_:_:)`` before.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - reference: the object, for error messages.
  ///   - repeatable: whether the request may be sent again after a temporary failure.
  ///   - limit: the time limit; ``Storage/maxOperationRetryTime`` for the whole exchange if `nil`.
  /// - Throws: ``StorageError`` for every response that isn't 2xx; Auth's error; `CancellationError`.
  func send(
    _ request: TransportRequest, _ reference: StorageReference, repeatable: Bool,
    within limit: TimeLimit? = nil
  ) async throws -> TransportResponse {
    let limit = limit ?? .operation(reference.storage)
    let response: TransportResponse
    do { response = try await exchange(request, reference, repeatable: repeatable, within: limit) } catch let
      error as StorageError
    {
      let cause = error.underlying as? TransportError
      guard repeatable, error.code == .unavailable, let cause, http.retries.failures.contains(cause.code)
      else {
        throw error
      }
      throw error.ended(by: limit.setting)
    }
    guard let error = StorageError(response, reference) else { return response }
    throw repeatable && http.retries.statuses.contains(response.status)
      ? error.ended(by: limit.setting) : error
  }

  /// Sends a request to a URL of the service, and returns the complete response, whatever its status. That of
  /// a failure doesn't contain the request's credentials.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - reference: the object, for error messages.
  ///   - repeatable: whether the request may be sent again after a temporary failure.
  ///   - limit: the time limit; ``Storage/maxOperationRetryTime`` for the whole exchange if `nil`.
  /// - Throws: ``StorageError`` if there is no complete response; Auth's error; `CancellationError`.
  func exchange(
    _ request: TransportRequest, _ reference: StorageReference, repeatable: Bool = false,
    within limit: TimeLimit? = nil
  ) async throws -> TransportResponse {
    let limit = limit ?? .operation(reference.storage)
    let lastStart = limit.lastStart(from: http.time.now())
    let deadline = limit.deadline(lastStart)
    return try await mapping(reference, limit: deadline.setting) {
      let target = Origin(request.url)
      let isCloud =
        signer.identity.isAdministrator && cloudOrigin.map { target?.isSame(as: $0) == true } == true
      let service = isCloud ? cloudOrigin : origin
      let exchange = try await signer.exchange(
        prepared(request, reference), for: service, by: lastStart, status: \.status
      ) { request in
        var request = request
        request.deadline = max(.zero, deadline.time - http.time.now())
        return try await http.send(request, repeatable: repeatable, lastStart: lastStart)
      }
      let response = exchange.response
      return response.isSuccess ? response : response.hiding(exchange.request.credentials)
    }
  }

  /// Sends a request for an object or its bucket and returns the JSON of the response.
  ///
  /// - Throws: ``StorageError`` for every response that isn't 2xx or isn't JSON; Auth's error;
  ///   `CancellationError`.
  func json(
    _ method: HTTPMethod,
    _ reference: StorageReference,
    at target: Target = .object,
    headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPBody = .none,
    repeatable: Bool,
    within limit: TimeLimit? = nil
  ) async throws -> JSON {
    let response = try await send(
      method,
      reference,
      at: target,
      headers: headers,
      body: body,
      repeatable: repeatable,
      within: limit
    )
    return try Self.json(response, reference)
  }

  /// Sends a request to a URL of the service or of Cloud Storage's JSON API, and returns the JSON of the
  /// response.
  ///
  /// - Throws: as ``json(_:_:at:headers:body:repeatable:within:)``.
  func json(
    _ request: TransportRequest, _ reference: StorageReference, repeatable: Bool,
    within limit: TimeLimit? = nil
  ) async throws -> JSON {
    let response = try await send(request, reference, repeatable: repeatable, within: limit)
    return try Self.json(response, reference)
  }

  /// Returns the JSON object of a response that reports success. Errors don't quote it, because it may
  /// contain download tokens.
  ///
  /// JSON of another type, and the description of an error, would otherwise pass for an object without any
  /// properties.
  ///
  /// - Throws: ``StorageError/Code/unknown``.
  static func json(_ response: TransportResponse, _ reference: StorageReference) throws(StorageError) -> JSON
  {
    if let json = try? JSON(parsing: response.body), let members = json.object, members["error"] == nil {
      return json
    }
    throw StorageError(
      .unknown,
      "\(reference): the response (status \(response.status), \(response.body.count) bytes) isn't the expected JSON. Check that the app "
        + "uses the intended backend."
    )
  }

  /// Runs a body and translates the errors of the transport, of files and of signing into ``StorageError``.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - limit: the setting that limits the exchange as a whole.
  ///   - body: sends a request or receives a response.
  nonisolated(nonsending) func mapping<Result>(
    _ reference: StorageReference,
    limit: String,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as TransportError {
      throw StorageError(error, reference, limit: limit)
    } catch let error as LocalFile.Failure {
      throw StorageError(.fileError, error.message, underlying: error.underlying)
    } catch let error as RequestSigner.TokenTimeout {
      throw StorageError(error, reference)
    }
  }

  // MARK: - Parts of requests

  /// The origin of the service, to which alone tokens and content are sent; `nil` if the emulator's host is
  /// malformed.
  var origin: Origin? { URL(string: service).flatMap(Origin.init) }

  /// The origin of Cloud Storage's own APIs, to which administrators' tokens are sent as well; `nil` if the
  /// emulator's host is malformed.
  var cloudOrigin: Origin? { URL(string: cloud).flatMap(Origin.init) }

  /// Returns the origin of signed URLs as text, and the value of `Host` in requests to it.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument`` if the emulator's host is malformed.
  func signedOrigin(of reference: StorageReference) throws(StorageError) -> (text: String, host: String) {
    let text = downloads == StorageLocation.embeddedOrigin ? downloads : cloud
    guard let components = URLComponents(string: text), let host = components.encodedHost else {
      throw StorageError(
        .invalidArgument, "\(reference): the host of the emulator isn't one. Write it as host:port.")
    }
    // Clients leave out the port of the scheme.
    let port = components.port == 80 && components.scheme == "http" ? nil : components.port
    return (text, port.map { "\(host):\($0)" } ?? host)
  }

  /// Returns a URL that the server supplied for further requests, if it belongs to the service's own origin.
  /// The names of the loopback host count as one.
  ///
  /// The content of the user's file goes to that URL, so a URL elsewhere is never used, even an encrypted
  /// one: it may be an attacker's, or that of a server that was meant for another environment.
  ///
  /// - Parameters:
  ///   - text: the URL as the server sent it, a secret.
  ///   - reference: the object, for error messages.
  /// - Throws: ``StorageError/Code/untrustedOrigin``. The message names the origin, and not the URL.
  func checked(_ text: String, _ reference: StorageReference) throws(StorageError) -> URL {
    let url = URL(string: text)
    guard let url, let target = Origin(url), url.user() == nil, url.password() == nil else {
      throw StorageError(
        .untrustedOrigin,
        "\(reference): the URL that the server supplied for the content isn't an absolute http or https URL without "
          + "credentials. Nothing was sent there. Check that the app uses the intended backend."
      )
    }
    guard let origin, target.isSame(as: origin) else {
      throw StorageError(
        .untrustedOrigin,
        "\(reference): the server asks for the content at another origin, \(Self.text(of: target)) instead of \(service). "
          + "Nothing was sent there. Check that the app uses the intended backend."
      )
    }
    return url
  }

  /// Returns an origin as text (RFC 6454, section 6.2), for example `https://example.com:444`.
  private static func text(of origin: Origin) -> String {
    let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
    let standard = origin.scheme == "https" ? 443 : 80
    return "\(origin.scheme)://\(host)\(origin.port == standard ? "" : ":\(origin.port)")"
  }

  /// Returns the URL of an object for others than this client: one of the embedded backend has its own
  /// scheme, so that nothing else sends the object's token to production.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - query: the query, percent-encoded.
  /// - Throws: ``StorageError/Code/pathError`` if the path can't be part of a URL.
  func downloadURL(of reference: StorageReference, query: String) throws(StorageError) -> URL {
    let path = PercentEncoding.segment(reference.fullPath)
    guard let url = URL(string: "\(downloads)/v0/b/\(reference.bucket)/o/\(path)?\(query)") else {
      throw StorageError(.pathError, "\(reference) can't be part of a URL.")
    }
    return url
  }

  /// Returns the URL of a resource.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - target: the resource of the request: the object, or its bucket.
  /// - Throws: ``StorageError/Code/pathError`` if the path can't be part of a URL.
  func url(of reference: StorageReference, _ target: Target) throws(StorageError) -> URL {
    var text = "\(service)/v0/b/\(reference.bucket)/o"
    switch target {
    case .object: text += "/" + PercentEncoding.segment(reference.fullPath)
    case .upload: text += "?name=" + PercentEncoding.queryValue(reference.fullPath)
    case .list(let query):
      text += "?" + query.map { "\($0)=\(PercentEncoding.queryValue($1))" }.joined(separator: "&")
    }
    guard let url = URL(string: text) else {
      throw StorageError(.pathError, "\(reference) can't be part of a URL.")
    }
    return url
  }

  /// Returns a request with the timeouts, the client's version and the app's ID.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - reference: the object, whose bucket has the timeouts.
  func prepared(_ request: TransportRequest, _ reference: StorageReference) -> TransportRequest {
    var request = request
    request.timeouts = reference.storage.timeouts
    request.headers["X-Firebase-Storage-Version"] = "tenon/\(StorageLibrary.version)"
    if let appID { request.headers["X-Firebase-GMPID"] = appID }
    return request
  }
}

import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop

/// A client of version 0 of the protocol of Cloud Storage for Firebase. It can be used concurrently.
struct StorageClient: Sendable {
  /// The time limit of an exchange, measured from the start of the call.
  enum TimeLimit {
    /// The limit applies to the whole exchange: tokens, attempts and the response.
    case whole(Duration)
    /// The limit applies to the tokens and to the start of the last attempt. A content transfer that has started is not
    /// limited.
    case transfer(Duration)

    /// The duration of the limit, whatever it applies to.
    var duration: Duration {
      switch self {
      case .whole(let duration), .transfer(let duration): duration
      }
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
  private let signer: RequestSigner
  /// The origin of the service as text: production or the emulator.
  private let service: String
  /// The app's ID for `X-Firebase-GMPID`; `nil` if the options have none.
  private let appID: String?

  /// Creates the client of one app.
  ///
  /// - Parameters:
  ///   - http: sends the requests.
  ///   - signer: adds the tokens of the linked products.
  ///   - options: the app's options, which select the emulator or production.
  init(http: HTTPClient, signer: RequestSigner, options: AppOptions) {
    self.http = http
    self.signer = signer
    appID = options.appID
    if case .emulator(let hosts) = options.backend, let host = hosts.storage {
      service = "http://\(host)"
    } else {
      service = "https://firebasestorage.googleapis.com"
    }
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
  ///   - limit: the time limit; `nil` limits the whole exchange to ``Storage/maxOperationRetryTime``.
  /// - Throws: ``StorageError`` for every response that isn't 2xx; Auth's error; `CancellationError`.
  func send(
    _ method: HTTPMethod,
    _ reference: StorageReference,
    at target: Target = .object,
    headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPBody = .none,
    repeatable: Bool = false,
    within limit: TimeLimit? = nil
  ) async throws -> HTTPResponse {
    let url = try url(of: reference, target)
    return try await send(
      HTTPRequest(method, url, headers: headers, body: body),
      reference,
      repeatable: repeatable,
      within: limit
    )
  }

  /// Sends a request to a URL that the server supplied, and returns the complete response. Tokens are added only if the URL
  /// belongs to the service's own origin.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - reference: the object, for error messages.
  ///   - repeatable: whether the request may be sent again after a temporary failure.
  ///   - limit: the time limit; `nil` limits the whole exchange to ``Storage/maxOperationRetryTime``.
  /// - Throws: ``StorageError`` for every response that isn't 2xx; Auth's error; `CancellationError`.
  func send(
    _ request: HTTPRequest, _ reference: StorageReference, repeatable: Bool, within limit: TimeLimit? = nil
  ) async throws -> HTTPResponse {
    let limit = limit ?? .whole(reference.storage.maxOperationRetryTime)
    let deadline = http.time.now() + limit.duration.limited
    let response = try await mapping(reference) {
      var request = try await signed(request, by: deadline)
      if case .whole = limit { request.deadline = max(.zero, deadline - http.time.now()) }
      return try await http.send(request, repeatable: repeatable, lastStart: deadline)
    }
    if let error = StorageError(response, reference) { throw error }
    return response
  }

  /// Sends a request for an object or its bucket and returns the JSON of the response.
  ///
  /// - Throws: ``StorageError`` for every response that isn't 2xx or isn't JSON; Auth's error; `CancellationError`.
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
    return try await mapping(reference) { try response.object() }
  }

  /// Requests the content of an object and returns as soon as the head of the response has arrived. The content follows in
  /// chunks.
  ///
  /// - Throws: ``StorageError`` for every response that isn't 2xx, and if the head of the response doesn't arrive within
  ///   ``Storage/maxDownloadRetryTime``; Auth's error; `CancellationError`.
  func download(_ reference: StorageReference) async throws -> HTTPStreamingResponse {
    let url = try url(of: reference, .object).appending(queryItems: [
      URLQueryItem(name: "alt", value: "media")
    ])
    let deadline = http.time.now() + reference.storage.maxDownloadRetryTime.limited
    let start = try await mapping(reference) {
      let request = try await signed(HTTPRequest(.get, url), by: deadline)
      return try await http.time.value(by: deadline) { [http] in
        try await DownloadStart(try await http.stream(request))
      }
    }
    switch start {
    case .content(let response): return response
    case .refusal(let response):
      throw StorageError(response, reference)
        ?? StorageError(.unknown, "\(reference): status \(response.status)")
    case nil: throw StorageError(late: reference)
    }
  }

  /// The beginning of a response to a download.
  private enum DownloadStart: Sendable {
    /// The content follows.
    case content(HTTPStreamingResponse)
    /// The server has rejected the request; the body is the beginning of its explanation.
    case refusal(HTTPResponse)

    /// Reads the beginning of an explanation, up to the chunk that contains its 1,000th byte.
    init(_ response: HTTPStreamingResponse) async throws {
      guard !(200..<300).contains(response.status) else {
        self = .content(response)
        return
      }
      var content = Data()
      for try await chunk in response.body {
        content += chunk
        if content.count >= 1_000 { break }
      }
      self = .refusal(HTTPResponse(status: response.status, headers: response.headers, body: content))
    }
  }

  /// Runs a body and translates the errors of the transport and of signing into ``StorageError``.
  nonisolated(nonsending) func mapping<Result>(
    _ reference: StorageReference,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as TransportError {
      throw StorageError(error, reference)
    } catch let error as RequestSigner.TokenTimeout {
      throw StorageError(error, reference)
    }
  }

  // MARK: - Parts of requests

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

  /// Returns a request with the client's version, the app's ID and the tokens.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - deadline: when to stop waiting for the tokens.
  private func signed(_ request: HTTPRequest, by deadline: ContinuousClock.Instant) async throws
    -> HTTPRequest
  {
    var request = request
    request.headers["X-Firebase-Storage-Version"] = "tenon/\(StorageLibrary.version)"
    if let appID { request.headers["X-Firebase-GMPID"] = appID }
    return try await signer.sign(request, for: URL(string: service).flatMap(Origin.init), by: deadline)
  }
}

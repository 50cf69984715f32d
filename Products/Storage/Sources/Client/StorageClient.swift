import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonTransport
import TenonTransportInterop

/// Speaks version 0 of Firebase's Cloud Storage protocol.
struct StorageClient: Sendable {
  /// How long an exchange may take, from the moment when it is asked for.
  enum TimeLimit {
    /// For everything: tokens, attempts and the answer.
    case whole(Duration)
    /// For the tokens and the beginning of the last attempt. Content may take its time.
    case transfer(Duration)

    var duration: Duration {
      switch self {
      case .whole(let duration), .transfer(let duration): duration
      }
    }
  }

  /// What a request is about.
  enum Target {
    /// The object itself.
    case object
    /// The bucket, to which an object of this name is uploaded.
    case upload
    /// The bucket's listing.
    case list([(String, String)])
  }

  let http: HTTPClient
  private let auth: (any AuthInterop)?
  private let appCheck: (any AppCheckInterop)?
  private let origin: String
  private let appID: String?

  init(
    http: HTTPClient,
    auth: (any AuthInterop)?,
    appCheck: (any AppCheckInterop)?,
    options: AppOptions
  ) {
    self.http = http
    self.auth = auth
    self.appCheck = appCheck
    appID = options.appID
    if case .emulator(let hosts) = options.backend, let host = hosts.storage {
      origin = "http://\(host)"
    } else {
      origin = "https://firebasestorage.googleapis.com"
    }
  }

  // MARK: - Requests

  /// Sends a request and collects its answer.
  ///
  /// - Throws: ``StorageError`` for every answer that isn't a success.
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

  /// Sends a request to any URL of the bucket's server.
  ///
  /// - Parameter limit: ``Storage/maxOperationRetryTime`` for everything if `nil`.
  func send(
    _ request: HTTPRequest, _ reference: StorageReference, repeatable: Bool, within limit: TimeLimit? = nil
  ) async throws -> HTTPResponse {
    let limit = limit ?? .whole(reference.storage.maxOperationRetryTime)
    let response = try await answer(request, reference, repeatable: repeatable, within: limit)
    if let error = StorageError(response, reference) { throw error }
    return response
  }

  /// Sends a request and gives whatever the server answers.
  private func answer(
    _ request: HTTPRequest, _ reference: StorageReference, repeatable: Bool, within limit: TimeLimit
  ) async throws -> HTTPResponse {
    let deadline = http.pace.now() + limit.duration.limited
    var request = try await signed(request, reference, by: deadline)
    if case .whole = limit { request.deadline = max(.zero, deadline - http.pace.now()) }
    return try await mapping(reference) { [request] in
      try await http.send(request, repeatable: repeatable, lastStart: deadline)
    }
  }

  /// Sends a request whose answer is JSON.
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
    return try await mapping(reference) { try response.json() }
  }

  /// Asks for an object's content, which follows in pieces.
  func download(_ reference: StorageReference) async throws -> HTTPStreamingResponse {
    let url = try url(of: reference, .object).appending(queryItems: [
      URLQueryItem(name: "alt", value: "media")
    ])
    let deadline = http.pace.now() + reference.storage.maxDownloadRetryTime.limited
    let request = try await signed(HTTPRequest(.get, url), reference, by: deadline)
    let response = try await mapping(reference) { try await http.stream(request) }
    guard !(200..<300).contains(response.status) else { return response }
    // The beginning of the content says why.
    var content = Data()
    try await mapping(reference) {
      for try await chunk in response.body where content.count < 1000 { content += chunk }
    }
    let refusal = HTTPResponse(status: response.status, headers: response.headers, body: content)
    throw StorageError(refusal, reference)
      ?? StorageError(.unknown, "\(reference.url): status \(response.status)")
  }

  /// Runs what throws errors of the transport, and throws what users catch.
  nonisolated(nonsending) func mapping<Result>(
    _ reference: StorageReference,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as TransportError { throw StorageError(error, reference) }
  }

  // MARK: - Parts of requests

  func url(of reference: StorageReference, _ target: Target) throws(StorageError) -> URL {
    var text = "\(origin)/v0/b/\(reference.bucket)/o"
    switch target {
    case .object: text += "/" + PercentEncoding.segment(reference.fullPath)
    case .upload: text += "?name=" + PercentEncoding.queryValue(reference.fullPath)
    case .list(let query):
      text += "?" + query.map { "\($0)=\(PercentEncoding.queryValue($1))" }.joined(separator: "&")
    }
    guard let url = URL(string: text) else {
      throw StorageError(.pathError, "\(reference.url) can't be part of a URL.")
    }
    return url
  }

  /// Adds who asks. Tokens never leave the machine unencrypted.
  private func signed(
    _ request: HTTPRequest, _ reference: StorageReference, by deadline: ContinuousClock.Instant
  ) async throws -> HTTPRequest {
    var request = request
    request.headers["X-Firebase-Storage-Version"] = "tenon/\(StorageLibrary.version)"
    if let appID { request.headers["X-Firebase-GMPID"] = appID }
    guard Origin(request.url)?.isTrustworthy ?? false else { return request }
    func late(_ product: String) -> StorageError {
      StorageError(
        .deadlineExceeded,
        "\(reference.url): nothing was sent, because \(product) gave no token in time. Try again."
      )
    }
    if let auth {
      let answer = try await http.pace.value(by: deadline) { try await auth.token(forcingRefresh: false) }
      guard let answer else { throw late("Auth") }
      if let token = answer { request.headers["Authorization"] = "Firebase \(token)" }
    }
    if let appCheck {
      let result = try await http.pace.value(by: deadline) { await appCheck.token(forcingRefresh: false) }
      guard let result else { throw late("App Check") }
      request.headers["X-Firebase-AppCheck"] = result.token
    }
    return request
  }
}

/// The percent-encoding of RFC 3986, by the bytes of UTF-8.
enum PercentEncoding {
  /// A whole path as one segment: its slashes are encoded too.
  static func segment(_ text: String) -> String { encode(text, keeping: "-._~!$'()*,=:@") }

  /// The value of a query's parameter.
  static func queryValue(_ text: String) -> String { encode(text, keeping: "-._~") }

  private static func encode(_ text: String, keeping marks: String) -> String {
    let kept = Set(marks.utf8)
    var result = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      if byte < 0x80, isPlain || kept.contains(byte) {
        result.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}

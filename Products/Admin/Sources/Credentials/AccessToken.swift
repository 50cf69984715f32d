import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// An access token of Google.
struct AccessToken: Sendable {
  /// The token itself.
  let value: Secret
  /// For how many seconds it is valid from now on.
  let lifetime: Double

  /// What the tokens of administrators are for.
  static let scopes = [
    "https://www.googleapis.com/auth/identitytoolkit", "https://www.googleapis.com/auth/cloud-platform",
  ]
  /// The longest lifetime that is believed, in seconds.
  private static let longest = 86_400.0

  /// Checks a token.
  ///
  /// - Returns: `nil` if there is no token or no sensible lifetime.
  init?(_ value: String?, lifetime: Double?) {
    guard let value, !value.isEmpty, let lifetime, (0...Self.longest).contains(lifetime) else { return nil }
    self.value = Secret(value)
    self.lifetime = lifetime
  }

  /// Reads the answer of an OAuth server (RFC 6749, section 5.1); `nil` if it isn't one.
  init?(oauth answer: JSON?) {
    self.init(
      answer?["access_token"]?.string, lifetime: answer?["expires_in"]?.text.flatMap { Double(decimal: $0) })
  }
}

/// Requests by which credentials become access tokens.
struct TokenExchange: Sendable {
  let client: HTTPClient
  let time: TimeSource

  private static let timeLimit = Duration.seconds(30)
  private static let largestAnswer = 256 << 10

  /// Returns a request with a form.
  static func form(_ url: URL, _ fields: FormText) -> TransportRequest {
    TransportRequest(
      .post, url,
      headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/x-www-form-urlencoded")]),
      body: .data(Data(fields.text.utf8)))
  }

  /// Sends a request and returns the object of the answer.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - purpose: what is requested, for messages, for example `The access token of ada`.
  ///   - secrets: the texts of the request that may not appear in a message.
  /// - Throws: ``AdminError`` with ``AdminError/Code/networkError`` if the server isn't available, and with
  ///   ``AdminError/Code/invalidCredential`` if it refuses.
  func answer(_ request: TransportRequest, _ purpose: String, hiding secrets: [String]) async throws -> JSON {
    var request = request
    request.deadline = Self.timeLimit
    request.limits.bodyBytes = Self.largestAnswer
    let response: TransportResponse
    do { response = try await client.send(request, repeatable: true) } catch let error as TransportError {
      throw AdminError(
        .networkError, "\(purpose) can't be requested: \(error.message)", underlying: error)
    }
    if response.isSuccess, let answer = try? response.json(), answer.object != nil { return answer }
    guard response.status != 429, response.status < 500 else {
      throw AdminError(
        .networkError,
        "\(purpose) can't be requested now: the server answered with status \(response.status). Try again later."
      )
    }
    let answer = try? response.json()
    let reason =
      answer?["error_description"]?.string ?? answer?["error"]?["message"]?.string ?? answer?["error"]?.string
    throw AdminError(
      .invalidCredential,
      "\(purpose) was refused (status \(response.status)): \(reason.map { SecretForms.hide(secrets + request.credentials, in: $0) } ?? "the server gives no reason"). Check the credential, its permissions, and this machine's clock."
    )
  }

  /// Creates the error of an answer without a token.
  static func noToken(_ purpose: String) -> AdminError {
    AdminError(.invalidCredential, "\(purpose) isn't in the server's answer. Check the credential.")
  }
}

extension ServiceAccount {
  /// Returns an access token (RFC 7523).
  func accessToken(_ exchange: TokenExchange) async throws -> AccessToken {
    let issued = exchange.time.seconds
    let assertion = try token([
      "iss": .string(clientEmail), "scope": .string(AccessToken.scopes.joined(separator: " ")),
      "aud": .string(tokenURL.absoluteString), "iat": .int(issued), "exp": .int(issued + 3_600),
    ])
    let form = FormText([
      "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion,
    ])
    let purpose = "The access token of \(self)"
    let answer = try await exchange.answer(
      TokenExchange.form(tokenURL, form), purpose, hiding: [assertion])
    guard let token = AccessToken(oauth: answer) else { throw TokenExchange.noToken(purpose) }
    return token
  }
}

extension TimeSource {
  /// The current time in seconds since 1970, for the claims of tokens.
  var seconds: Int64 { Int64(exactly: date().timeIntervalSince1970.rounded(.down)) ?? 0 }
}

import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The service account of an app, and access tokens that it obtains from Google (RFC 7523), with one request
/// in flight.
final class AccountInUse: Sendable {
  private struct State {
    var chosen: ServiceAccount?
    var named: ServiceAccount?
    var token: Secret?
    var end: ContinuousClock.Instant?
    var request: SharedTask<Secret>?
  }

  /// The variable that names the file of a service account.
  static let variable = "GOOGLE_APPLICATION_CREDENTIALS"
  /// How long before its end an access token is replaced.
  private static let margin = Duration.seconds(5 * 60)
  private static let scopes =
    "https://www.googleapis.com/auth/identitytoolkit https://www.googleapis.com/auth/cloud-platform"

  private struct Answer: Decodable {
    var accessToken: Secret
    var expiresIn: Double

    private enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case expiresIn = "expires_in"
    }
  }

  private let environment: [String: String]?
  private let client: HTTPClient
  private let time: TimeSource
  private let state = Lock(State())

  init(environment: [String: String]?, client: HTTPClient, time: TimeSource) {
    self.environment = environment
    self.client = client
    self.time = time
  }

  /// The account that the app has set.
  var chosen: ServiceAccount? { state.withLock { $0.chosen } }

  /// Uses another account from now on.
  func choose(_ account: ServiceAccount?) {
    state.withLock { $0 = State(chosen: account) }
  }

  /// Returns the account: the one that the app has set, or the one of the environment, which is read once.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``.
  func account() throws -> ServiceAccount {
    if let known = state.withLock({ $0.chosen ?? $0.named }) { return known }
    guard let path = (environment ?? ProcessInfo.processInfo.environment)[Self.variable], !path.isEmpty else {
      throw AdminError(
        .invalidCredential,
        "There is no service account. Set Admin.credential, or name the file of one in \(Self.variable).")
    }
    let account = try ServiceAccount(contentsOfFile: path)
    state.withLock { $0.named = account }
    return account
  }

  /// Returns an access token that is valid for five more minutes.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` or
  ///   ``AdminError/Code/networkError``; `CancellationError`.
  func accessToken() async throws -> Secret {
    let account = try account()
    let now = time.now()
    let request: SharedTask<Secret> = state.withLock { state in
      if let token = state.token, let end = state.end, now + Self.margin < end { return SharedTask { token } }
      if let request = state.request, !request.isOver { return request }
      let request = SharedTask { [self] in try await load(account) }
      state.request = request
      return request
    }
    return try await request.value()
  }

  private func load(_ account: ServiceAccount) async throws -> Secret {
    let issued = time.seconds
    let assertion = try account.token([
      "iss": .string(account.clientEmail), "scope": .string(Self.scopes),
      "aud": .string(account.tokenURL.absoluteString), "iat": .int(issued), "exp": .int(issued + 3_600),
    ])
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    var request = TransportRequest(
      .post, account.tokenURL,
      headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/x-www-form-urlencoded")]),
      body: .data(Data(form.utf8)))
    request.deadline = .seconds(30)
    request.limits.bodyBytes = 256 << 10
    let response: TransportResponse
    do { response = try await client.send(request, repeatable: true) } catch let error as TransportError {
      throw AdminError(
        .networkError, "The access token of \(account) can't be requested: \(error.message)",
        underlying: error)
    }
    guard response.isSuccess, let answer = try? response.json().decode(Answer.self),
      (0...86_400).contains(answer.expiresIn)
    else {
      let reason = try? response.hiding([assertion]).json()["error_description"]?.string
      throw AdminError(
        .invalidCredential,
        "Google issues no access token for \(account) (status \(response.status)): "
          + "\(reason ?? "it gives no reason"). Check the account, its key, and this machine's clock.")
    }
    let end = time.now() + .wait(seconds: answer.expiresIn)
    state.withLock { state in
      (state.token, state.end) = (answer.accessToken, end)
    }
    return answer.accessToken
  }
}

extension TimeSource {
  /// The current time in seconds since 1970, for the claims of tokens.
  var seconds: Int64 { Int64(exactly: date().timeIntervalSince1970.rounded(.down)) ?? 0 }
}

import Foundation
import TenonAppCheckInterop
import TenonCore
import TenonTransport
import TenonTransportInterop

/// Speaks to the servers that know users: version 1 of Identity Toolkit, and Secure Token.
struct IdentityToolkit: Sendable {
  /// How long one exchange may take, the wait for an App Check token and repetitions included.
  private static let deadline = Duration.seconds(30)

  private let client: HTTPClient
  private let appCheck: (any AppCheckInterop)?
  private let endpoints: Endpoints
  private let fields: HTTPHeaders
  /// The time of the session.
  private let pace: TimeSource
  private let language: @Sendable () -> String?

  init(
    app: AppContext,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    pace: TimeSource,
    retries: TimeSource = .system,
    language: @escaping @Sendable () -> String? = { nil }
  ) throws {
    var client = try HTTPClient(app: app, transport: transport)
    client.time = retries
    self.client = client
    self.appCheck = appCheck
    endpoints = try Endpoints(app.options)
    self.pace = pace
    self.language = language
    var fields = HTTPHeaders()
    fields.add("X-Client-Version", "Swift/FirebaseSDK/\(AuthLibrary.version)/Tenon")
    if let appID = app.options.appID { fields.add("X-Firebase-GMPID", appID) }
    self.fields = fields
  }

  // MARK: - Methods

  func signUp(_ body: SignUpRequest) async throws -> SignInResponse {
    try await call("accounts:signUp", body, email: body.email)
  }

  func signInWithPassword(_ body: PasswordRequest) async throws -> SignInResponse {
    try await call("accounts:signInWithPassword", body, email: body.email, repeatable: true)
  }

  func update(_ body: UpdateRequest) async throws -> UpdateResponse {
    // A new address or password ends the token with which it is set, so the second time would be refused.
    try await call(
      "accounts:update", body, email: body.email, repeatable: body.email == nil && body.password == nil)
  }

  /// Deletes the user of an ID token; one who is gone already is no error.
  func delete(_ idToken: Secret) async throws {
    do {
      let _: Nothing = try await call(
        "accounts:delete", IDTokenRequest(idToken: idToken), repeatable: true)
    } catch let error as AuthError where error.code == .userNotFound {
      // The answer to an earlier attempt was lost.
    }
  }

  /// The user of an ID token.
  func lookup(_ idToken: Secret) async throws -> User {
    let response: LookupResponse = try await call(
      "accounts:lookup",
      IDTokenRequest(idToken: idToken),
      repeatable: true
    )
    guard let record = response.users?.first, response.users?.count == 1 else {
      throw AuthError(
        .internalError,
        "The server named \(response.users?.count ?? 0) users for one ID token."
      )
    }
    let claims = try claims(of: idToken)
    let user = record.user(claims: claims)
    guard claims.userID == nil || claims.userID == user.uid else {
      throw AuthError(.internalError, "The server described another user than the ID token's.")
    }
    return user
  }

  /// New tokens for a refresh token.
  func refresh(_ refreshToken: Secret) async throws -> SessionTokens {
    let response: TokenResponse = try await call(
      at: endpoints.token,
      TokenRequest(refreshToken: refreshToken),
      repeatable: true
    )
    return try tokens(response.idToken, response.refreshToken, expiresIn: response.expiresIn)
  }

  /// The tokens of an answer, with the time when they expire; `nil` when it has none.
  func tokens(of response: some TokenBearing) throws -> SessionTokens? {
    guard let idToken = response.idToken, let refreshToken = response.refreshToken else {
      guard response.mfaPendingCredential == nil else {
        throw AuthError(
          .multiFactorRequired,
          "The user must prove a second factor, which this version can't do. Sign in with another account."
        )
      }
      return nil
    }
    return try tokens(idToken, refreshToken, expiresIn: response.expiresIn ?? "3600")
  }

  private func tokens(_ idToken: Secret, _ refreshToken: Secret, expiresIn: String) throws -> SessionTokens {
    guard let seconds = TimeInterval(expiresIn), (0...Self.longestLifetime).contains(seconds) else {
      throw AuthError(.internalError, "The server says that an ID token expires in \"\(expiresIn)\" seconds.")
    }
    _ = try claims(of: idToken)
    let received = pace.date()
    return SessionTokens(
      idToken: idToken,
      refreshToken: refreshToken,
      expires: received + seconds,
      received: received
    )
  }

  /// The longest time that an ID token is taken to hold, a year. Firebase's hold for an hour.
  private static let longestLifetime = Duration.longestWait / .seconds(1)

  /// The claims of a token that this backend may issue.
  private func claims(of idToken: Secret) throws -> IDTokenClaims {
    guard let claims = IDTokenClaims(idToken.value) else {
      throw AuthError(.internalError, "The server sent an ID token that is not a JWT.")
    }
    guard claims.isSigned || !endpoints.areProduction else {
      throw AuthError(
        .internalError,
        "An unsigned ID token came from what should be a production server. It was not accepted."
      )
    }
    return claims
  }

  // MARK: - Exchange

  func call<Answer: Decodable>(
    _ method: String,
    _ body: some Encodable,
    email: String? = nil,
    repeatable: Bool = false
  ) async throws -> Answer {
    try await call(at: endpoints.method(method), body, email: email, repeatable: repeatable)
  }

  private func call<Answer: Decodable>(
    at url: URL,
    _ body: some Encodable,
    email: String? = nil,
    repeatable: Bool
  ) async throws -> Answer {
    let end = pace.now() + Self.deadline
    var headers = fields
    if let language = language() { headers.add("X-Firebase-Locale", language) }
    if let appCheck { headers.add("X-Firebase-AppCheck", try await token(of: appCheck, by: end)) }
    let response: HTTPResponse
    do {
      let deadline = max(.zero, end - pace.now())
      let request = try HTTPRequest.json(.post, url, body, headers: headers, deadline: deadline)
      response = try await client.send(request, repeatable: repeatable)
    } catch let error as TransportError {
      // What can't be sent at all, or is no HTTP, doesn't pass with the network's bad time.
      let isNetwork = ![.invalidRequest, .invalidResponse].contains(error.code)
      throw AuthError(
        isNetwork ? .networkError : .internalError,
        "The server for users could not be asked: \(error.message)",
        underlying: error
      )
    }
    if let failure = try? JSONDecoder().decode(ServerError.self, from: response.body) {
      throw failure.authError(status: response.status, email: email)
    }
    // The content may hold tokens, so it isn't quoted.
    guard response.isSuccess, let answer = try? JSONDecoder().decode(Answer.self, from: response.body) else {
      throw AuthError(
        .internalError,
        "\(url.host ?? "") answered with status \(response.status) and content of another form."
      )
    }
    return answer
  }

  /// The App Check token, or its placeholder, if it comes before the deadline.
  private func token(of appCheck: any AppCheckInterop, by end: ContinuousClock.Instant) async throws -> String
  {
    let token = try await pace.value(by: end) { await appCheck.token(forcingRefresh: false).token }
    if let token { return token }
    // Nothing was sent, so there is no doubt about what the server did.
    let cause = TransportError(.unreachable, "App Check gave no token within \(Self.deadline).")
    throw AuthError(
      .networkError,
      "The server for users was not asked: \(cause.message) Check the app's App Check provider.",
      underlying: cause
    )
  }
}

import TenonAppCheckInterop
import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// The client of the authentication servers: version 1 of Identity Toolkit, what version 2 has about second
/// factors, and Secure Token.
///
/// The protocol is documented at <https://firebase.google.com/docs/reference/rest/auth>.
struct IdentityToolkit: Sendable {
  /// The maximum size of an answer's body in bytes, so that decoding it takes no noticeable time. Answers
  /// have some kilobytes.
  private static let largestBody = 4 << 20

  private let client: HTTPClient
  /// The metrics and the spans of Auth.
  var telemetry: Telemetry { client.telemetry }
  /// Adds the App Check token to requests. ID tokens are part of the bodies.
  private let signer: RequestSigner
  private let endpoints: Endpoints
  /// The header fields that every request has.
  private let fields: HTTPHeaders
  /// The clock of the session, for deadlines and the expiry of tokens.
  private let time: TimeSource
  /// The time limits and the language of requests.
  private let settings: RequestSettings
  /// The password policies that were loaded.
  let policies = PasswordPolicies()
  /// When the operation ends to which all calls belong; `nil` if each call is a separate operation.
  private(set) var end: ContinuousClock.Instant?
  /// The tenant of the operation, which may be none; `nil` for the one that is set when a call is made.
  private var chosenTenant: String??

  init(
    app: AppContext,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    time: TimeSource,
    retries: TimeSource = .system,
    settings: RequestSettings = RequestSettings(),
    telemetry: Telemetry = .silent
  ) throws {
    var client = try HTTPClient(app: app, transport: transport, telemetry: telemetry)
    client.time = retries
    self.client = client
    signer = RequestSigner(appCheck: appCheck, time: time)
    endpoints = try Endpoints(app.options)
    self.time = time
    self.settings = settings
    var fields = HTTPHeaders()
    fields.add("X-Client-Version", "Swift/FirebaseSDK/\(AuthLibrary.version)/Tenon")
    if let appID = app.options.appID { fields.add("X-Firebase-GMPID", appID) }
    self.fields = fields
  }

  /// Returns a client for one operation, which begins now: its calls share the operation's time limit
  /// (``Auth/timeoutInterval``) and tenant (``Auth/tenantID``).
  func begun() -> IdentityToolkit {
    var server = inTenant(tenantID)
    server.end = newEnd
    return server
  }

  /// Returns a client for the users of a tenant; for those of the project itself if `nil`.
  func inTenant(_ tenantID: String?) -> IdentityToolkit {
    var server = self
    server.chosenTenant = .some(tenantID)
    return server
  }

  /// The tenant for whose users the calls are; `nil` for those of the project itself.
  var tenantID: String? { chosenTenant ?? settings.values.tenantID }

  /// When an operation that begins now ends at the latest.
  private var newEnd: ContinuousClock.Instant { time.now() + settings.values.timeoutInterval.limited }

  /// Waits for a task, but not beyond the end of the operation. The task then continues.
  ///
  /// - Throws: the error of the task; ``AuthError`` with ``AuthError/Code/networkError`` if the operation
  ///   ends before; `CancellationError` as soon as the calling task is cancelled.
  func wait<Value>(for task: SharedTask<Value>) async throws -> Value {
    let value = try await time.value(by: end) { try await task.value() }
    if let value { return value }
    throw AuthError(TransportError(.timedOut, "The operation took too long.", timeout: .exchange))
  }

  // MARK: - Methods

  /// Creates a user, or links a password to the user of the request's ID token. It isn't `repeatable`,
  /// because each request may create a user.
  func signUp(_ body: SignUpRequest) async throws -> SignInResponse {
    try await call("accounts:signUp", body, email: body.email)
  }

  /// Signs in with an email address and a password.
  func signInWithPassword(_ body: PasswordRequest) async throws -> SignInResponse {
    try await call("accounts:signInWithPassword", body, email: body.email, repeatable: true)
  }

  /// Changes the account of an ID token's user.
  func update(_ body: UpdateRequest) async throws -> UpdateResponse {
    // A new address or password revokes the token that authorized it, so the server would reject a repeated
    // request. The token contains the tenant.
    try await call(
      at: endpoints.method("accounts:update"), body, email: body.email,
      repeatable: body.email == nil && body.password == nil)
  }

  /// Deletes the user of an ID token. Succeeds if the user no longer exists.
  func delete(_ idToken: Secret) async throws {
    do {
      let _: Nothing = try await call(
        at: endpoints.method("accounts:delete"), IDTokenRequest(idToken: idToken), repeatable: true)
    } catch let error as AuthError where error.code == .userNotFound {
      // An earlier attempt succeeded, but its answer was lost.
    }
  }

  /// Returns the account of an ID token's user.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/internalError`` if the answer hasn't exactly one user, or
  ///   another user than the token names.
  func lookup(_ idToken: Secret) async throws -> UserProfile {
    let response: LookupResponse = try await call(
      at: endpoints.method("accounts:lookup"),
      IDTokenRequest(idToken: idToken),
      repeatable: true
    )
    guard let record = response.users?.first, response.users?.count == 1 else {
      throw AuthError(
        .internalError,
        "The server returned \(response.users?.count ?? 0) users for one ID token. Check that the app uses the "
          + "intended backend."
      )
    }
    let claims = try claims(of: idToken)
    let profile = record.profile(claims: claims)
    guard claims.userID == nil || claims.userID == profile.uid else {
      throw AuthError(
        .internalError,
        "The server described a user other than the ID token's, which wasn't accepted. Try again.")
    }
    return profile
  }

  /// Returns new tokens for a refresh token.
  func refresh(_ refreshToken: Secret) async throws -> SessionTokens {
    let response: TokenResponse = try await call(
      at: endpoints.token,
      TokenRequest(refreshToken: refreshToken),
      repeatable: true
    )
    return try tokens(response.idToken, response.refreshToken ?? refreshToken, expiresIn: response.expiresIn)
  }

  /// Returns the tokens of an answer, with the time of their expiry; `nil` if it has none.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/secondFactorRequired`` if the server requires a second
  ///   factor, with ``AuthError/Code/tenantIDMismatch`` if the user belongs to another tenant, and with
  ///   ``AuthError/Code/internalError`` if the tokens are malformed.
  func tokens(of response: some TokenBearing) throws -> SessionTokens? {
    guard let idToken = response.idToken, let refreshToken = response.refreshToken else {
      guard let pending = response.mfaPendingCredential else {
        return nil
      }
      throw AuthError(
        PendingSignIn(
          credential: pending, tenantID: tenantID, hints: (response.mfaInfo ?? []).compactMap(\.enrolled)))
    }
    guard try claims(of: idToken).tenantID == tenantID else {
      throw AuthError(
        .tenantIDMismatch,
        "The server signed the user in to another tenant than Auth.tenantID, which wasn't accepted. Check that the app "
          + "uses the intended backend."
      )
    }
    return try tokens(idToken, refreshToken, expiresIn: response.expiresIn ?? "3600")
  }

  /// Checks tokens, and returns them with their times by this machine's clock.
  ///
  /// - Parameter expiresIn: the lifetime in seconds, as text.
  private func tokens(_ idToken: Secret, _ refreshToken: Secret, expiresIn: String) throws -> SessionTokens {
    guard let seconds = Double(decimal: expiresIn), (0...Self.longestLifetime).contains(seconds) else {
      throw AuthError(
        .internalError,
        "The server sent an ID token with a lifetime of \"\(expiresIn)\" seconds. Valid are 0 seconds to a year."
      )
    }
    _ = try claims(of: idToken)
    let received = time.date()
    return SessionTokens(
      idToken: idToken,
      refreshToken: refreshToken,
      // Checked: a date, and at most a year.
      expires: received + seconds,
      received: received
    )
  }

  /// The longest lifetime of an ID token that is accepted, in seconds: a year. Firebase's tokens live for an
  /// hour.
  private static let longestLifetime = Duration.longestWait / .seconds(1)

  /// Returns the claims of a token.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/internalError`` if it isn't a JWT, or an unsigned token of
  ///   a production server.
  private func claims(of idToken: Secret) throws -> IDTokenClaims {
    guard let claims = IDTokenClaims(idToken.value) else {
      throw AuthError(
        .internalError,
        "The server sent an ID token that isn't a JWT. Check that the app uses the intended backend.")
    }
    guard claims.isSigned || !endpoints.areProduction else {
      throw AuthError(
        .internalError,
        "A production server sent an unsigned ID token, which wasn't accepted. Check that the app uses the "
          + "intended backend."
      )
    }
    return claims
  }

  /// Returns the password policy of the project or the tenant.
  func passwordPolicy() async throws -> PasswordPolicyResponse {
    var url = endpoints.method("passwordPolicy", version: 2)
    if let tenantID { url.append(queryItems: [URLQueryItem(name: "tenantId", value: tenantID)]) }
    return try await answer(to: TransportRequest(.get, url), hiding: [], repeatable: true)
  }

  // MARK: - Exchange

  /// Calls a method of Identity Toolkit for the users of the tenant, and returns the decoded answer.
  ///
  /// - Parameters:
  ///   - method: the method, for example `accounts:signUp`.
  ///   - body: the request, which is sent as JSON.
  ///   - email: the email address to name in errors.
  ///   - repeatable: whether the request is idempotent, so that it may be sent again after a failure.
  /// - Throws: ``AuthError`` with the server's error, with ``AuthError/Code/networkError`` if there is no
  ///   answer in time, and with ``AuthError/Code/internalError`` if the answer has an unexpected form;
  ///   `CancellationError`.
  func call<Answer: Decodable>(
    _ method: String,
    _ body: some TenantRequest,
    email: String? = nil,
    repeatable: Bool = false
  ) async throws -> Answer {
    try await call(at: endpoints.method(method), addressed(body), email: email, repeatable: repeatable)
  }

  /// Calls a method of version 2, as ``call(_:_:email:repeatable:)``.
  func call<Answer: Decodable>(version2 method: String, _ body: some TenantRequest) async throws -> Answer {
    try await call(at: endpoints.method(method, version: 2), addressed(body), repeatable: false)
  }

  /// Returns a request with the tenant.
  private func addressed<Body: TenantRequest>(_ body: Body) -> Body {
    var body = body
    body.tenantId = tenantID
    return body
  }

  /// Sends a request to a URL, as ``call(_:_:email:repeatable:)``.
  private func call<Answer: Decodable>(
    at url: URL,
    _ body: some Encodable,
    email: String? = nil,
    repeatable: Bool
  ) async throws -> Answer {
    let request: TransportRequest
    do { request = try TransportRequest.json(.post, url, body) } catch let error as TransportError {
      throw AuthError(error)
    }
    return try await answer(
      to: request, hiding: Secret.texts(in: body), email: email, repeatable: repeatable)
  }

  /// Sends a request, as ``call(_:_:email:repeatable:)``.
  ///
  /// - Parameter secrets: texts of the request that may not appear in an error.
  private func answer<Answer: Decodable>(
    to request: TransportRequest,
    hiding secrets: [String],
    email: String? = nil,
    repeatable: Bool
  ) async throws -> Answer {
    let (url, settings) = (request.url, settings.values)
    let end = end ?? newEnd
    let response: TransportResponse
    let credentials: [String]
    do {
      var request = request
      for field in fields.fields { request.headers.add(field.name, field.value) }
      if let language = settings.language { request.headers.add("X-Firebase-Locale", language) }
      request.timeouts = settings.timeouts
      request.limits.bodyBytes = Self.largestBody
      request = try await signer.sign(request, for: Origin(url), by: end)
      credentials = request.credentials
      request.deadline = max(.zero, end - time.now())
      response = try await client.send(request, repeatable: repeatable)
    } catch let timeout as RequestSigner.TokenTimeout {
      throw AuthError(timeout, limit: settings.timeoutInterval)
    } catch let error as TransportError {
      throw AuthError(error)
    }
    let content = try? response.json()
    if (try? content?.decode(ServerError.self)) != nil {
      let secrets = credentials + secrets + [endpoints.apiKey.value]
      if let failure = try? response.hiding(secrets).json().decode(ServerError.self) {
        let error = failure.authError(status: response.status, email: email)
        if error.code == .passwordPolicy { policies.discard() }
        throw error
      }
    }
    // The content may contain tokens, or be a page of a gateway, so it isn't quoted.
    guard response.status != 429, !(500...599).contains(response.status) else {
      throw AuthError(status: response.status, message: nil)
    }
    guard response.isSuccess, let answer = try? content?.decode(Answer.self) else {
      throw AuthError(
        .internalError,
        "\(url.host ?? "") answered with status \(response.status) and content that isn't in the expected form. Check "
          + "that the app uses the intended backend."
      )
    }
    return answer
  }
}

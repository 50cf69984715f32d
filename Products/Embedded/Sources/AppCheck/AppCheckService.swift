import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The App Check service: issues App Check tokens for debug tokens and custom tokens, publishes the key with
/// which it signs them, and verifies the tokens of requests
/// (https://firebase.google.com/docs/reference/appcheck/rest).
struct AppCheckService: Sendable {
  /// The time for which tokens are valid, in seconds.
  static let lifetime: Int64 = 3_600
  /// The time for which limited-use tokens are valid, in seconds: five minutes, as on Firebase.
  static let limitedUseLifetime: Int64 = 300
  /// The greatest length of an app's ID, in bytes of UTF-8. Firebase's have some dozens.
  static let longestAppID = 256
  /// The greatest number of consumed tokens that are remembered at the same time. Each one is remembered until
  /// it expires; if there is no room, no token can be consumed, rather than that one is forgotten.
  static let mostConsumed = 100_000

  /// The ID of the project, which tokens must name as their audience.
  let projectID: String
  /// Stores what must survive a restart.
  let database: EmbeddedDatabase
  /// The key of tokens.
  let keys: AppCheckKeyStore
  /// Returns the settings of the backend.
  let settings: @Sendable () -> EmbeddedSettings
  /// Returns the current time.
  let now: @Sendable () -> Timestamp

  /// Creates a service.
  init(
    projectID: String,
    database: EmbeddedDatabase,
    settings: @escaping @Sendable () -> EmbeddedSettings,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.projectID = projectID
    self.database = database
    keys = AppCheckKeyStore(database)
    self.settings = settings
    self.now = now
  }

  /// Responds to a request: the keys, an exchange, or what administrators do.
  ///
  /// - Throws: ``Refusal`` with status 404 for other paths, 501 for methods that Firebase has and the backend
  ///   hasn't; the errors of the parts.
  func answer(_ request: TransportRequest, route: Route, by caller: Caller) async throws -> TransportResponse
  {
    let path = route.path
    if path == ["v1", "jwks"] || path == ["v1beta", "jwks"] { return try await publishedKeys(request) }
    if path.count == 3, path[0] == "v1beta", path[1] == "projects", path[2].hasSuffix(":verifyAppCheckToken")
    {
      return try await verifyOnce(request, by: caller, of: String(path[2].dropLast(20)))
    }
    if (5...7).contains(path.count), path[0] == "v1" || path[0] == "v1beta", path[1] == "projects",
      path[3] == "apps", path.count > 5
    {
      guard path[5] == "debugTokens" else { throw Refusal.notFound }
      return try await administrateDebugTokens(request, route: route, by: caller)
    }
    return try await exchange(request, route: route)
  }

  /// Responds with the keys of tokens as a JWK set (RFC 7517, section 5), which anyone may read.
  private func publishedKeys(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.method == .get || request.method == .head else { throw Refusal.notFound }
    let keys = Self.signsTokens ? [try await self.keys.current().jwk] : []
    // The key changes if the data is deleted. Clients request the keys again when they meet an unknown one.
    let headers = HTTPHeaders([HTTPHeader(name: "Cache-Control", value: "public, max-age=300")])
    return try TransportResponse(status: 200, json: ["keys": .array(keys)], headers: headers)
  }

  private static var signsTokens: Bool { AppCheckKeyStore.isAvailable }

  // MARK: - Exchange

  /// Responds to `exchangeDebugToken` and `exchangeCustomToken` of version 1.
  ///
  /// - Returns: the response with `token` and `ttl`.
  /// - Throws: ``Refusal`` with status 403 without an API key or if the token is rejected, 404 for other
  ///   paths, 501 for other attestation providers.
  private func exchange(_ request: TransportRequest, route: Route) async throws -> TransportResponse {
    // v1/projects/{project}/apps/{app}:{method}
    let path = route.path
    guard request.method == .post, path.count == 5, path[0] == "v1", path[1] == "projects",
      path[3] == "apps", let colon = path[4].lastIndex(of: ":")
    else { throw Refusal.notFound }
    let key = [route.query["key"], request.headers["X-Goog-Api-Key"]].compactMap(\.self).first
    guard let key, !key.isEmpty else {
      throw Refusal(
        403,
        "The request is missing a valid API key.",
        reason: "forbidden",
        statusName: "PERMISSION_DENIED"
      )
    }
    guard path[2] == projectID else { throw Refusal.notFound }
    let appID = String(path[4][..<colon])
    let method = String(path[4][path[4].index(after: colon)...])
    guard appID.utf8.count <= Self.longestAppID else {
      throw Self.badRequest("The ID of an app has at most \(Self.longestAppID) bytes.")
    }
    let body = try AccountCall.members(of: request)
    try FieldType.check(body, against: Self.fields)
    switch method {
    case "exchangeDebugToken": try await checkDebugToken(body["debugToken"], appID)
    case "exchangeCustomToken": try checkCustomToken(body["customToken"], appID)
    default: throw Refusal.unimplemented("apps:\(method)")
    }
    let isLimited = body["limitedUse"]?.bool ?? false
    let lifetime = isLimited ? Self.limitedUseLifetime : Self.lifetime
    let token = AttestationToken(appID: appID, projectID: projectID, lifetime: lifetime, now: now())
    return try TransportResponse(
      status: 200,
      json: ["token": .string(try await text(of: token)), "ttl": .string("\(lifetime)s")]
    )
  }

  /// Returns a token in its compact form, signed with the key of the backend.
  ///
  /// - Throws: the errors of ``AppCheckKeyStore/current()``; ``Refusal`` with status 500 if libcrypto fails.
  func text(of token: AttestationToken) async throws -> String {
    guard Self.signsTokens else { return try token.unsigned }
    guard let text = try await keys.current().signed(try JSON.object(token.claims).serialized) else {
      throw Refusal(
        500, "libcrypto can't sign an App Check token. Check its installation.", reason: "backendError",
        statusName: "INTERNAL")
    }
    return text
  }

  /// The types of the members of a request.
  private static let fields: [String: FieldType] = [
    "debugToken": .text, "customToken": .text, "limitedUse": .flag,
  ]

  /// Checks that a debug token is registered for an app or one of ``EmbeddedSettings/appCheckDebugTokens``,
  /// regardless of case. Any is accepted as long as the settings name none and none was registered.
  ///
  /// - Throws: ``Refusal`` with status 400 if there is none, with status 403 if it isn't accepted.
  private func checkDebugToken(_ token: JSON?, _ appID: String) async throws {
    guard let token = token?.text, !token.isEmpty else {
      throw Self.badRequest("The debug token is missing.")
    }
    let named = settings().appCheckDebugTokens
    if let named, named.contains(where: { $0.lowercased() == token.lowercased() }) { return }
    let digest = DebugTokenRecord.digest(token)
    let isAccepted = try await database.read { database in
      if try database.isRegistered(debugToken: digest, of: appID) { return true }
      return try named == nil && !database.hasDebugTokens()
    }
    guard isAccepted else { throw Self.rejected }
  }

  /// Checks that a custom token is for the app and hasn't expired. Its signature can't be verified here.
  ///
  /// - Parameters:
  ///   - token: the custom token of the request.
  ///   - appID: the app's ID in the path.
  /// - Throws: ``Refusal`` with status 400 if it can't be parsed, with status 403 if it isn't valid.
  private func checkCustomToken(_ token: JSON?, _ appID: String) throws {
    guard let text = token?.text, let custom = AttestationToken(text) else {
      throw Self.badRequest("The custom token is missing or isn't a JWT.")
    }
    guard custom.claims["app_id"]?.string == appID, custom.expires > now().seconds else {
      throw Self.rejected
    }
  }

  /// The error for tokens that don't prove that the app is genuine.
  private static let rejected = Refusal(
    403,
    "App attestation failed.",
    reason: "forbidden",
    statusName: "PERMISSION_DENIED"
  )

  /// Creates the error for a malformed request.
  static func badRequest(_ message: String) -> Refusal {
    Refusal(400, message, reason: "badRequest", statusName: "INVALID_ARGUMENT")
  }

  // MARK: - Checks

  /// Returns the app that calls a function.
  ///
  /// - Parameters:
  ///   - token: the App Check token of the call; `nil` if it is missing or invalid.
  ///   - isConsuming: whether to consume the token, so that using it again is detected
  ///     (https://firebase.google.com/docs/app-check/cloud-functions#replay-protection).
  /// - Returns: `nil` without a token.
  /// - Throws: ``CallableError`` with `resourceExhausted` if it can't be remembered that the token was
  ///   consumed; the errors of the database.
  func app(of token: AttestationToken?, consumingToken isConsuming: Bool) async throws -> CallableApp? {
    guard let token else { return nil }
    guard isConsuming else { return CallableApp(appID: token.appID, alreadyConsumed: false) }
    do {
      return CallableApp(appID: token.appID, alreadyConsumed: try await consume(token))
    } catch let refusal as Refusal where refusal.status == 429 {
      throw CallableError(.resourceExhausted, refusal.message)
    }
  }

  /// Consumes a valid token.
  ///
  /// - Returns: whether it had been consumed before.
  /// - Throws: ``Refusal`` with status 429 if ``mostConsumed`` tokens are consumed and haven't expired.
  func consume(_ token: AttestationToken) async throws -> Bool {
    let (id, expires) = (token.id, token.expires)
    let isConsumed = try await database.transaction { database in
      try database.consumeAppCheckToken(id, expires: expires, limit: Self.mostConsumed)
    }
    guard let isConsumed else {
      throw Refusal(
        429,
        "\(Self.mostConsumed) App Check tokens are consumed and haven't expired. Try again when some have.",
        reason: "rateLimitExceeded", statusName: "RESOURCE_EXHAUSTED")
    }
    return isConsumed
  }

  /// Reads what ``token(of:)`` needs to verify the token of a request.
  ///
  /// - Throws: the errors of ``AppCheckKeyStore/prepare(for:)``.
  func prepare(for request: TransportRequest) async throws {
    try await keys.prepare(for: request.headers["X-Firebase-AppCheck"])
  }

  /// Returns the App Check token of a request, for which ``prepare(for:)`` was called; `nil` if it is missing
  /// or invalid.
  func token(of request: TransportRequest) -> AttestationToken? {
    request.headers["X-Firebase-AppCheck"].flatMap(token(_:))
  }

  /// Returns a token; `nil` if it isn't valid.
  func token(_ text: String) -> AttestationToken? {
    guard let token = AttestationToken(text), token.isValid(projectID: projectID, now: now()),
      keys.isAuthentic(text)
    else { return nil }
    return token
  }

  /// Returns whether a service requires an App Check token.
  func isRequired(at service: EmbeddedService) -> Bool { settings().appCheckRequired.contains(service) }
}

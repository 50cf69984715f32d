import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The App Check service: issues App Check tokens for debug tokens and custom tokens, and verifies the tokens
/// of requests (https://firebase.google.com/docs/reference/appcheck/rest).
struct AppCheckService: Sendable {
  /// The time for which tokens are valid, in seconds.
  static let lifetime: Int64 = 3_600
  /// The time for which limited-use tokens are valid, in seconds: five minutes, as on Firebase.
  static let limitedUseLifetime: Int64 = 300

  /// The ID of the project, which tokens must name as their audience.
  let projectID: String
  /// Returns the settings of the backend.
  let settings: @Sendable () -> EmbeddedSettings
  /// Returns the current time.
  let now: @Sendable () -> Timestamp
  /// The tokens that were consumed and haven't expired.
  private let consumed = ConsumedTokens()

  /// Creates a service that has consumed no tokens.
  init(
    projectID: String,
    settings: @escaping @Sendable () -> EmbeddedSettings,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.projectID = projectID
    self.settings = settings
    self.now = now
  }

  // MARK: - Exchange

  /// Responds to `exchangeDebugToken` and `exchangeCustomToken` of version 1.
  ///
  /// - Returns: the response with `token` and `ttl`.
  /// - Throws: ``Refusal`` with status 403 without an API key or if the token is rejected, 404 for other
  ///   paths, 501 for other attestation providers.
  func answer(_ request: TransportRequest, route: Route) throws -> TransportResponse {
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
    let body = try AccountCall.members(of: request)
    try FieldType.check(body, against: Self.fields)
    switch method {
    case "exchangeDebugToken": try checkDebugToken(body["debugToken"])
    case "exchangeCustomToken": try checkCustomToken(body["customToken"], appID)
    default: throw Refusal.unimplemented("apps:\(method)")
    }
    let isLimited = body["limitedUse"]?.bool ?? false
    let lifetime = isLimited ? Self.limitedUseLifetime : Self.lifetime
    let token = AttestationToken(appID: appID, projectID: projectID, lifetime: lifetime, now: now())
    return try TransportResponse(
      status: 200,
      json: ["token": .string(try token.text), "ttl": .string("\(lifetime)s")]
    )
  }

  /// The types of the members of a request.
  private static let fields: [String: FieldType] = [
    "debugToken": .text, "customToken": .text, "limitedUse": .flag,
  ]

  /// Checks that a debug token is one of ``EmbeddedSettings/appCheckDebugTokens``, regardless of case.
  ///
  /// - Throws: ``Refusal`` with status 400 if there is none, with status 403 if it isn't accepted.
  private func checkDebugToken(_ token: JSON?) throws {
    guard let token = token?.text, !token.isEmpty else {
      throw Self.badRequest("The debug token is missing.")
    }
    guard let accepted = settings().appCheckDebugTokens else { return }
    guard accepted.contains(where: { $0.lowercased() == token.lowercased() }) else { throw Self.rejected }
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
  private static func badRequest(_ message: String) -> Refusal {
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
  func app(of token: AttestationToken?, consumingToken isConsuming: Bool) -> CallableApp? {
    guard let token else { return nil }
    let isNew = !isConsuming || consumed.insert(token, now: now())
    return CallableApp(appID: token.appID, alreadyConsumed: !isNew)
  }

  /// Returns the App Check token of a request; `nil` if it is missing or invalid.
  func token(of request: TransportRequest) -> AttestationToken? {
    let token = request.headers["X-Firebase-AppCheck"].flatMap { AttestationToken($0) }
    return token?.isValid(projectID: projectID, now: now()) == true ? token : nil
  }

  /// Returns whether a service requires an App Check token.
  func isRequired(at service: EmbeddedService) -> Bool { settings().appCheckRequired.contains(service) }
}

/// The tokens that were consumed, until they expire.
final class ConsumedTokens: Sendable {
  /// The consumed tokens. They are only in memory: after a restart, a token can be used once more.
  private struct State {
    /// The times at which the tokens expire, in seconds since 1970, by the tokens' IDs.
    var expirations: [String: Int64] = [:]
    /// The number of tokens at which expired ones are removed.
    var limit = 1_024
  }

  private let state = Lock(State())

  /// The number of remembered tokens, including expired ones that haven't been removed.
  var count: Int { state.withLock { $0.expirations.count } }

  /// Consumes a token.
  ///
  /// - Parameters:
  ///   - token: a valid token. One without an ID is never considered consumed.
  ///   - now: the current time.
  /// - Returns: `false` if the token had been consumed before.
  /// - Complexity: O(1) amortized.
  func insert(_ token: AttestationToken, now: Timestamp) -> Bool {
    guard let id = token.claims["jti"]?.string else { return true }
    return state.withLock { state in
      if state.expirations.count >= state.limit {
        state.expirations = state.expirations.filter { $0.value > now.seconds }
        state.limit = max(1_024, 2 * state.expirations.count)
      }
      return state.expirations.updateValue(token.expires, forKey: id) == nil
    }
  }
}

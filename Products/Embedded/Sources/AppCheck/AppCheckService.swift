import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop

/// Gives App Check tokens for debug tokens and for custom tokens, and checks those that requests carry.
struct AppCheckService: Sendable {
  /// How long tokens hold, in seconds.
  static let lifetime: Int64 = 3_600
  static let limitedUseLifetime: Int64 = 300

  let projectID: String
  let settings: @Sendable () -> EmbeddedSettings
  let now: @Sendable () -> Timestamp
  private let consumed = ConsumedTokens()

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

  func answer(_ request: HTTPRequest, route: Route) throws -> HTTPResponse {
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
    return try HTTPResponse(
      status: 200,
      json: ["token": .string(try token.text), "ttl": .string("\(lifetime)s")]
    )
  }

  private static let fields: [String: FieldType] = [
    "debugToken": .text, "customToken": .text, "limitedUse": .flag,
  ]

  private func checkDebugToken(_ token: JSON?) throws {
    guard let token = token?.text, !token.isEmpty else {
      throw Self.badRequest("The debug token is missing.")
    }
    guard let accepted = settings().appCheckDebugTokens else { return }
    guard accepted.contains(where: { $0.lowercased() == token.lowercased() }) else { throw Self.rejected }
  }

  /// Nobody can check who signed it here, but whether it is for the app and still holds.
  private func checkCustomToken(_ token: JSON?, _ appID: String) throws {
    guard let text = token?.text, let custom = AttestationToken(text) else {
      throw Self.badRequest("The custom token is missing or no JWT.")
    }
    guard custom.claims["app_id"]?.string == appID, custom.expires > now().seconds else {
      throw Self.rejected
    }
  }

  private static let rejected = Refusal(
    403,
    "App attestation failed.",
    reason: "forbidden",
    statusName: "PERMISSION_DENIED"
  )

  private static func badRequest(_ message: String) -> Refusal {
    Refusal(400, message, reason: "badRequest", statusName: "INVALID_ARGUMENT")
  }

  // MARK: - Checks

  /// The app that a request comes from; `nil` without a token of this project that still holds.
  ///
  /// - Parameter isConsuming: whether the token is used up by this.
  func app(of request: HTTPRequest, consumingToken isConsuming: Bool) -> CallableApp? {
    guard let token = token(of: request) else { return nil }
    let isNew = !isConsuming || consumed.insert(token, now: now())
    return CallableApp(appID: token.appID, alreadyConsumed: !isNew)
  }

  private func token(of request: HTTPRequest) -> AttestationToken? {
    let token = request.headers["X-Firebase-AppCheck"].flatMap { AttestationToken($0) }
    return token?.holds(projectID: projectID, now: now()) == true ? token : nil
  }

  /// Whether a service must refuse a request.
  func refuses(_ request: HTTPRequest, at service: EmbeddedService) -> Bool {
    settings().appCheckRequired.contains(service) && token(of: request) == nil
  }

  /// Whether an administrator asks, by the same rule as for accounts. The clients of objects may also write `Firebase`
  /// in the place of `Bearer`.
  private static func isAdministrators(_ request: HTTPRequest, at service: EmbeddedService) -> Bool {
    let parts = (request.headers["Authorization"] ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return false }
    let scheme = parts[0].lowercased()
    guard scheme == "bearer" || (scheme == "firebase" && service == .storage) else { return false }
    return parts[1].lowercased() == "owner" || parts[1].hasPrefix("ya29.")
  }

  /// Refuses requests without a token where a service requires one, with the error of Firebase's services.
  /// Administrators need none.
  func check(_ request: HTTPRequest, at service: EmbeddedService) throws {
    guard !Self.isAdministrators(request, at: service), refuses(request, at: service) else { return }
    throw Refusal(
      401,
      "Firebase App Check token is invalid.",
      reason: "unauthenticated",
      statusName: "UNAUTHENTICATED"
    )
  }
}

/// The tokens that were used up, until they expire.
private final class ConsumedTokens: Sendable {
  private struct State {
    /// When the tokens expire, by their ids.
    var ends: [String: Int64] = [:]
    /// How many there may be before those that have expired are looked for.
    var limit = 1_024
  }

  private let state = Lock(State())

  /// Returns whether the token had not been used up before.
  ///
  /// - Complexity: O(1) amortized.
  func insert(_ token: AttestationToken, now: Timestamp) -> Bool {
    guard let id = token.claims["jti"]?.string else { return true }
    return state.withLock { state in
      if state.ends.count >= state.limit {
        state.ends = state.ends.filter { $0.value > now.seconds }
        state.limit = max(1_024, 2 * state.ends.count)
      }
      return state.ends.updateValue(token.expires, forKey: id) == nil
    }
  }
}

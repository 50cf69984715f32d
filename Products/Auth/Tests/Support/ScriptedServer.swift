import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop

/// A server that answers like Identity Toolkit and Secure Token, for the users of one test. It fails on
/// demand, and holds requests until a test releases them.
final class ScriptedServer: TransportInterop {
  struct User {
    var uid: String
    var email: String?
    var password: String?
    var displayName: String?
    /// Identifiers at providers other than `password`.
    var identities: [String: String] = [:]
    var refreshToken: String
  }

  struct State {
    var users: [User] = []
    var requests: [TransportRequest] = []
    var issued = 0
    /// Answers by method, each returned once.
    var failures: [String: [Result<TransportResponse, TransportError>]] = [:]
    var gates: [String: Gate] = [:]
    /// Methods whose next answer is lost.
    var lost: Set<String> = []
    /// Actions right before a method's answers.
    var actions: [String: @Sendable () -> Void] = [:]
  }

  let state = Lock(State())

  /// The methods that were called, in order.
  var methods: [String] { state.withLock { $0.requests.map { Self.method(of: $0) } } }
  var lastRequest: TransportRequest? { state.withLock { $0.requests.last } }

  func fail(_ method: String, _ code: String, status: Int = 400) {
    let body = Data(#"{"error":{"code":\#(status),"message":"\#(code)"}}"#.utf8)
    state.withLock {
      $0.failures[method, default: []].append(.success(TransportResponse(status: status, body: body)))
    }
  }

  /// Answers the next request for a method with this JSON.
  func answer(_ method: String, _ json: String) {
    state.withLock {
      $0.failures[method, default: []].append(.success(TransportResponse(status: 200, body: Data(json.utf8))))
    }
  }

  /// Answers the next request for a method with status 503 and a number of seconds to wait.
  func busy(_ method: String, retryAfter seconds: Int) {
    let headers = HTTPHeaders([HTTPHeader(name: "Retry-After", value: "\(seconds)")])
    state.withLock {
      $0.failures[method, default: []].append(.success(TransportResponse(status: 503, headers: headers)))
    }
  }

  /// Performs the next request for a method, and loses the answer.
  func lose(_ method: String) { state.withLock { _ = $0.lost.insert(method) } }

  /// Runs an action each time before a method is answered.
  func beforeAnswering(_ method: String, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.actions[method] = action }
  }

  func fail(_ method: String, _ error: TransportError) {
    state.withLock { $0.failures[method, default: []].append(.failure(error)) }
  }

  /// Holds requests for a method until the gate opens.
  func gate(_ method: String) -> Gate {
    let gate = Gate()
    state.withLock { $0.gates[method] = gate }
    return gate
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let method = Self.method(of: request)
    let gate = state.withLock { state in
      state.requests.append(request)
      return state.gates[method]
    }
    try await gate?.pass()
    state.withLock { $0.actions[method] }?()
    let failure: Result<TransportResponse, TransportError>? = state.withLock { state in
      guard state.failures[method]?.isEmpty == false else { return nil }
      return state.failures[method]?.removeFirst()
    }
    if let failure { return try failure.get() }
    let body = request.json
    let answer = state.withLock { $0.answer(method, body) }
    if state.withLock({ $0.lost.remove(method) != nil }) {
      throw TransportError(.connectionLost, "The connection broke.")
    }
    return TransportResponse(status: 200, body: try JSONSerialization.data(withJSONObject: answer))
  }

  func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    throw TransportError(.invalidRequest, "Identity Toolkit has no streams.")
  }

  private static func method(of request: TransportRequest) -> String {
    String(request.url.lastPathComponent.split(separator: ":").last ?? "")
  }
}

extension ScriptedServer.State {
  mutating func answer(_ method: String, _ body: [String: String]) -> [String: Any] {
    let named = users.firstIndex { $0.uid == body["idToken"].map(Self.uid) }
    switch method {
    case "signUp":
      let user =
        named
        ?? {
          users.append(
            ScriptedServer.User(uid: "user-\(users.count + 1)", refreshToken: "refresh-\(users.count + 1)")
          )
          return users.count - 1
        }()
      users[user].email = body["email"]
      users[user].password = body["password"]
      return tokens(user)
    case "signInWithPassword":
      guard
        let user = users.firstIndex(where: { $0.email == body["email"] && $0.password == body["password"] })
      else { return ["error": ["message": "INVALID_PASSWORD"]] }
      return tokens(user)
    case "update":
      guard let user = named else { return ["error": ["message": "USER_NOT_FOUND"]] }
      users[user].displayName = body["displayName"]
      if let provider = body["deleteProvider"] { users[user].identities[provider] = nil }
      guard let password = body["password"] else { return ["localId": users[user].uid] }
      users[user].password = password
      users[user].refreshToken += "'"
      return tokens(user)
    case "lookup":
      return ["users": named.map { [record($0)] } ?? []]
    case "delete":
      return [:]
    case "token":
      guard let user = users.firstIndex(where: { $0.refreshToken == body["refreshToken"] }) else {
        return ["error": ["message": "INVALID_REFRESH_TOKEN"]]
      }
      return [
        "id_token": idToken(user), "refresh_token": users[user].refreshToken, "expires_in": "3600",
      ]
    default:
      return answerForeign(method, body, named: named)
    }
  }

  mutating func tokens(_ user: Int) -> [String: Any] {
    [
      "localId": users[user].uid, "idToken": idToken(user), "refreshToken": users[user].refreshToken,
      "expiresIn": "3600",
    ]
  }

  private func record(_ user: Int) -> [String: Any] {
    var record: [String: Any] = ["localId": users[user].uid, "createdAt": "1700000000000"]
    record["email"] = users[user].email
    record["displayName"] = users[user].displayName
    var providers = users[user].identities.map { ["providerId": $0.key, "rawId": $0.value] }
    if users[user].password != nil {
      providers.append(["providerId": "password", "rawId": users[user].email ?? ""])
    }
    if !providers.isEmpty { record["providerUserInfo"] = providers }
    return record
  }

  /// Returns an unsigned token, different each time.
  private mutating func idToken(_ user: Int) -> String {
    issued += 1
    let identity = users[user].identities.keys.sorted().first ?? "anonymous"
    let provider = users[user].password == nil ? identity : "password"
    let payload =
      #"{"sub":"\#(users[user].uid)","jti":"\#(issued)","iat":1700000000,"exp":1700003600,"auth_time":1699999999,"#
      + #""role":"editor","firebase":{"sign_in_provider":"\#(provider)"}}"#
    return [#"{"alg":"none","typ":"JWT"}"#, payload].map { Data($0.utf8).base64EncodedString() }
      .joined(separator: ".") + "."
  }

  private static func uid(of idToken: String) -> String? {
    let payload = Data(base64Encoded: String(idToken.split(separator: ".")[1]))
    let claims = payload.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    return claims?["sub"] as? String
  }
}

extension TransportRequest {
  /// The members of the body that are strings or lists of strings.
  var json: [String: String] {
    guard case .data(let content) = body else { return [:] }
    let object = try? JSONSerialization.jsonObject(with: content) as? [String: Any]
    return (object ?? [:]).compactMapValues { $0 as? String ?? ($0 as? [String])?.joined(separator: ",") }
  }
}

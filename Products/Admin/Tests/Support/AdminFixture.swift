import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonSignatures
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// An `Admin` of the project `demo`, a server that publishes keys, and tokens that are signed with them.
final class AdminFixture: Sendable {
  /// What the server answers.
  struct Server {
    var keys: [String: String] = ["a": SampleKeys.modulus]
    var cacheControl: String? = "public, max-age=3600, must-revalidate"
    var failure: TransportError?
    var status = 200
    /// The accounts of `accounts:lookup`.
    var users: JSON = []
    /// The answers of other methods, by the last component of their paths. The first is sent first.
    var answers: [String: [JSON]] = [:]
  }

  /// The server, which any task may read and change.
  final class SharedServer: Sendable {
    private let server = Lock(Server())

    func withLock<Value: Sendable>(_ body: (inout Server) -> Value) -> Value { server.withLock { body(&$0) } }
  }

  let time = TestTime(advancesItself: true)
  let server = SharedServer()
  let transport: FakeTransport
  let admin: Admin

  init(backend: AppBackend = .production, environment: [String: String] = [:]) throws {
    let server = server
    transport = FakeTransport { request in
      let method = request.url.lastPathComponent
      let answer = server.withLock { server -> (status: Int, JSON)? in
        guard server.failure == nil, var rest = server.answers[method], !rest.isEmpty else { return nil }
        defer { server.answers[method] = rest }
        return (server.status, rest.removeFirst())
      }
      if let (status, json) = answer { return TransportResponse(status: status, body: try json.serialized) }
      let server = server.withLock { $0 }
      if let failure = server.failure { throw failure }
      if request.url.lastPathComponent == "token" {
        let grant: JSON = ["access_token": "secret-access", "expires_in": 3600]
        return TransportResponse(status: server.status, body: try grant.serialized)
      }
      if request.url.lastPathComponent == "accounts:lookup" {
        return TransportResponse(
          status: server.status, body: try JSON.object(["users": server.users]).serialized)
      }
      let keys = server.keys.sorted { $0.key < $1.key }.map { id, modulus -> JSON in
        [
          "kid": .string(id), "kty": "RSA", "use": "sig", "alg": "RS256", "n": .string(modulus),
          "e": "AQAB",
        ]
      }
      let headers = HTTPHeaders(
        server.cacheControl.map { [HTTPHeader(name: "Cache-Control", value: $0)] } ?? [])
      return TransportResponse(
        status: server.status, headers: headers, body: try JSON.object(["keys": .array(keys)]).serialized)
    }
    let app = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", backend: backend), userAgent: "tenon-tests/1")
    admin = try Admin(app: app, transport: transport, environment: environment, time: time.source)
  }

  /// The URLs that were requested.
  var requests: [String] { transport.requests.map(\.url.absoluteString) }

  /// The bodies of the requests for a method, by the last component of its path.
  func bodies(_ method: String) throws -> [JSON] {
    try transport.requests.filter { $0.url.lastPathComponent == method }.map { request in
      guard case .data(let body) = request.body else { return .null }
      return try JSON(parsing: body)
    }
  }

  static let now: Int64 = 1_700_000_000

  /// The claims of an ID token.
  static var claims: [String: JSON] {
    [
      "iss": "https://securetoken.google.com/demo", "aud": "demo", "sub": "ada", "user_id": "ada",
      "iat": .int(now - 60), "exp": .int(now + 3_540), "auth_time": .int(now - 600),
      "email": "ada@example.com", "email_verified": true, "role": "editor",
      "firebase": ["sign_in_provider": "password", "identities": [:], "tenant": "tea"],
    ]
  }

  /// Returns a signed token.
  static func token(
    _ claims: [String: JSON?] = [:], header: [String: JSON?] = [:], key: String = SampleKeys.privateKey
  ) throws -> String {
    var payload = self.claims
    for (name, value) in claims { payload[name] = value }
    var parameters: [String: JSON] = ["alg": "RS256", "kid": "a", "typ": "JWT"]
    for (name, value) in header { parameters[name] = value }
    return try signed(JSON.object(parameters).serialized, JSON.object(payload).serialized, key: key)
  }

  /// Returns a token with any header and payload.
  static func signed(_ header: Data, _ payload: Data, key: String = SampleKeys.privateKey) throws -> String {
    let text = [header, payload].map { Base64URL.encode($0) }.joined(separator: ".")
    let key = try #require(try PrivateKey(pem: SampleKeys.pem(key), .rs256))
    return "\(text).\(Base64URL.encode(Data(try #require(key.signature(of: Array(text.utf8))))))"
  }

  /// A service account of the project.
  static var account: JSON {
    [
      "type": "service_account", "project_id": "demo", "private_key_id": "a",
      "private_key": .string(SampleKeys.pem(SampleKeys.privateKey)),
      "client_email": "admin@demo.iam.gserviceaccount.com",
      "token_uri": "https://oauth2.googleapis.com/token",
    ]
  }
}

import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// An `Admin` in production, and the services of Google that issue access tokens, in a script.
final class CredentialFixture: Sendable {
  /// Returns the answer to a request; `nil` for that of ``defaultAnswer(to:number:)``.
  typealias Script = @Sendable (TransportRequest, Int) async throws -> TransportResponse?

  let time = TestTime()
  let transport: FakeTransport
  let admin: Admin

  init(environment: [String: String] = [:], _ script: @escaping Script = { _, _ in nil }) throws {
    let counts = Lock<[String: Int]>([:])
    transport = FakeTransport { request in
      let number = counts.withLock { counts in
        counts[request.url.path, default: 0] += 1
        return counts[request.url.path, default: 0]
      }
      if let answer = try await script(request, number) { return answer }
      return try Self.defaultAnswer(to: request, number: number)
    }
    let app = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", backend: .production), userAgent: "tenon-tests/1")
    admin = try Admin(app: app, transport: transport, environment: environment, time: time.source)
  }

  /// Access tokens that are valid for an hour, numbered by request, and an account for each lookup.
  private static func defaultAnswer(to request: TransportRequest, number: Int) throws -> TransportResponse {
    switch request.url.host() {
    case "identitytoolkit.googleapis.com": return try json(["users": [["localId": "ada"]]])
    case "iamcredentials.googleapis.com" where request.url.lastPathComponent.hasSuffix(":signBlob"):
      return try json(["keyId": "k", "signedBlob": "c2lnbmVk"])
    case "iamcredentials.googleapis.com":
      return try json(["accessToken": "impersonated", "expireTime": "2023-11-14T23:13:20Z"])
    case "metadata.google.internal", "metadata.test":
      let isEmail = request.url.lastPathComponent == "email"
      return try metadata(
        isEmail
          ? Data("machine@demo.iam.gserviceaccount.com\n".utf8)
          : JSON.object(["access_token": .string("token-\(number)"), "expires_in": 3_600]).serialized)
    default: return try json(["access_token": .string("token-\(number)"), "expires_in": 3_600])
    }
  }

  static func json(_ value: JSON, status: Int = 200) throws -> TransportResponse {
    TransportResponse(status: status, body: try value.serialized)
  }

  static func metadata(_ body: Data, status: Int = 200) -> TransportResponse {
    let headers = HTTPHeaders([HTTPHeader(name: "Metadata-Flavor", value: "Google")])
    return TransportResponse(status: status, headers: headers, body: body)
  }

  /// Looks a user up, and returns the request.
  @discardableResult func lookup() async throws -> TransportRequest {
    _ = try await admin.getUser(withUID: "ada")
    return try #require(requests(to: "identitytoolkit.googleapis.com").last)
  }

  func requests(to host: String) -> [TransportRequest] {
    transport.requests.filter { $0.url.host() == host }
  }

  /// The form of the last request to a host.
  func form(_ host: String) throws -> [String: String] {
    guard case .data(let body)? = requests(to: host).last?.body else { return [:] }
    let query = try #require(URLComponents(string: "?\(String(decoding: body, as: UTF8.self))"))
    return (query.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value }
  }

  static let user: JSON = [
    "type": "authorized_user", "client_id": "id", "client_secret": "secret-client",
    "refresh_token": "secret-refresh/+",
  ]

  static let workload: JSON = [
    "type": "external_account", "audience": "//iam.googleapis.com/projects/1/providers/p",
    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
    "token_url": "https://sts.googleapis.com/v1/token",
    "credential_source": ["url": "https://provider.test/token", "headers": ["X-Key": "secret-header"]],
  ]

  static func credential(_ file: JSON, _ changes: [String: JSON] = [:]) throws -> AdminCredential {
    try AdminCredential(json: JSON.object((file.object ?? [:]).merging(changes) { $1 }).serialized)
  }
}

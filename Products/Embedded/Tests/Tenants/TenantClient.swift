import Foundation
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// A client and an administrator of a backend with tenants.
struct TenantClient {
  let backend: Backend

  init(_ backend: Backend = Backend()) {
    self.backend = backend
    backend.embedded.settings.fastPasswordHashing = true
  }

  static let everything: JSON = [
    "displayName": "Acme", "allowPasswordSignup": true, "enableEmailLinkSignin": true,
    "enableAnonymousUser": true, "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
  ]

  /// Sends a request that manages tenants, as an administrator.
  func manage(
    _ method: HTTPMethod, _ suffix: String = "", _ body: JSON? = nil, asAdministrator: Bool = true
  ) async throws -> (status: Int, json: JSON) {
    let url = "https://identitytoolkit.googleapis.com/v2/projects/demo/tenants\(suffix)"
    var headers = ["Content-Type": "application/json"]
    if asAdministrator { headers["Authorization"] = "Bearer owner" }
    let separator = suffix.contains("?") ? "&" : "?"
    let response = try await backend.send(
      method, "\(url)\(separator)key=a", body: try body?.serialized, headers: headers)
    return (response.status, try JSON(parsing: response.body))
  }

  /// Creates a tenant and returns its ID.
  func created(_ properties: JSON = everything) async throws -> String {
    let (status, json) = try await manage(.post, "", properties)
    #expect(status == 200)
    return try #require(json["tenantId"]?.string)
  }

  /// Calls a method as a client of a tenant.
  func call(_ method: String, _ tenant: String?, _ body: [String: JSON] = [:]) async throws -> JSON {
    var body = body
    body["tenantId"] = tenant.map(JSON.string)
    return try await backend.call("accounts:\(method)", .object(body)).json
  }

  /// Signs a user with a password up, and returns the response.
  func signedUp(_ tenant: String?, email: String = "ada@example.com", password: String = "lovelace")
    async throws -> JSON
  {
    let json = try await call(
      "signUp", tenant, ["email": .string(email), "password": .string(password)])
    #expect(json["idToken"] != nil, "\(json)")
    return json
  }

  /// Calls a method as an administrator of a tenant, by its path.
  func administrate(_ tenant: String, _ method: String, _ body: JSON) async throws -> (
    status: Int, json: JSON
  ) { try await backend.administrate("tenants/\(tenant)/\(method)", body) }
}

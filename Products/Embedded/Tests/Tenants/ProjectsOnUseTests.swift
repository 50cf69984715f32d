import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Projects and tenants that exist as soon as a request names them, as for the Auth emulator.
@Suite(.limited) struct ProjectsOnUseTests {
  private let client = TenantClient()
  private var backend: Backend { client.backend }
  private let owner = ["Authorization": "Bearer owner", "Content-Type": "application/json"]

  init() { backend.embedded.settings.createsProjectsAndTenants = true }

  /// Calls a method as an administrator of a project.
  private func administrate(
    _ project: String, _ method: HTTPMethod, _ path: String, _ body: JSON? = nil
  ) async throws -> (status: Int, json: JSON) {
    let host = "https://identitytoolkit.googleapis.com"
    let version = path.hasPrefix("tenants") || path.hasPrefix("config") ? "v2" : "v1"
    let response = try await backend.send(
      method, "\(host)/\(version)/projects/\(project)/\(path)", body: try body?.serialized, headers: owner)
    return (response.status, try JSON(parsing: response.body))
  }

  private static func isUnknown(_ json: JSON) -> Bool { json.errorMessage == "TENANT_NOT_FOUND" }

  @Test func aTenantExistsWithEverythingEnabledOnceItIsNamed() async throws {
    let user = try await client.signedUp("acme")
    #expect(try user.token("idToken").tenantID == "acme")
    #expect(try await client.call("signUp", "acme")["idToken"] != nil)
    #expect(
      try await client.manage(.get, "/other").json == [
        "name": "projects/demo/tenants/other", "tenantId": "other", "allowPasswordSignup": true,
        "enableEmailLinkSignin": true, "enableAnonymousUser": true, "disableAuth": false,
        "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
      ])
    let tenants = try await client.manage(.get).json["tenants"]?.array
    #expect(tenants?.compactMap { $0["tenantId"] } == ["acme", "other"])
  }

  /// An unsigned token can name any tenant, and the tokens of a deleted tenant's users remain in clients.
  @Test func aTokenDoesNotCreateItsTenant() async throws {
    let user = try await client.signedUp("acme")
    #expect(try await client.manage(.delete, "/acme").status == 200)
    let lookup = try await backend.call("accounts:lookup", ["idToken": try #require(user["idToken"])])
    #expect(lookup.json.errorMessage == "USER_NOT_FOUND")
    #expect(try await backend.refresh(user["refreshToken"]).json.errorMessage == "INVALID_REFRESH_TOKEN")
    #expect(try await client.manage(.get).json["tenants"] == [])
  }

  @Test(arguments: ["a/b", "ä", String(repeating: "a", count: 129)])
  func whatIsNoIDOfATenantCreatesNone(id: String) async throws {
    #expect(Self.isUnknown(try await client.call("signUp", id)))
    #expect(try await client.manage(.get).json["tenants"] == [])
  }

  @Test func withoutTheSettingNothingIsCreated() async throws {
    backend.embedded.settings.createsProjectsAndTenants = false
    #expect(Self.isUnknown(try await client.call("signUp", "acme")))
    #expect(try await client.manage(.get, "/acme").status == 404)
    let other = try await administrate("other", .get, "tenants")
    #expect(other.status == 404)
    #expect(other.json.errorMessage == "The backend serves the project demo, not other.")
    #expect(try await backend.send(.get, "http://localhost/emulator/v1/projects/other/config").status == 404)
  }

  @Test func theUsersTenantsAndSettingsOfAProjectAreApartFromThoseOfOthers() async throws {
    let ada: JSON = ["localId": "ada", "email": "ada@example.com", "password": "lovelace"]
    #expect(try await administrate("other", .post, "accounts", ada).status == 200)
    #expect(try await backend.administrate("accounts", ada).status == 200)
    let target: JSON = ["targetProjectId": "other", "localId": ["ada"]]
    let found = try await backend.call("accounts:lookup", target, headers: owner).json
    #expect(found["users"]?.array?.count == 1)
    #expect(try await administrate("other", .post, "accounts:delete", ["localId": "ada"]).status == 200)
    #expect(try await backend.call("accounts:lookup", target, headers: owner).json["users"] == nil)
    let own = try await backend.administrate("accounts:lookup", ["localId": ["ada"]]).json
    #expect(own["users"]?.array?.count == 1)
    // Tenants of the same ID.
    #expect(try await administrate("other", .get, "tenants/acme").status == 200)
    #expect(try await client.manage(.get).json["tenants"] == [])
    let body: JSON = ["localId": "bob"]
    let created = try await backend.post(
      "https://identitytoolkit.googleapis.com/v1/projects/other/tenants/acme/accounts", body: body.serialized,
      headers: owner)
    #expect(created.status == 200)
    #expect(
      try await client.administrate("acme", "accounts:lookup", ["localId": ["bob"]]).json["users"] == nil)
    // Settings.
    let privacy: JSON = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
    #expect(
      try await administrate("other", .patch, "config?updateMask=emailPrivacyConfig", privacy).status == 200)
    #expect(!backend.embedded.settings.emailPrivacy)
    let config = try await backend.send(.get, "http://localhost/emulator/v1/projects/other/config")
    #expect(try JSON(parsing: config.body)["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": true])
  }

  /// The tokens of another project are those of its accounts only.
  @Test func aTokenOfAnotherProjectIsRefused() async throws {
    let user = try await backend.call(
      "accounts:signUp", ["targetProjectId": "other", "localId": "ada"], headers: owner)
    #expect(user.status == 200)
    let custom: JSON = ["targetProjectId": "other", "token": #"{"uid":"ada"}"#]
    let session = try await backend.call("accounts:signInWithCustomToken", custom, headers: owner).json
    #expect(try session.token("idToken").claims["aud"] == "other")
    let lookup = try await backend.call("accounts:lookup", ["idToken": try #require(session["idToken"])])
    #expect(lookup.json.errorMessage == "INVALID_ID_TOKEN")
    #expect(try await backend.refresh(session["refreshToken"]).json.errorMessage == "INVALID_REFRESH_TOKEN")
  }

  @Test func onlyAdministratorsUseOtherProjects() async throws {
    let response = try await backend.post(
      "https://identitytoolkit.googleapis.com/v1/projects/other/accounts?key=a", body: Data("{}".utf8))
    #expect(response.status == 401)
    let target = try await backend.call("accounts:signUp", ["targetProjectId": "other"])
    #expect(target.json.errorMessage?.hasPrefix("INSUFFICIENT_PERMISSION") == true)
    let two = try await administrate("other", .post, "accounts", ["targetProjectId": "third"])
    #expect(two.status == 404)
  }

  @Test func theNumberAndTheNamesOfOtherProjectsAreLimited() async throws {
    #expect(
      try await administrate("a%20b", .get, "tenants").json.errorMessage?.hasPrefix("INVALID_PROJECT_ID")
        == true)
    let long = String(repeating: "a", count: 64)
    #expect(
      try await administrate(long, .get, "tenants").json.errorMessage?.hasPrefix("INVALID_PROJECT_ID") == true
    )
    for number in 0..<AccountProjects.most {
      #expect(try await administrate("p\(number)", .get, "tenants").status == 200)
    }
    #expect(try await administrate("one-more", .get, "tenants").status == 429)
    #expect(try await administrate("p0", .get, "tenants").status == 200)
  }

  @Test func theUsersOfAnotherProjectAreNoEventsOfThisOne() async throws {
    let created = Lock<[String]>([])
    try backend.embedded.onUserCreated("welcome") { event in created.withLock { $0.append(event.data.uid) } }
    #expect(try await administrate("other", .post, "accounts", ["localId": "ada"]).status == 200)
    #expect(try await administrate("other", .post, "accounts:delete", ["localId": "ada"]).status == 200)
    #expect(try await administrate("demo", .post, "accounts", ["localId": "bob"]).status == 200)
    try await backend.embedded.waitForPendingEvents()
    #expect(created.withLock { $0 } == ["bob"])
    await backend.embedded.close()
  }
}

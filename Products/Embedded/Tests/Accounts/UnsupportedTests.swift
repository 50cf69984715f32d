import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Requests for unsupported features are rejected with status 501 and the name of the feature. They are never
/// ignored.
@Suite(.limited) struct UnsupportedTests {
  private let backend = Backend()
  private let owner = ["Authorization": "Bearer owner"]

  @Test(arguments: [
    "v1/accounts:signInWithGameCenter",
    "v2/projects/demo/identityPlatform:initializeAuth",
  ])
  func unsupportedMethodsAreRejectedByName(path: String) async throws {
    let url = "https://identitytoolkit.googleapis.com/\(path)?key=any"
    let (status, json) = try await backend.post(url, body: Data("{}".utf8), headers: owner)
    #expect(status == 501)
    #expect(json["error"]?["status"] == "NOT_IMPLEMENTED")
    #expect(json.errorMessage?.hasPrefix("The embedded backend doesn't support ") == true)
  }

  @Test(arguments: [
    "publicKeys", "setProjectConfig", "signOutUser",
  ])
  func unsupportedMethodsAreRejectedByTheirOlderNames(name: String) async throws {
    let url = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)?key=any"
    #expect(try await backend.post(url, body: Data("{}".utf8)).status == 501)
  }

  @Test(
    arguments: [
      "phoneNumber": "+15550100", "mfa": ["enrollments": []],
      "emailVerified": false, "createdAt": "1600000000000", "lastLoginAt": 1_600_000_000_000,
    ] as [String: JSON]
  )
  func membersForAdministratorsAreRejectedForUsersByName(name: String, value: JSON) async throws {
    let (_, session) = try await backend.call("accounts:signUp")
    let body: JSON = .object(["idToken": try #require(session["idToken"]), "displayName": "Ada", name: value])
    let (status, json) = try await backend.call("accounts:update", body)
    #expect(status == 501)
    #expect(
      json.errorMessage
        == "The embedded backend doesn't support accounts:update with \(name) by users; administrators may set it."
    )
    let (_, found) = try await backend.call("accounts:lookup", ["idToken": try #require(session["idToken"])])
    #expect(found["users"]?.array?.first?["displayName"] == nil)
  }

  @Test(
    arguments: [
      ("signInWithPassword", "pendingIdToken", "x"), ("signInWithPassword", "captchaResponse", "x"),
      ("signInWithIdp", "pendingToken", "x"), ("signInWithIdp", "returnRefreshToken", true),
      ("createAuthUri", "providerId", "google.com"), ("resetPassword", "oldPassword", "lovelace"),
      ("update", "upgradeToFederatedLogin", true), ("update", "provider", ["google.com"]),
    ] as [(String, String, JSON)]
  )
  func unsupportedMembersAreRejectedByName(method: String, name: String, value: JSON) async throws {
    let (status, json) = try await backend.call("accounts:\(method)", .object([name: value]))
    #expect(status == 501)
    #expect(json.errorMessage == "The embedded backend doesn't support accounts:\(method) with \(name).")
  }

  @Test func unsupportedMembersMayBeEmpty() async throws {
    let body: JSON = [
      "email": "ada@example.com", "password": "lovelace", "phoneNumber": "", "mfaInfo": [],
      "captchaResponse": "",
    ]
    #expect(try await backend.call("accounts:signUp", body).status == 200)
  }

  @Test(arguments: ["RAW_USER_INFO", "FAX_NUMBER"])
  func unsupportedAttributesCanNotBeDeleted(attribute: String) async throws {
    let (_, session) = try await backend.call("accounts:signUp")
    let body: JSON = [
      "idToken": try #require(session["idToken"]), "deleteAttribute": [.string(attribute)],
    ]
    let (status, json) = try await backend.call("accounts:update", body)
    #expect(status == 501)
    #expect(
      json.errorMessage
        == "The embedded backend doesn't support accounts:update with deleteAttribute \(attribute).")
  }

  @Test(arguments: [["sortBy": "NAME"], ["sortBy": 2], ["order": "DESC"]] as [JSON])
  func unsupportedOrdersOfUsersAreRejected(body: JSON) async throws {
    let (status, json) = try await backend.administrate("accounts:query", body)
    #expect(status == 501)
    let prefix = "The embedded backend doesn't support accounts:query with "
    #expect(json.errorMessage?.hasPrefix(prefix) == true)
    let usual: JSON = ["sortBy": "USER_ID", "order": "ASC"]
    #expect(try await backend.administrate("accounts:query", usual).status == 200)
  }

  @Test(arguments: [
    ("providerId=saml.idp&SAMLResponse=PHNhbWw%2B", "responses of SAML that aren't JSON"),
    ("providerId=facebook.com&access_token=opaque", "access tokens that aren't JWTs"),
  ])
  func unsupportedAssertionsAreRejected(fields: String, what: String) async throws {
    let body: JSON = ["requestUri": "http://localhost", "postBody": .string(fields)]
    let (status, json) = try await backend.call("accounts:signInWithIdp", body)
    #expect(status == 501 && json.errorMessage == "The embedded backend doesn't support \(what).")
  }
}

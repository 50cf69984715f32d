import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// What passwords must be like, as administrators of Firebase projects decide it.
@Suite(.limited) struct PasswordPolicyTests {
  private let client = TenantClient()
  private var backend: Backend { client.backend }
  private static let missing = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: "

  private func configure(_ policy: JSON) async throws -> (status: Int, json: JSON) {
    let response = try await backend.send(
      .patch,
      "https://identitytoolkit.googleapis.com/v2/projects/demo/config?updateMask=passwordPolicyConfig",
      body: try JSON.object(["passwordPolicyConfig": policy]).serialized,
      headers: ["Authorization": "Bearer owner", "Content-Type": "application/json"])
    return (response.status, try JSON(parsing: response.body))
  }

  private static func enforcing(_ options: JSON, upgrade: Bool = false) -> JSON {
    [
      "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": .bool(upgrade),
      "passwordPolicyVersions": [["customStrengthOptions": options]],
    ]
  }

  private func policy(_ tenant: String? = nil) async throws -> JSON {
    let suffix = tenant.map { "&tenantId=\($0)" } ?? ""
    let response = try await backend.send(
      .get, "https://identitytoolkit.googleapis.com/v2/passwordPolicy?key=a\(suffix)")
    #expect(response.status == 200)
    return try JSON(parsing: response.body)
  }

  private func signUp(_ password: String, email: String = "ada@example.com") async throws -> JSON {
    try await backend.call("accounts:signUp", ["email": .string(email), "password": .string(password)]).json
  }

  @Test func withoutAPolicySixCharactersAreEnough() async throws {
    let options: JSON = [
      "minPasswordLength": 6, "maxPasswordLength": .int(Int64(PasswordHasher.longestPassword)),
      "containsLowercaseCharacter": false, "containsUppercaseCharacter": false,
      "containsNumericCharacter": false, "containsNonAlphanumericCharacter": false,
    ]
    let read = try await policy()
    #expect(read["customStrengthOptions"] == options && read["enforcementState"] == "OFF")
    #expect(read["schemaVersion"] == 1 && read["forceUpgradeOnSignin"] == false)
    #expect(read["allowedNonAlphanumericCharacters"]?.array?.contains("!") == true)
    #expect(try await signUp("abcdef")["idToken"] != nil)
  }

  @Test func aPolicyHoldsForSigningUpChangingAndResetting() async throws {
    let all: JSON = [
      "minPasswordLength": 8, "maxPasswordLength": 12, "containsLowercaseCharacter": true,
      "containsUppercaseCharacter": true, "containsNumericCharacter": true,
      "containsNonAlphanumericCharacter": true,
    ]
    let (status, config) = try await configure(Self.enforcing(all))
    #expect(status == 200)
    #expect(config["passwordPolicyConfig"]?["passwordPolicyEnforcementState"] == "ENFORCE")
    #expect(try await policy()["customStrengthOptions"] == all)
    #expect(
      try await signUp("!").errorMessage
        == Self.missing
        + "[Password must contain at least 8 characters, Password must contain a lower case character, "
        + "Password must contain an upper case character, Password must contain a numeric character]")
    #expect(
      try await signUp("Lovelace18151852").errorMessage
        == Self.missing
        + "[Password may contain at most 12 characters, Password must contain a non-alphanumeric character]")
    let user = try await signUp("Lovelace1!")
    let token = try #require(user["idToken"])
    let change = try await backend.call("accounts:update", ["idToken": token, "password": "lovelace1!"])
    #expect(change.json.errorMessage == Self.missing + "[Password must contain an upper case character]")
    _ = try await backend.call(
      "accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
    let code = try #require(try await backend.embedded.accountCodes().last).code
    let reset = try await backend.call(
      "accounts:resetPassword", ["oobCode": .string(code), "newPassword": "Lovelace!"])
    #expect(reset.json.errorMessage == Self.missing + "[Password must contain a numeric character]")
    #expect(
      try await backend.call(
        "accounts:resetPassword", ["oobCode": .string(code), "newPassword": "Lovelace2!"]
      ).status == 200)
    // Administrators aren't bound.
    let bob: JSON = ["localId": "bob", "email": "bob@example.com", "password": "abcdef"]
    #expect(try await backend.administrate("accounts", bob).status == 200)
  }

  @Test func aPasswordFromBeforeThePolicyMustBeChangedIfTheAdministratorSaysSo() async throws {
    #expect(try await signUp("abcdef")["idToken"] != nil)
    let credentials: JSON = ["email": "ada@example.com", "password": "abcdef"]
    _ = try await configure(Self.enforcing(["minPasswordLength": 8]))
    #expect(try await backend.call("accounts:signInWithPassword", credentials).status == 200)
    _ = try await configure(Self.enforcing(["minPasswordLength": 8], upgrade: true))
    #expect(
      try await backend.call("accounts:signInWithPassword", credentials).json.errorMessage
        == Self.missing + "[Password must contain at least 8 characters]")
    // The policy is checked after the password, so that a wrong password reveals nothing about it.
    let wrong: JSON = ["email": "ada@example.com", "password": "fedcba"]
    #expect(
      try await backend.call("accounts:signInWithPassword", wrong).json.errorMessage == "INVALID_PASSWORD")
    _ = try await configure(["passwordPolicyEnforcementState": "OFF"])
    #expect(try await backend.call("accounts:signInWithPassword", credentials).status == 200)
  }

  @Test func aTenantHasItsOwnPolicy() async throws {
    let policy = Self.enforcing(["minPasswordLength": 10])
    let id = try await client.created(
      .object((TenantClient.everything.object ?? [:]).merging(["passwordPolicyConfig": policy]) { $1 }))
    #expect(try await self.policy(id)["customStrengthOptions"]?["minPasswordLength"] == 10)
    #expect(try await self.policy()["customStrengthOptions"]?["minPasswordLength"] == 6)
    let ada: [String: JSON] = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await client.call("signUp", id, ada).errorMessage?.hasPrefix(Self.missing) == true)
    #expect(try await client.call("signUp", nil, ada)["idToken"] != nil)
    let off: JSON = ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "OFF"]]
    let mask = "?updateMask=passwordPolicyConfig.passwordPolicyEnforcementState"
    let changed = try await client.manage(.patch, "/\(id)\(mask)", off).json["passwordPolicyConfig"]
    #expect(changed?["passwordPolicyEnforcementState"] == "OFF")
    #expect(try await self.policy(id)["customStrengthOptions"]?["minPasswordLength"] == 10)
    #expect(try await client.call("signUp", id, ada)["idToken"] != nil)
  }

  @Test(
    arguments: [
      ["passwordPolicyEnforcementState": "MAYBE"], ["passwordPolicyVersions": [[:], [:]]],
      enforcing(["minPasswordLength": 5]), enforcing(["minPasswordLength": 31]),
      enforcing(["minPasswordLength": 10, "maxPasswordLength": 9]), enforcing(["maxPasswordLength": 4_097]),
    ] as [JSON])
  func aWrongPolicyChangesNothing(policy: JSON) async throws {
    let (status, json) = try await configure(policy)
    #expect(status == 400)
    #expect(json.errorMessage?.hasPrefix("INVALID_CONFIG : ") == true)
    #expect(try await self.policy()["enforcementState"] == "OFF")
    #expect(try await client.manage(.post, "", ["passwordPolicyConfig": policy]).status == 400)
  }
}

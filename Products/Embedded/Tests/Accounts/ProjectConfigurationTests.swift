import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The configuration of the project in version 2: `GET` and `PATCH` of `v2/projects/{project}/config`.
@Suite(.limited) struct ProjectConfigurationTests {
  private let backend = Backend()
  private let url = "https://identitytoolkit.googleapis.com/v2/projects/demo/config"
  private let owner = ["Authorization": "Bearer owner"]

  private func read() async throws -> JSON {
    let response = try await backend.send(.get, url, headers: owner)
    #expect(response.status == 200)
    return try JSON(parsing: response.body)
  }

  private func change(_ body: JSON, mask: String? = nil) async throws -> (status: Int, json: JSON) {
    let query = mask.map { "?updateMask=\($0)" } ?? ""
    let response = try await backend.send(.patch, url + query, body: body.serialized, headers: owner)
    return (response.status, try JSON(parsing: response.body))
  }

  @Test func theConfigurationHasAllSettings() async throws {
    #expect(
      try await read() == [
        "name": "projects/demo/config",
        "signIn": [
          "allowDuplicateEmails": false, "email": ["enabled": true, "passwordRequired": false],
          "anonymous": ["enabled": true],
        ],
        "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
        "mfa": [
          "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
          "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]],
        ], "blockingFunctions": [:],
        "passwordPolicyConfig": [
          "passwordPolicyEnforcementState": "OFF", "forceUpgradeOnSignin": false,
          "passwordPolicyVersions": [
            [
              "schemaVersion": 1,
              "customStrengthOptions": [
                "minPasswordLength": 6, "maxPasswordLength": 511, "containsLowercaseCharacter": false,
                "containsUppercaseCharacter": false, "containsNumericCharacter": false,
                "containsNonAlphanumericCharacter": false,
              ],
            ]
          ],
        ],
      ]
    )
    backend.embedded.settings.emailPrivacy = true
    backend.embedded.settings.anonymousSignIn = false
    let json = try await read()
    #expect(json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
    #expect(json["signIn"]?["anonymous"]?["enabled"] == false)
  }

  @Test func anUpdateMaskSelectsTheChanges() async throws {
    let body: JSON = [
      "signIn": ["allowDuplicateEmails": true, "email": ["passwordRequired": true]],
      "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
    ]
    let (status, json) = try await change(body, mask: "emailPrivacyConfig,signIn.email.passwordRequired")
    #expect(status == 200)
    #expect(json["signIn"]?["allowDuplicateEmails"] == false)
    let settings = backend.embedded.settings
    #expect(settings.emailPrivacy && !settings.duplicateEmails)
    #expect(!settings.emailLinkSignIn && settings.passwordSignIn)
    #expect(try await read() == json)
  }

  @Test func withoutAnUpdateMaskTheDefaultsAreRestored() async throws {
    let duplicates: JSON = ["signIn": ["allowDuplicateEmails": true]]
    #expect(try await change(duplicates).json["signIn"]?["allowDuplicateEmails"] == true)
    #expect(try await change([:]).json["signIn"]?["allowDuplicateEmails"] == false)
    #expect(backend.embedded.settings.passwordSignIn)
  }

  @Test func signInMethodsAreDisabled() async throws {
    let body: JSON = ["signIn": ["email": ["enabled": false], "anonymous": ["enabled": false]]]
    #expect(try await change(body, mask: "signIn").status == 200)
    let settings = backend.embedded.settings
    #expect(!settings.passwordSignIn && !settings.emailLinkSignIn && !settings.anonymousSignIn)
    #expect(try await backend.call("accounts:signUp").json.errorMessage == "ADMIN_ONLY_OPERATION")
  }

  @Test func unsupportedSettingsAreRejectedByName() async throws {
    let body: JSON = [
      "quota": ["signUpQuotaConfig": ["quota": "1"]],
      "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
    ]
    for mask in [nil, "quota,emailPrivacyConfig", "quota.signUpQuotaConfig,emailPrivacyConfig"] {
      let (status, json) = try await change(body, mask: mask)
      #expect(status == 501)
      #expect(
        json.errorMessage
          == "The embedded backend doesn't support the setting quota.signUpQuotaConfig.quota of projects.")
      #expect(!backend.embedded.settings.emailPrivacy)
    }
    #expect(try await change(body, mask: "emailPrivacyConfig").status == 200)
  }

  @Test(
    arguments: [
      (["signIn": true], "/signIn must be object"),
      (["signIn": ["allowDuplicateEmails": "true"]], "/signIn/allowDuplicateEmails must be boolean"),
      (["signIn": ["email": ["enabled": 1]]], "/signIn/email/enabled must be boolean"),
    ] as [(JSON, String)]
  )
  func aSettingOfTheWrongTypeIsNamedInTheError(body: JSON, problem: String) async throws {
    let (status, json) = try await change(body)
    #expect(status == 400 && json.errorMessage == "Invalid JSON payload received. \(problem)")
    let emulator = "http://127.0.0.1:9099/emulator/v1/projects/demo/config"
    let response = try await backend.send(.patch, emulator, body: body.serialized)
    #expect(response.status == 400)
    #expect(!backend.embedded.settings.duplicateEmails)
  }

  @Test func onlyAdministratorsCanUseTheConfiguration() async throws {
    #expect(try await backend.send(.get, "\(url)?key=any").status == 401)
    #expect(try await backend.send(.patch, "\(url)?key=any", body: Data("{}".utf8)).status == 401)
    let other = "https://identitytoolkit.googleapis.com/v2/projects/other/config"
    #expect(try await backend.send(.get, other, headers: owner).status == 404)
    #expect(try await backend.post(url, body: Data("{}".utf8), headers: owner).status == 404)
  }
}

import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Second factors that administrators set, list, export and import.
@Suite(.limited) struct AdministeredFactorTests {
  private let backend = Backend()

  private func factors(of id: JSON?) async throws -> [JSON] {
    let body: JSON = ["localId": [try #require(id)]]
    let found = try await backend.administrate("accounts:lookup", body).json["users"]?.array?.first
    return found?["mfaInfo"]?.array ?? []
  }

  @Test func aUserIsCreatedWithFactors() async throws {
    let created = try await backend.administrate(
      "accounts",
      [
        "mfaInfo": [
          ["phoneInfo": "+15550100", "displayName": "One", "mfaEnrollmentId": "chosen"],
          ["phoneInfo": "+15550199"], ["phoneInfo": "+15550100", "displayName": "Twice"],
        ]
      ])
    #expect(created.status == 200)
    let factors = try await factors(of: created.json["localId"])
    #expect(factors.map { $0["phoneInfo"] } == ["+15550100", "+15550199"])
    #expect(factors.first?["displayName"] == "One" && factors.last?["displayName"] == nil)
    #expect(factors.allSatisfy { $0["mfaEnrollmentId"]?.string?.count == 28 })
  }

  @Test func factorsAreReplacedAndCleared() async throws {
    let id: JSON = "ada"
    _ = try await backend.administrate("accounts", ["localId": id])
    let one: JSON = ["mfaEnrollmentId": "f1", "phoneInfo": "+15550100", "enrolledAt": "2026-01-02T03:04:05Z"]
    let set = try await backend.administrate(
      "accounts:update", ["localId": id, "mfa": ["enrollments": [one]]])
    #expect(set.status == 200)
    #expect(try await factors(of: id).first?["enrolledAt"] == "2026-01-02T03:04:05.000Z")
    _ = try await backend.administrate("accounts:update", ["localId": id, "displayName": "Ada"])
    #expect(try await factors(of: id).count == 1)
    for empty in [["enrollments": []], [:]] as [JSON] {
      _ = try await backend.administrate("accounts:update", ["localId": id, "mfa": ["enrollments": [one]]])
      _ = try await backend.administrate("accounts:update", ["localId": id, "mfa": empty])
      #expect(try await factors(of: id).isEmpty)
    }
  }

  @Test(
    arguments: [
      ([["phoneInfo": "555", "mfaEnrollmentId": "f"]], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
      ([["mfaEnrollmentId": "f"]], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
      ([["phoneInfo": "+15550100"]], "INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined."),
      (
        [
          ["phoneInfo": "+15550100", "mfaEnrollmentId": "f"],
          ["phoneInfo": "+15550199", "mfaEnrollmentId": "f"],
        ], "DUPLICATE_MFA_ENROLLMENT_ID"
      ),
      (
        [["phoneInfo": "+15550100", "mfaEnrollmentId": "f", "enrolledAt": "yesterday"]],
        "INVALID_MFA_ENROLLED_AT : enrolledAt must be a time of RFC 3339."
      ),
      (
        [["phoneInfo": "+15550100", "mfaEnrollmentId": "f", "enrolledAt": "1969-12-31T23:59:59Z"]],
        "INVALID_MFA_ENROLLED_AT : enrolledAt must be a time of RFC 3339."
      ),
      (
        [["totpInfo": [:], "mfaEnrollmentId": "f"]],
        "INVALID_MFA_TOTP_SECRET : An authenticator app is enrolled by its user, who shares its secret."
      ),
      (
        .array(
          (1...6).map { ["phoneInfo": .string("+1555010\($0)"), "mfaEnrollmentId": .string("f\($0)")] }),
        "SECOND_FACTOR_LIMIT_EXCEEDED"
      ),
    ] as [(JSON, String)]
  )
  func wrongFactorsAreRefused(enrollments: JSON, message: String) async throws {
    _ = try await backend.administrate("accounts", ["localId": "ada"])
    let answer = try await backend.administrate(
      "accounts:update", ["localId": "ada", "mfa": ["enrollments": enrollments]])
    #expect(answer.status == 400 && answer.json.errorMessage == message)
    #expect(try await factors(of: "ada").isEmpty)
  }

  @Test func aListOfFactorsIsAnArray() async throws {
    _ = try await backend.administrate("accounts", ["localId": "ada"])
    let answer = try await backend.administrate(
      "accounts:update", ["localId": "ada", "mfa": ["enrollments": "none"]])
    #expect(answer.json.errorMessage?.contains("/mfa/enrollments must be array") == true)
  }

  /// An administrator who writes back the list of a user doesn't lose the authenticator app.
  @Test func anAuthenticatorAppRemainsInAListThatNamesIt() async throws {
    let client = FactorClient(backend)
    let token = try await client.signedUp()
    let secret = try await client.enrolledApp(of: token)
    let listed = try await client.factors(of: token)
    let id = try #require(try await client.signIn()["localId"])
    let renamed = JSON.array(
      listed.map { .object(($0.object ?? [:]).merging(["displayName": "Renamed"]) { $1 }) })
    _ = try await backend.administrate("accounts:update", ["localId": id, "mfa": ["enrollments": renamed]])
    #expect(try await factors(of: id).first?["displayName"] == "Renamed")
    // Its last code isn't accepted again, and the next one is.
    let pending = try await client.signIn()
    #expect(try await client.finish(pending, try client.code(of: secret)).json.errorMessage == "INVALID_CODE")
    backend.clock.advance(bySeconds: 30)
    #expect(try await client.finish(pending, try client.code(of: secret)).status == 200)
  }

  @Test func aClientSignsUpWithPhoneNumbers() async throws {
    let client = FactorClient(backend)
    let factor: JSON = ["phoneInfo": "+15550100", "displayName": "Phone", "mfaEnrollmentId": "ignored"]
    let body: JSON = ["email": "ada@example.com", "password": "lovelace", "mfaInfo": [factor, factor]]
    let user = try await backend.call("accounts:signUp", body).json
    let found = try await client.factors(of: user["idToken"])
    #expect(found.count == 1)
    #expect(found.first?["phoneInfo"] == "+15550100" && found.first?["unobfuscatedPhoneInfo"] == "+15550100")
    #expect(found.first?["displayName"] == "Phone" && found.first?["mfaEnrollmentId"] != "ignored")
    let pending = try await client.signIn()
    #expect(pending["idToken"] == nil && pending["mfaPendingCredential"] != nil)
    let hidden = pending["mfaInfo"]?.array?.first
    #expect(hidden?["phoneInfo"] == "+****0100" && hidden?["unobfuscatedPhoneInfo"] == nil)
    let wrong: JSON = [
      "email": "bob@example.com", "password": "lovelace", "mfaInfo": [["phoneInfo": "5550100"]],
    ]
    #expect(
      try await backend.call("accounts:signUp", wrong).json.errorMessage
        == "INVALID_MFA_PHONE_NUMBER : Invalid format.")
  }

  @Test(
    arguments: [
      ["mfaInfo": [["phoneInfo": "+15550100"]]],
      [
        "email": "bob@example.com", "password": "lovelace",
        "mfaInfo": [["totpInfo": ["sharedSecretKey": "A"]]],
      ],
    ] as [JSON])
  func noOtherUserBeginsWithFactors(body: JSON) async throws {
    let signUp = try await backend.call("accounts:signUp", body)
    #expect(signUp.json.errorMessage == "UNEXPECTED_PARAMETER : Second factors")
  }

  @Test func usersCanNotSetTheirFactors() async throws {
    let client = FactorClient(backend)
    let token = try await client.signedUp()
    let signUp = try await backend.call(
      "accounts:signUp",
      [
        "idToken": token, "email": "ada@example.com", "password": "lovelace",
        "mfaInfo": [["phoneInfo": "+15550100"]],
      ])
    #expect(signUp.json.errorMessage == "UNEXPECTED_PARAMETER : Second factors")
    let update = try await backend.call("accounts:update", ["idToken": token, "mfa": ["enrollments": []]])
    #expect(update.status == 501)
    #expect(
      update.json.errorMessage
        == "The embedded backend doesn't support accounts:update with mfa by users; administrators may set it."
    )
  }

  @Test func anExportKeepsTheFactors() async throws {
    let client = FactorClient(backend)
    let token = try await client.signedUp()
    let secret = try await client.enrolledApp(of: token)
    _ = try await client.enrolledPhone("+15550100", of: token)
    let users = try await backend.embedded.users(after: nil, limit: 10)
    let other = FactorClient(Backend(clock: backend.clock))
    #expect(try await other.backend.embedded.add(users).isEmpty)
    backend.clock.advance(bySeconds: 30)
    let pending = try await other.signIn()
    #expect(pending["mfaInfo"]?.array?.count == 2)
    #expect(try await other.finish(pending, try other.code(of: secret)).status == 200)
    let page = try await backend.send(
      .get, "https://identitytoolkit.googleapis.com/v1/projects/demo/accounts:batchGet",
      headers: ["Authorization": "Bearer owner"])
    #expect(!String(decoding: page.body, as: UTF8.self).contains(secret))
  }
}

import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct SignInTests {
  private func backend(privacy: Bool = false) async throws -> Backend {
    let backend = Backend()
    backend.embedded.settings.emailPrivacy = privacy
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    return backend
  }

  @Test func theCorrectPasswordReturnsTokensAndUpdatesTheSignInTime() async throws {
    let backend = try await backend()
    backend.clock.advance(bySeconds: 10)
    let (status, json) = try await backend.call(
      "accounts:signInWithPassword",
      ["email": "ADA@example.com", "password": "lovelace"]
    )
    #expect(status == 200)
    #expect(json["registered"] == true)
    #expect(json["email"] == "ada@example.com")
    let (_, answer) = try await backend.call("accounts:lookup", ["idToken": try #require(json["idToken"])])
    #expect(answer["users"]?.array?.first?["lastLoginAt"] == "1700000010000")
  }

  @Test(
    arguments: [
      (["password": "lovelace"], "MISSING_EMAIL"), (["email": "ada@example.com"], "MISSING_PASSWORD"),
      (["email": "ada", "password": "lovelace"], "INVALID_EMAIL"),
      (["email": "bob@example.com", "password": "lovelace"], "EMAIL_NOT_FOUND"),
      (["email": "ada@example.com", "password": "babbage"], "INVALID_PASSWORD"),
    ] as [(JSON, String)]
  )
  func anInvalidSignInIsRejectedWithItsCode(body: JSON, message: String) async throws {
    let (status, json) = try await backend().call("accounts:signInWithPassword", body)
    #expect(status == 400)
    #expect(json.errorMessage == message)
  }

  @Test(
    arguments: [
      ["email": "bob@example.com", "password": "lovelace"],
      ["email": "ada@example.com", "password": "babbage"],
    ] as [JSON]
  )
  func emailPrivacyHidesWhetherTheAddressIsKnown(body: JSON) async throws {
    let (_, json) = try await backend(privacy: true).call("accounts:signInWithPassword", body)
    #expect(json.errorMessage == "INVALID_LOGIN_CREDENTIALS")
  }

  @Test(arguments: [true, false])
  func aDisabledUserCanNotSignInOrRefresh(privacy: Bool) async throws {
    let backend = try await backend(privacy: privacy)
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let (_, json) = try await backend.call("accounts:signInWithPassword", body)
    _ = try await backend.administrate(
      "accounts:update",
      ["localId": try #require(json["localId"]), "disableUser": true]
    )
    #expect(try await backend.call("accounts:signInWithPassword", body).json.errorMessage == "USER_DISABLED")
    #expect(
      try await backend.refresh(json["refreshToken"]).json.errorMessage == "USER_DISABLED"
    )
    let lookup = try await backend.call("accounts:lookup", ["idToken": try #require(json["idToken"])])
    #expect(lookup.json.errorMessage == "USER_DISABLED")
  }

  @Test func aRefreshReturnsANewTokenAndKeepsTheSignInTime() async throws {
    let backend = try await backend()
    let (_, session) = try await backend.call(
      "accounts:signInWithPassword",
      ["email": "ada@example.com", "password": "lovelace"]
    )
    backend.clock.advance(bySeconds: 100)
    let (status, json) = try await backend.refresh(session["refreshToken"])
    #expect(status == 200)
    #expect(json["token_type"] == "Bearer")
    #expect(json["expires_in"] == "3600")
    #expect(json["user_id"] == session["localId"])
    #expect(json["access_token"] == json["id_token"])
    let token = try json.token("id_token")
    #expect(token.issuedAt == 1_700_000_100)
    #expect(token.claims["auth_time"] == 1_700_000_000)
    #expect(token.provider == "password")
  }

  @Test func aRefreshCanBeAForm() async throws {
    let backend = try await backend()
    let (_, session) = try await backend.call("accounts:signUp")
    let form = "grant_type=refresh_token&refresh_token=\(try #require(session["refreshToken"]?.string))"
    let (status, json) = try await backend.post(
      "http://127.0.0.1:9099/securetoken.googleapis.com/v1/token?key=any",
      body: Data(form.utf8),
      headers: ["Content-Type": "application/x-www-form-urlencoded"]
    )
    #expect(status == 200)
    #expect(json["user_id"] == session["localId"])
  }

  @Test(
    arguments: [
      ([:], "MISSING_GRANT_TYPE"), (["grantType": "password"], "INVALID_GRANT_TYPE"),
      (["grantType": "refresh_token"], "MISSING_REFRESH_TOKEN"),
      (["grantType": "refresh_token", "refreshToken": "made up"], "INVALID_REFRESH_TOKEN"),
    ] as [(JSON, String)]
  )
  func anInvalidRefreshIsRejectedWithItsCode(body: JSON, message: String) async throws {
    let (status, json) = try await Backend().post(
      "https://securetoken.googleapis.com/v1/token?key=any",
      body: body.serialized
    )
    #expect(status == 400)
    #expect(json.errorMessage == message)
  }

  @Test func theRefreshTokenOfADeletedUserIsRejectedAsSuch() async throws {
    let backend = Backend()
    let (_, guest) = try await backend.call("accounts:signUp")
    let idToken = try #require(guest["idToken"])
    #expect(try await backend.call("accounts:delete", ["idToken": idToken]).status == 200)
    #expect(
      try await backend.call("accounts:lookup", ["idToken": idToken]).json.errorMessage == "USER_NOT_FOUND"
    )
    #expect(
      try await backend.refresh(guest["refreshToken"]).json.errorMessage == "USER_NOT_FOUND"
    )
  }
}

import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct CustomTokenTests {
  private let backend = Backend()

  private func signIn(_ token: String) async throws -> JSON {
    try await backend.call("accounts:signInWithCustomToken", ["token": .string(token)]).json
  }

  private func jwt(_ claims: [String: JSON]) throws -> String {
    let base: [String: JSON] = ["aud": .string(CustomToken.audience), "uid": "ada"]
    return try IDToken(claims: base.merging(claims) { $1 }).text
  }

  @Test func aCustomTokenCreatesTheUserWithItsClaims() async throws {
    let token = try backend.embedded.customToken(for: "ada", claims: ["role": "editor"])
    #expect(token.hasPrefix("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0."))
    let first = try await signIn(token)
    #expect(first["isNewUser"] == true && first["localId"] == nil)
    let claims = try first.token("idToken").claims
    #expect(claims["sub"] == "ada" && claims["role"] == "editor")
    #expect(try first.token("idToken").provider == "custom")
    let second = try await signIn(token)
    #expect(second["isNewUser"] == false)
    let (_, lookup) = try await backend.call("accounts:lookup", ["idToken": try #require(second["idToken"])])
    #expect(lookup["users"]?.array?.first?["customAuth"] == true)
  }

  @Test func aRefreshKeepsTheClaims() async throws {
    let session = try await signIn(#"{"uid":"ada","claims":{"role":"editor","n":1}}"#)
    backend.clock.advance(bySeconds: 100)
    let (_, refreshed) = try await backend.refresh(session["refreshToken"])
    let token = try refreshed.token("id_token")
    #expect(token.claims["role"] == "editor" && token.claims["n"] == 1 && token.provider == "custom")
  }

  @Test func claimsOfTheTokenTakePrecedenceOverThoseOfAnAdministrator() async throws {
    _ = try await signIn(#"{"uid":"ada"}"#)
    let given: JSON = ["localId": "ada", "customAttributes": #"{"role":"reader","team":"engine"}"#]
    _ = try await backend.administrate("accounts:update", given)
    let claims = try await signIn(#"{"uid":"ada","claims":{"role":"editor"}}"#).token("idToken").claims
    #expect(claims["role"] == "editor" && claims["team"] == "engine")
  }

  @Test(arguments: [
    ("", "MISSING_CUSTOM_TOKEN"), ("made up", "INVALID_CUSTOM_TOKEN : The token is neither a JWT nor JSON."),
    ("{", "INVALID_CUSTOM_TOKEN : The token begins like JSON but isn't valid JSON."),
    (#"{"claims":{}}"#, "MISSING_IDENTIFIER"), (#"{"uid":"ada","claims":[]}"#, "INVALID_CLAIMS"),
    (#"{"uid":"ada","claims":{"firebase":1}}"#, "FORBIDDEN_CLAIM : firebase"),
    (#"{"uid":"ada","claims":{"auth_time":1}}"#, "FORBIDDEN_CLAIM : auth_time"),
  ])
  func anInvalidTokenIsRejectedWithItsCode(token: String, message: String) async throws {
    #expect(try await signIn(token).errorMessage == message)
  }

  @Test func aTokenForAnotherAudienceIsRejected() async throws {
    let json = try await signIn(try jwt(["aud": "https://example.com"]))
    #expect(json.errorMessage == "INVALID_CUSTOM_TOKEN : The token has another audience (aud).")
    #expect(try await signIn(try jwt([:]))["isNewUser"] == true)
  }

  @Test func aDisabledUserCanNotSignIn() async throws {
    _ = try await signIn(#"{"uid":"ada"}"#)
    _ = try await backend.administrate("accounts:update", ["localId": "ada", "disableUser": true])
    #expect(try await signIn(#"{"uid":"ada"}"#).errorMessage == "USER_DISABLED")
  }

  @Test func invalidCustomTokensAreNotCreated() {
    #expect(throws: CustomTokenError.self) { try backend.embedded.customToken(for: "") }
    #expect(throws: CustomTokenError.self) {
      try backend.embedded.customToken(for: String(repeating: "x", count: 129))
    }
    #expect(throws: CustomTokenError.self) {
      try backend.embedded.customToken(for: "ada", claims: ["sub": "x"])
    }
    #expect(throws: CustomTokenError.self) { try backend.embedded.customToken(for: "ada", claims: [1]) }
  }
}

import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// The response of `accounts:signInWithIdp` and its effect on the account, as with Google's servers.
@Suite(.limited) struct ProviderResponseTests {
  private let backend = Backend()

  private func signIn(
    _ claims: JSON, provider: String = "google.com", _ members: [String: JSON] = [:]
  ) async throws -> JSON {
    let token = String(decoding: try claims.serialized, as: UTF8.self)
    let text = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let body: [String: JSON] = [
      "requestUri": "http://localhost", "postBody": .string("providerId=\(provider)&id_token=\(text)"),
    ]
    return try await backend.call("accounts:signInWithIdp", .object(body.merging(members) { $1 })).json
  }

  private func user(_ session: JSON) async throws -> JSON {
    let (_, json) = try await backend.call("accounts:lookup", ["idToken": try #require(session["idToken"])])
    return try #require(json["users"]?.array?.first)
  }

  private func rawUserInfo(_ answer: JSON) throws -> JSON {
    try JSON(parsing: Data(try #require(answer["rawUserInfo"]?.string).utf8))
  }

  @Test func theFederatedIDIsTheIDAtTheProvider() async throws {
    let google = try await signIn(["sub": "g1"])
    #expect(google["federatedId"] == "https://accounts.google.com/g1" && google["rawId"] == nil)
    let own = try await user(google)["providerUserInfo"]?.array?.first
    #expect(own?["rawId"] == "g1" && own?["federatedId"] == "g1")
    let oidc = try await signIn(["sub": "o1"], provider: "oidc.example")
    #expect(oidc["federatedId"] == "o1" && oidc["rawId"] == nil)
  }

  @Test func googlesUserInfoHasTheFormOfItsAPI() async throws {
    let scopes = "openid https://www.googleapis.com/auth/userinfo.profile"
    let bare = try await signIn(["sub": "g1"])
    #expect(
      try rawUserInfo(bare)
        == ["id": "g1", "verified_email": false, "granted_scopes": .string(scopes), "locale": "en"]
    )
    let full = try await signIn([
      "sub": "g2", "email": "Ada@example.com", "email_verified": true, "name": "Ada Lovelace",
      "given_name": "Ada", "family_name": "Lovelace", "picture": "http://ada", "role": "editor",
    ])
    #expect(
      try rawUserInfo(full) == [
        "id": "g2", "verified_email": true, "email": "ada@example.com", "name": "Ada Lovelace",
        "given_name": "Ada", "family_name": "Lovelace", "picture": "http://ada", "locale": "en",
        "granted_scopes": .string("\(scopes) https://www.googleapis.com/auth/userinfo.email"),
      ]
    )
    #expect(full["firstName"] == "Ada" && full["lastName"] == "Lovelace")
  }

  @Test func theUserInfoOfOtherProvidersIsTheirClaims() async throws {
    let claims: JSON = ["sub": "o1", "email": "ada@example.com", "role": "editor"]
    #expect(try rawUserInfo(try await signIn(claims, provider: "oidc.example")) == claims)
  }

  @Test func theScreenNameIsStored() async throws {
    let answer = try await signIn(["sub": "t1", "screen_name": "ada"], provider: "twitter.com")
    #expect(answer["screenName"] == "ada")
    let user = try await user(answer)
    #expect(user["screenName"] == "ada")
    #expect(user["providerUserInfo"]?.array?.first?["screenName"] == "ada")
  }

  @Test func theProviderReplacesTheProfileOfAKnownAddress() async throws {
    let signUp: JSON = ["email": "ada@example.com", "password": "lovelace", "displayName": "Impostor"]
    let (_, ada) = try await backend.call("accounts:signUp", signUp)
    let change: JSON = ["idToken": try #require(ada["idToken"]), "photoUrl": "http://impostor"]
    _ = try await backend.call("accounts:update", change)
    let answer = try await signIn(["sub": "g1", "email": "ada@example.com", "email_verified": true])
    #expect(answer["localId"] == ada["localId"])
    let user = try await user(answer)
    #expect(user["displayName"] == nil && user["photoUrl"] == nil)
  }

  @Test func theResponseReportsTheAccountsVerification() async throws {
    _ = try await signIn(["sub": "g1", "email": "ada@example.com", "email_verified": true])
    let again = try await signIn(["sub": "g1", "email": "ada@example.com"])
    #expect(again["emailVerified"] == true)
  }
}

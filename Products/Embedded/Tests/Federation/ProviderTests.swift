import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ProviderTests {
  private let backend = Backend()
  private let verified =
    #"{"sub":"g1","email":"Ada@example.com","email_verified":true,"name":"Ada","picture":"http://ada"}"#
  private let unverified = #"{"sub":"g1","email":"ada@example.com"}"#

  private func signIn(
    _ idToken: String,
    provider: String = "google.com",
    _ members: [String: JSON] = [:]
  ) async throws -> JSON {
    let text = idToken.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let body: [String: JSON] = [
      "requestUri": "http://localhost", "postBody": .string("providerId=\(provider)&id_token=\(text)"),
    ]
    return try await backend.call("accounts:signInWithIdp", .object(body.merging(members) { $1 })).json
  }

  private func user(_ session: JSON) async throws -> JSON {
    let (_, json) = try await backend.call("accounts:lookup", ["idToken": try #require(session["idToken"])])
    return try #require(json["users"]?.array?.first)
  }

  private func ada(verified: Bool = false) async throws -> JSON {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let json = try await backend.call("accounts:signUp", body).json
    if verified {
      let change: JSON = ["localId": try #require(json["localId"]), "emailVerified": true]
      _ = try await backend.administrate("accounts:update", change)
    }
    backend.clock.advance(bySeconds: 1)
    return json
  }

  @Test func aNewIdentityCreatesAUserWithItsProfile() async throws {
    let json = try await signIn(verified)
    #expect(json["isNewUser"] == true && json["providerId"] == "google.com")
    #expect(json["federatedId"] == "https://accounts.google.com/g1" && json["email"] == "ada@example.com")
    #expect(json["rawUserInfo"]?.string?.contains(#""name":"Ada""#) == true)
    let token = try json.token("idToken")
    #expect(token.provider == "google.com")
    #expect(token.claims["firebase"]?["identities"]?["google.com"] == ["g1"])
    let user = try await user(json)
    #expect(user["emailVerified"] == true && user["displayName"] == "Ada" && user["photoUrl"] == "http://ada")
    #expect(user["providerUserInfo"]?.array?.first?["rawId"] == "g1")
  }

  @Test func theSameIdentitySignsTheSameUserIn() async throws {
    let first = try await signIn(verified)
    let jwt = try IDToken(claims: ["sub": "g1", "email": "other@example.com"]).text
    let second = try await signIn(jwt)
    #expect(second["localId"] == first["localId"] && second["isNewUser"] == false)
    let other = try await signIn(#"{"sub":"g1"}"#, provider: "apple.com")
    #expect(other["localId"] != first["localId"])
  }

  @Test func theFieldsCanBeInTheURL() async throws {
    let url = #"http://localhost/?providerId=google.com#id_token=%7B%22sub%22:%22g1%22%7D"#
    let (_, json) = try await backend.call("accounts:signInWithIdp", ["requestUri": .string(url)])
    #expect(json["isNewUser"] == true && json["federatedId"] == "https://accounts.google.com/g1")
  }

  @Test func aVerifiedAddressSignsInItsUserAndRemovesUnverifiedPasswords() async throws {
    let ada = try await ada()
    let json = try await signIn(verified)
    #expect(json["localId"] == ada["localId"] && json["isNewUser"] == false)
    let user = try await user(json)
    #expect(user["passwordHash"] == nil && user["emailVerified"] == true && user["displayName"] == "Ada")
    #expect(try await backend.refresh(ada["refreshToken"]).json.errorMessage == "TOKEN_EXPIRED")
  }

  @Test func aVerifiedUserKeepsThePassword() async throws {
    let ada = try await ada(verified: true)
    let json = try await signIn(verified)
    #expect(json["localId"] == ada["localId"])
    #expect(try await user(json)["passwordHash"] != nil)
    #expect(try await backend.refresh(ada["refreshToken"]).status == 200)
  }

  @Test func anUnverifiedAddressOfAnotherUserNeedsConfirmation() async throws {
    let ada = try await ada()
    let json = try await signIn(unverified)
    #expect(json["needConfirmation"] == true && json["localId"] == ada["localId"])
    #expect(json["verifiedProvider"] == ["password"] && json["idToken"] == nil)
    #expect(try await backend.refresh(ada["refreshToken"]).status == 200)
  }

  @Test func anIdentityIsLinkedAndItsAddressCopiedIfTheUserHasNone() async throws {
    let (_, guest) = try await backend.call("accounts:signUp")
    let linked = try await signIn(
      unverified, provider: "google.com", ["idToken": try #require(guest["idToken"])])
    #expect(linked["localId"] == guest["localId"] && linked["isNewUser"] == nil)
    #expect(try await user(linked)["email"] == "ada@example.com")
    let token: [String: JSON] = ["idToken": try #require(linked["idToken"])]
    _ = try await signIn(#"{"sub":"a1","email":"other@example.com"}"#, provider: "apple.com", token)
    #expect(try await user(linked)["email"] == "ada@example.com")
  }

  @Test(arguments: [true, false])
  func anIdentityBelongsToOneUserOnly(returnsCredential: Bool) async throws {
    _ = try await signIn(verified)
    let (_, guest) = try await backend.call("accounts:signUp")
    let members: [String: JSON] = [
      "idToken": try #require(guest["idToken"]), "returnIdpCredential": .bool(returnsCredential),
    ]
    let json = try await signIn(verified, provider: "google.com", members)
    let message = returnsCredential ? json["errorMessage"]?.string : json.errorMessage
    #expect(message == "FEDERATED_USER_ID_ALREADY_LINKED")
    #expect(json["idToken"] == nil)
    if returnsCredential { #expect(json["email"] == "ada@example.com" && json["oauthIdToken"] != nil) }
  }

  @Test func theAddressOfAnotherUserIsNotLinked() async throws {
    _ = try await ada()
    let (_, guest) = try await backend.call("accounts:signUp")
    let json = try await signIn(verified, provider: "google.com", ["idToken": try #require(guest["idToken"])])
    #expect(json.errorMessage == "EMAIL_EXISTS")
    backend.embedded.settings.duplicateEmails = true
    let linked = try await signIn(
      verified, provider: "google.com", ["idToken": try #require(guest["idToken"])])
    #expect(try await user(linked)["email"] == nil)
  }

  @Test func withDuplicateEmailsOnlyTheIdentityMatters() async throws {
    let ada = try await ada()
    backend.embedded.settings.duplicateEmails = true
    let json = try await signIn(verified)
    #expect(json["isNewUser"] == true && json["localId"] != ada["localId"])
    #expect(try await user(json)["email"] == nil)
    let body: JSON = ["identifier": "ada@example.com", "continueUri": "http://localhost"]
    let (_, methods) = try await backend.call("accounts:createAuthUri", body)
    #expect(methods["signinMethods"] == ["password"])
  }

  @Test func anUnlinkedOrDeletedIdentityIsAvailableAgain() async throws {
    let first = try await signIn(verified)
    let change: JSON = ["idToken": try #require(first["idToken"]), "deleteProvider": ["google.com"]]
    let (_, unlinked) = try await backend.call("accounts:update", change)
    #expect(unlinked["providerUserInfo"] == [])
    let second = try await signIn(#"{"sub":"g1"}"#)
    #expect(second["isNewUser"] == true)
    _ = try await backend.call("accounts:delete", ["idToken": try #require(second["idToken"])])
    #expect(try await signIn(#"{"sub":"g1"}"#)["isNewUser"] == true)
  }

  @Test func theSignInMethodsOfAnAddressIncludeProviders() async throws {
    _ = try await signIn(verified)
    _ = try await signIn(#"{"sub":"a1","email":"hidden@example.com"}"#, provider: "apple.com")
    for (email, provider) in [("ADA@example.com", "google.com"), ("hidden@example.com", "apple.com")] {
      let body: JSON = ["identifier": .string(email), "continueUri": "http://localhost"]
      let (_, json) = try await backend.call("accounts:createAuthUri", body)
      #expect(json["allProviders"] == [.string(provider)] && json["signinMethods"] == [.string(provider)])
    }
  }

  @Test func withoutAutoCreateNoUserIsCreated() async throws {
    let json = try await signIn(verified, provider: "google.com", ["autoCreate": false])
    #expect(json.errorMessage == "USER_NOT_FOUND")
  }

  @Test func aDisabledUserCanNotSignIn() async throws {
    let id = try #require(try await signIn(verified)["localId"])
    _ = try await backend.administrate("accounts:update", ["localId": id, "disableUser": true])
    #expect(try await signIn(verified).errorMessage == "USER_DISABLED")
  }

  @Test(
    arguments: [
      (["requestUri": ""], "MISSING_REQUEST_URI"), (["requestUri": "here"], "INVALID_REQUEST_URI"),
      (
        ["postBody": "id_token=%7B%7D"],
        "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: the provider (providerId) is missing."
      ),
      (
        ["postBody": "providerId=google.com&id_token=secret"],
        "INVALID_IDP_RESPONSE : The id_token is neither a JWT nor JSON."
      ),
      (
        ["postBody": "providerId=google.com&id_token=%7B%7D"],
        "INVALID_IDP_RESPONSE : The ID token has no subject (sub)."
      ),
      (
        ["postBody": "providerId=google.com&id_token=%7B%22sub%22:1%7D"],
        "INVALID_IDP_RESPONSE : The ID token's sub is not a string."
      ),
    ] as [([String: JSON], String)]
  )
  func anInvalidAssertionIsRejectedWithItsCode(members: [String: JSON], message: String) async throws {
    let json = try await signIn(verified, provider: "google.com", members)
    #expect(json.errorMessage == message)
  }

  @Test func aSignedTokenIsAccepted() async throws {
    let payload = Base64URL.encode(Data(#"{"sub":"g9","email":"eve@example.com"}"#.utf8))
    let header = Base64URL.encode(Data(#"{"alg":"RS256","kid":"k","typ":"JWT"}"#.utf8))
    let json = try await signIn("\(header).\(payload).c2lnbmF0dXJl")
    #expect(json["isNewUser"] == true && json["email"] == "eve@example.com")
    #expect(json["federatedId"] == "https://accounts.google.com/g9")
  }

  @Test func anIdentityCanBeLinkedOnce() async throws {
    let ada = try await ada(verified: true)
    let token: [String: JSON] = ["idToken": try #require(ada["idToken"])]
    // The provider's address is already the user's own.
    let linked = try await signIn(verified, provider: "google.com", token)
    #expect(linked["localId"] == ada["localId"])
    #expect(try await user(linked)["email"] == "ada@example.com")
    let again = try await signIn(verified, provider: "google.com", token)
    #expect(again.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
  }
}

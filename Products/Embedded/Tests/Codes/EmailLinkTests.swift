import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct EmailLinkTests {
  private let backend = Backend()

  private func code(for email: JSON = "ada@example.com") async throws -> JSON {
    _ = try await backend.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": email])
    return .string(try #require(await backend.embedded.accountCodes().last).code)
  }

  private func signIn(_ members: [String: JSON]) async throws -> JSON {
    let body: [String: JSON] = ["email": "ada@example.com", "oobCode": try await code()]
    return try await backend.call("accounts:signInWithEmailLink", .object(body.merging(members) { $1 })).json
  }

  @Test func theCodeForANewAddressCreatesAVerifiedUser() async throws {
    let json = try await signIn([:])
    #expect(json["isNewUser"] == true && json["email"] == "ada@example.com")
    let token = try json.token("idToken")
    #expect(token.provider == "password" && token.claims["email_verified"] == true)
    let (_, lookup) = try await backend.call("accounts:lookup", ["idToken": try #require(json["idToken"])])
    let user = lookup["users"]?.array?.first
    #expect(user?["emailLinkSignin"] == true && user?["passwordHash"] == nil)
    #expect(user?["providerUserInfo"]?.array?.first?["providerId"] == "password")
    let again = try await signIn([:])
    #expect(again["isNewUser"] == false && again["localId"] == json["localId"])
  }

  /// Whoever set the password hadn't proved to have the address.
  @Test func aPasswordSetBeforeTheAddressWasVerifiedIsRemoved() async throws {
    let password: JSON = ["email": "ada@example.com", "password": "attacker"]
    let (_, mallory) = try await backend.call("accounts:signUp", password)
    let google: JSON = [
      "postBody": #"providerId=google.com&id_token={"sub":"m"}"#, "requestUri": "http://localhost",
      "idToken": try #require(mallory["idToken"]),
    ]
    #expect(try await backend.call("accounts:signInWithIdp", google).status == 200)
    let json = try await signIn([:])
    #expect(json["localId"] == mallory["localId"] && json["isNewUser"] == false)
    let (_, refused) = try await backend.call("accounts:signInWithPassword", password)
    #expect(refused.errorMessage == "INVALID_PASSWORD")
    let (_, lookup) = try await backend.call("accounts:lookup", ["idToken": try #require(json["idToken"])])
    let user = lookup["users"]?.array?.first
    #expect(user?["passwordHash"] == nil && user?["emailVerified"] == true)
    #expect(user?["providerUserInfo"]?.array?.compactMap { $0["providerId"] } == ["password"])
    #expect(try await backend.refresh(mallory["refreshToken"]).json.errorMessage == "TOKEN_EXPIRED")
    #expect(try await backend.refresh(json["refreshToken"]).status == 200)
  }

  @Test func aUserWithAVerifiedAddressKeepsThePassword() async throws {
    let password: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let (_, ada) = try await backend.call("accounts:signUp", password)
    let change: JSON = ["localId": try #require(ada["localId"]), "emailVerified": true]
    #expect(try await backend.administrate("accounts:update", change).status == 200)
    let json = try await signIn([:])
    #expect(json["localId"] == ada["localId"] && json["isNewUser"] == false)
    #expect(try await backend.call("accounts:signInWithPassword", password).status == 200)
  }

  @Test func theCodeIsConsumedOnlyBySuccess() async throws {
    let code = try await code()
    let wrong: JSON = ["email": "bob@example.com", "oobCode": code]
    #expect(
      try await backend.call("accounts:signInWithEmailLink", wrong).json.errorMessage
        == "INVALID_EMAIL : The email provided does not match the sign-in email address."
    )
    let right: JSON = ["email": "ADA@example.com", "oobCode": code]
    #expect(try await backend.call("accounts:signInWithEmailLink", right).status == 200)
    let (_, again) = try await backend.call("accounts:signInWithEmailLink", right)
    #expect(again.errorMessage == "INVALID_OOB_CODE")
  }

  @Test(
    arguments: [
      (["email": ""], "MISSING_EMAIL"), (["oobCode": ""], "MISSING_OOB_CODE"),
      (["oobCode": "made up"], "INVALID_OOB_CODE"), (["email": "ada"], "INVALID_EMAIL"),
      (["idToken": "made up"], "INVALID_ID_TOKEN"),
    ] as [([String: JSON], String)]
  )
  func anInvalidSignInIsRejectedWithItsCode(members: [String: JSON], message: String) async throws {
    #expect(try await signIn(members).errorMessage == message)
  }

  @Test func anAnonymousUserGetsTheAddressAndKeepsTheID() async throws {
    let (_, guest) = try await backend.call("accounts:signUp")
    let json = try await signIn(["idToken": try #require(guest["idToken"])])
    #expect(json["localId"] == guest["localId"] && json["isNewUser"] == false)
    #expect(try json.token("idToken").claims["email"] == "ada@example.com")
  }

  @Test func theAddressOfAnotherUserIsNotTaken() async throws {
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    let (_, guest) = try await backend.call("accounts:signUp")
    #expect(try await signIn(["idToken": try #require(guest["idToken"])]).errorMessage == "EMAIL_EXISTS")
  }

  @Test func aDisabledUserCanNotSignIn() async throws {
    let first = try await signIn([:])
    let id = try #require(first["localId"])
    _ = try await backend.administrate("accounts:update", ["localId": id, "disableUser": true])
    #expect(try await signIn([:]).errorMessage == "USER_DISABLED")
  }

  @Test func emailLinksCanBeDisabled() async throws {
    let code = try await code()
    backend.embedded.settings.emailLinkSignIn = false
    let body: JSON = ["email": "ada@example.com", "oobCode": code]
    #expect(
      try await backend.call("accounts:signInWithEmailLink", body).json.errorMessage
        == "OPERATION_NOT_ALLOWED"
    )
    let send: JSON = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
    #expect(try await backend.call("accounts:sendOobCode", send).json.errorMessage == "OPERATION_NOT_ALLOWED")
  }

  @Test func aProvidersUserGetsTheAddress() async throws {
    let google: JSON = [
      "requestUri": "http://localhost", "postBody": "providerId=google.com&id_token=%7B%22sub%22:%22g%22%7D",
    ]
    let (_, user) = try await backend.call("accounts:signInWithIdp", google)
    let json = try await signIn(["idToken": try #require(user["idToken"])])
    #expect(json["localId"] == user["localId"] && json["isNewUser"] == false)
    let (_, lookup) = try await backend.call("accounts:lookup", ["idToken": try #require(json["idToken"])])
    let providers = lookup["users"]?.array?.first?["providerUserInfo"]?.array ?? []
    #expect(providers.compactMap { $0["providerId"]?.string } == ["password", "google.com"])
  }
}

import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct MethodsTests {
  private let backend = Backend()

  private func methods(_ members: [String: JSON] = [:]) async throws -> JSON {
    let body: [String: JSON] = ["identifier": "ada@example.com", "continueUri": "http://www.google.com/"]
    return try await backend.call("accounts:createAuthUri", .object(body.merging(members) { $1 })).json
  }

  @Test func anUnknownAddressIsNotRegistered() async throws {
    let json = try await methods(["sessionId": "mine"])
    #expect(json["registered"] == false && json["sessionId"] == "mine")
    #expect(json["allProviders"] == [] && json["signinMethods"] == [])
  }

  @Test func theSignInMethodsOfAUserAreReturned() async throws {
    let (_, ada) = try await backend.call(
      "accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    // Signing in with a link removes a password that was set before the address was verified.
    _ = try await backend.administrate(
      "accounts:update", ["localId": try #require(ada["localId"]), "emailVerified": true])
    let json = try await methods(["identifier": "ADA@example.com"])
    #expect(json["registered"] == true)
    #expect(json["allProviders"] == ["password"] && json["signinMethods"] == ["password"])
    _ = try await backend.call(
      "accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"])
    let code = try #require(await backend.embedded.accountCodes().last).code
    let link: JSON = ["email": "ada@example.com", "oobCode": .string(code)]
    _ = try await backend.call("accounts:signInWithEmailLink", link)
    #expect(try await methods()["signinMethods"] == ["password", "emailLink"])
    #expect(try await methods()["allProviders"] == ["password"])
  }

  /// Creates a user with the address `ada@example.com` who signs in with links, and who has another address
  /// at Google.
  private func linkedByLink() async throws {
    let google: JSON = [
      "requestUri": "http://localhost",
      "postBody":
        "providerId=google.com&id_token=%7B%22sub%22:%22g%22,%22email%22:%22google@example.com%22%7D",
    ]
    let (_, session) = try await backend.call("accounts:signInWithIdp", google)
    _ = try await backend.call(
      "accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"])
    let code = try #require(await backend.embedded.accountCodes().last).code
    let link: JSON = [
      "email": "ada@example.com", "oobCode": .string(code), "idToken": try #require(session["idToken"]),
    ]
    #expect(try await backend.call("accounts:signInWithEmailLink", link).status == 200)
  }

  @Test(arguments: ["ada@example.com", "google@example.com"] as [JSON])
  func anEmailLinkUserHasTheProviderPasswordForEitherAddress(identifier: JSON) async throws {
    try await linkedByLink()
    let json = try await methods(["identifier": identifier])
    #expect(json["registered"] == true)
    #expect(json["allProviders"] == ["password", "google.com"])
    #expect(json["signinMethods"] == ["emailLink", "google.com"])
  }

  @Test(arguments: ["ada@example.com", "google@example.com"] as [JSON])
  func withDuplicateEmailsAnEmailLinkUserIsRegisteredForEitherAddress(identifier: JSON) async throws {
    try await linkedByLink()
    backend.embedded.settings.duplicateEmails = true
    let json = try await methods(["identifier": identifier])
    #expect(json["registered"] == true)
    #expect(json["allProviders"] == ["password"] && json["signinMethods"] == ["emailLink"])
  }

  @Test func withDuplicateEmailsAUserWithoutAnAddressIsNotRegistered() async throws {
    backend.embedded.settings.duplicateEmails = true
    let google: JSON = [
      "requestUri": "http://localhost",
      "postBody": "providerId=google.com&id_token=%7B%22sub%22:%22g%22,%22email%22:%22ada@example.com%22%7D",
    ]
    _ = try await backend.call("accounts:signInWithIdp", google)
    let json = try await methods()
    #expect(json["registered"] == false && json["allProviders"] == [] && json["signinMethods"] == [])
  }

  @Test func emailPrivacyHidesTheSignInMethods() async throws {
    backend.embedded.settings.emailPrivacy = true
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    #expect(try await Set(methods().object?.keys ?? [:].keys) == ["kind", "sessionId"])
  }

  @Test(
    arguments: [
      (["identifier": ""], "MISSING_IDENTIFIER"), (["continueUri": ""], "MISSING_CONTINUE_URI"),
      (["identifier": "ada"], "INVALID_IDENTIFIER"), (["continueUri": "here"], "INVALID_CONTINUE_URI"),
    ] as [([String: JSON], String)]
  )
  func anInvalidRequestIsRejectedWithItsCode(members: [String: JSON], message: String) async throws {
    #expect(try await methods(members).errorMessage == message)
  }

  @Test(
    arguments: [
      ("accounts:signUp", [:], "ADMIN_ONLY_OPERATION"),
      ("accounts:signUp", ["email": "bob@example.com", "password": "password"], "OPERATION_NOT_ALLOWED"),
      (
        "accounts:signInWithPassword", ["email": "ada@example.com", "password": "lovelace"],
        "PASSWORD_LOGIN_DISABLED"
      ),
      ("accounts:resetPassword", ["oobCode": "any", "newPassword": "password"], "PASSWORD_LOGIN_DISABLED"),
    ] as [(String, JSON, String)]
  )
  func signInMethodsCanBeDisabled(method: String, body: JSON, message: String) async throws {
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    backend.embedded.settings.passwordSignIn = false
    backend.embedded.settings.anonymousSignIn = false
    #expect(try await backend.call(method, body).json.errorMessage == message)
  }
}

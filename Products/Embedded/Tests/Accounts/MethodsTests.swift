import Foundation
import TenonTransport
import Testing

@testable import TenonEmbedded

struct MethodsTests {
  private let backend = Backend()

  private func methods(_ members: [String: JSON] = [:]) async throws -> JSON {
    let body: [String: JSON] = ["identifier": "ada@example.com", "continueUri": "http://www.google.com/"]
    return try await backend.call("accounts:createAuthUri", .object(body.merging(members) { $1 })).json
  }

  @Test func anUnknownAddressIsNotRegistered() async throws {
    let json = try await methods(["sessionId": "mine"])
    #expect(json["registered"] == false && json["signinMethods"] == nil && json["sessionId"] == "mine")
  }

  @Test func theWaysOfAUserAreTold() async throws {
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
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

  @Test func privacyHidesThem() async throws {
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
  func aWrongQuestionIsRefusedWithItsCode(members: [String: JSON], message: String) async throws {
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
  func waysToSignInCanBeSwitchedOff(method: String, body: JSON, message: String) async throws {
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    backend.embedded.settings.passwordSignIn = false
    backend.embedded.settings.anonymousSignIn = false
    #expect(try await backend.call(method, body).json.errorMessage == message)
  }
}

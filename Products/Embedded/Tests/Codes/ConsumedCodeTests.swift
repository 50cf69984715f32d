import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// A code is consumed even if its action fails because another user has the address by then.
@Suite(.limited) struct ConsumedCodeTests {
  private let backend = Backend()

  private func ada() async throws -> JSON {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    return try await backend.call("accounts:signUp", body).json
  }

  private func take(_ email: JSON) async throws {
    #expect(
      try await backend.call("accounts:signUp", ["email": email, "password": "password"]).status == 200)
  }

  private func lastCode() async throws -> JSON {
    .string(try #require(await backend.embedded.accountCodes().last).code)
  }

  private func expectConsumption(_ method: String, _ body: JSON) async throws {
    #expect(try await backend.call(method, body).json.errorMessage == "EMAIL_EXISTS")
    #expect(try await backend.embedded.accountCodes().isEmpty)
    #expect(try await backend.call(method, body).json.errorMessage == "INVALID_OOB_CODE")
  }

  @Test func aSignInLinkForATakenAddressIsConsumed() async throws {
    let (_, guest) = try await backend.call("accounts:signUp")
    let send: JSON = ["requestType": "EMAIL_SIGNIN", "email": "bob@example.com"]
    _ = try await backend.call("accounts:sendOobCode", send)
    try await take("bob@example.com")
    let body: JSON = [
      "email": "bob@example.com", "oobCode": try await lastCode(), "idToken": try #require(guest["idToken"]),
    ]
    try await expectConsumption("accounts:signInWithEmailLink", body)
    let (_, json) = try await backend.call("accounts:lookup", ["idToken": try #require(guest["idToken"])])
    #expect(json["users"]?.array?.first?["email"] == nil)
  }

  @Test func aChangeToATakenAddressConsumesItsCode() async throws {
    let send: JSON = [
      "requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "bob@example.com",
      "idToken": try #require(try await ada()["idToken"]),
    ]
    _ = try await backend.call("accounts:sendOobCode", send)
    try await take("bob@example.com")
    try await expectConsumption("accounts:update", ["oobCode": try await lastCode()])
  }

  @Test func theRecoveryOfATakenAddressConsumesItsCode() async throws {
    let change: JSON = ["idToken": try #require(try await ada()["idToken"]), "email": "new@example.com"]
    _ = try await backend.call("accounts:update", change)
    try await take("ada@example.com")
    try await expectConsumption("accounts:update", ["oobCode": try await lastCode()])
  }
}

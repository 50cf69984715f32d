import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct CodeTests {
  private let backend = Backend()

  /// Signs Ada up, one second before anything else.
  private func ada() async throws -> JSON {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let json = try await backend.call("accounts:signUp", body).json
    backend.clock.advance(bySeconds: 1)
    return json
  }

  private func send(_ members: [String: JSON]) async throws -> AccountCode {
    let (status, json) = try await backend.call("accounts:sendOobCode", .object(members))
    #expect(status == 200)
    #expect(json["oobCode"] == nil && json["oobLink"] == nil)
    return try #require(await backend.embedded.accountCodes().last)
  }

  private func signIn(_ email: JSON, _ password: JSON) async throws -> String? {
    try await backend.call("accounts:signInWithPassword", ["email": email, "password": password]).json
      .errorMessage
  }

  @Test func aPasswordIsResetOnceWithAnEmailedCode() async throws {
    let session = try await ada()
    let code = try await send(["requestType": "PASSWORD_RESET", "email": "ADA@example.com"])
    #expect(code.kind == .passwordReset && code.email == "ada@example.com")
    let text: JSON = .string(code.code)
    for _ in 0..<2 {
      let (_, json) = try await backend.call("accounts:resetPassword", ["oobCode": text])
      #expect(json["requestType"] == "PASSWORD_RESET" && json["email"] == "ada@example.com")
    }
    let reset: JSON = ["oobCode": text, "newPassword": "analytical"]
    #expect(try await backend.call("accounts:resetPassword", reset).status == 200)
    #expect(try await backend.call("accounts:resetPassword", reset).json.errorMessage == "INVALID_OOB_CODE")
    #expect(try await signIn("ada@example.com", "lovelace") == "INVALID_PASSWORD")
    #expect(try await signIn("ada@example.com", "analytical") == nil)
    #expect(try await backend.refresh(session["refreshToken"]).json.errorMessage == "TOKEN_EXPIRED")
    let lookup = try await backend.call("accounts:lookup", ["idToken": try #require(session["idToken"])])
    #expect(lookup.json.errorMessage == "TOKEN_EXPIRED")
  }

  @Test func aWeakPasswordDoesNotConsumeTheCode() async throws {
    _ = try await ada()
    let code = try await send(["requestType": "PASSWORD_RESET", "email": "ada@example.com"]).code
    let weak = try await backend.call(
      "accounts:resetPassword", ["oobCode": .string(code), "newPassword": "short"])
    #expect(weak.json.errorMessage == "WEAK_PASSWORD : Password should be at least 6 characters")
    let empty: JSON = ["oobCode": .string(code), "newPassword": ""]
    #expect(try await backend.call("accounts:resetPassword", empty).json.errorMessage == "MISSING_PASSWORD")
    let good: JSON = ["oobCode": .string(code), "newPassword": "analytical"]
    #expect(try await backend.call("accounts:resetPassword", good).status == 200)
  }

  @Test func onlyAPasswordResetCodeSetsAPassword() async throws {
    let session = try await ada()
    let idToken = try #require(session["idToken"])
    for members: [String: JSON] in [
      ["requestType": "VERIFY_EMAIL", "idToken": idToken],
      ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": "https://example.com"],
    ] {
      let code = try await send(members)
      let reset: JSON = ["oobCode": .string(code.code), "newPassword": "analytical"]
      let refused = try await backend.call("accounts:resetPassword", reset)
      #expect(refused.json.errorMessage == "INVALID_OOB_CODE")
    }
    #expect(try await signIn("ada@example.com", "lovelace") == nil)
  }

  @Test func anAddressIsVerifiedWithAnEmailedCode() async throws {
    let session = try await ada()
    let idToken = try #require(session["idToken"])
    let code = try await send(["requestType": "VERIFY_EMAIL", "idToken": idToken])
    let (_, inspected) = try await backend.call("accounts:resetPassword", ["oobCode": .string(code.code)])
    #expect(inspected["requestType"] == "VERIFY_EMAIL" && inspected["email"] == "ada@example.com")
    let (status, json) = try await backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(status == 200 && json["emailVerified"] == true && json["localId"] == session["localId"])
    let (_, lookup) = try await backend.call("accounts:lookup", ["idToken": idToken])
    #expect(lookup["users"]?.array?.first?["emailVerified"] == true)
    let again = try await backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(again.json.errorMessage == "INVALID_OOB_CODE")
  }

  @Test func anAddressIsChangedOnceTheNewOneIsVerified() async throws {
    let session = try await ada()
    let idToken = try #require(session["idToken"])
    let code = try await send([
      "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": idToken, "newEmail": "Countess@example.com",
    ])
    let (_, inspected) = try await backend.call("accounts:resetPassword", ["oobCode": .string(code.code)])
    #expect(inspected["email"] == "ada@example.com" && inspected["newEmail"] == "countess@example.com")
    let (_, json) = try await backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(json["email"] == "countess@example.com" && json["newEmail"] == "countess@example.com")
    #expect(json["emailVerified"] == true)
    #expect(try await signIn("countess@example.com", "lovelace") == nil)
    #expect(try await backend.refresh(session["refreshToken"]).json.errorMessage == "TOKEN_EXPIRED")
  }

  @Test func aChangeToAnAddressThatIsTakenMeanwhileIsRejected() async throws {
    let session = try await ada()
    let code = try await send([
      "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": try #require(session["idToken"]),
      "newEmail": "bob@example.com",
    ])
    _ = try await backend.call("accounts:signUp", ["email": "bob@example.com", "password": "password"])
    let (_, json) = try await backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(json.errorMessage == "EMAIL_EXISTS")
    #expect(try await signIn("ada@example.com", "lovelace") == nil)
  }

  @Test func aChangedAddressCanBeRecovered() async throws {
    let session = try await ada()
    _ = try await backend.call(
      "accounts:update",
      ["idToken": try #require(session["idToken"]), "email": "thief@example.com"]
    )
    let code = try #require(await backend.embedded.accountCodes().last)
    #expect(code.kind == .recoverEmail && code.email == "ada@example.com")
    let (_, inspected) = try await backend.call("accounts:resetPassword", ["oobCode": .string(code.code)])
    #expect(inspected["requestType"] == "RECOVER_EMAIL" && inspected["email"] == "ada@example.com")
    let (_, json) = try await backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(json["email"] == "ada@example.com" && json["emailVerified"] == true)
    #expect(try await signIn("ada@example.com", "lovelace") == nil)
  }

  @Test func anAddressThatIsTakenMeanwhileCanNotBeRecovered() async throws {
    let session = try await ada()
    let change: JSON = ["idToken": try #require(session["idToken"]), "email": "new@example.com"]
    _ = try await backend.call("accounts:update", change)
    let code = try #require(await backend.embedded.accountCodes().last)
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "password"])
    let (_, json) = try await backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(json.errorMessage == "EMAIL_EXISTS")
  }

  @Test func theFirstAddressOfAnAnonymousUserNeedsNoRecovery() async throws {
    let (_, guest) = try await backend.call("accounts:signUp")
    let idToken = try #require(guest["idToken"])
    let (_, first) = try await backend.call(
      "accounts:update", ["idToken": idToken, "email": "a@example.com"])
    #expect(first["email"] == "a@example.com")
    let token = first["idToken"] ?? idToken
    _ = try await backend.call("accounts:update", ["idToken": token, "email": "b@example.com"])
    #expect(try await backend.embedded.accountCodes().isEmpty)
  }

  @Test(
    arguments: [
      ([:], "MISSING_REQ_TYPE"), (["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
      (["requestType": "EMAIL_SIGNIN"], "MISSING_EMAIL"),
      (["requestType": "EMAIL_SIGNIN", "email": "ada"], "INVALID_EMAIL"),
      (["requestType": "PASSWORD_RESET", "email": "nobody@example.com"], "EMAIL_NOT_FOUND"),
      (["requestType": "VERIFY_EMAIL", "email": "ada@example.com"], "INVALID_ID_TOKEN"),
      (["requestType": "VERIFY_AND_CHANGE_EMAIL"], "MISSING_NEW_EMAIL"),
      (["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "b@example.com"], "MISSING_ID_TOKEN"),
      (
        ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "returnOobLink": true],
        "INSUFFICIENT_PERMISSION"
      ),
      (
        ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": "here"],
        "INVALID_CONTINUE_URI : The URL needs a scheme and a host."
      ),
    ] as [(JSON, String)]
  )
  func aCodeThatCanNotBeSentHasAnErrorCode(body: JSON, message: String) async throws {
    _ = try await ada()
    let (status, json) = try await backend.call("accounts:sendOobCode", body)
    #expect(status == 400)
    #expect(json.errorMessage == message)
    #expect(try await backend.embedded.accountCodes().isEmpty)
  }

  @Test func aRequestTypeCanBeANumber() async throws {
    let code = try await send(["requestType": 6, "email": "ada@example.com"])
    #expect(code.kind == .emailSignIn)
    let (_, json) = try await backend.call("accounts:sendOobCode", ["requestType": 0])
    #expect(json.errorMessage == "MISSING_REQ_TYPE")
  }

  @Test func aUserWithoutAnAddressGetsNoCode() async throws {
    let (_, guest) = try await backend.call("accounts:signUp")
    let body: JSON = ["requestType": "VERIFY_EMAIL", "idToken": try #require(guest["idToken"])]
    #expect(try await backend.call("accounts:sendOobCode", body).json.errorMessage == "MISSING_EMAIL")
  }

  @Test func emailPrivacyHidesWhetherAResetWasSent() async throws {
    backend.embedded.settings.emailPrivacy = true
    let body: JSON = ["requestType": "PASSWORD_RESET", "email": "nobody@example.com"]
    let (status, json) = try await backend.call("accounts:sendOobCode", body)
    #expect(status == 200 && json["email"] == "nobody@example.com")
    #expect(try await backend.embedded.accountCodes().isEmpty)
  }

  /// The duration of a request is determined by its writes to the database, so they are counted. A clock
  /// would measure the disk.
  @Test(arguments: ["ada@example.com", "nobody@example.com"] as [JSON])
  func emailPrivacyWritesForEveryAddress(email: JSON) async throws {
    backend.embedded.settings.emailPrivacy = true
    _ = try await ada()
    func changes() async throws -> Int64? {
      try await backend.embedded.accounts.database.read { database in
        try database.opened().first("SELECT total_changes()") { $0.integer(0) }
      }
    }
    let before = try #require(try await changes())
    let body: JSON = ["requestType": "PASSWORD_RESET", "email": email]
    let (status, json) = try await backend.call("accounts:sendOobCode", body)
    #expect(status == 200 && json["email"] == email && json["oobCode"] == nil)
    #expect(try #require(try await changes()) > before)
  }

  @Test func aCodeExpiresAfterItsLifetime() async throws {
    backend.embedded.settings.codeLifetime = .seconds(60)
    _ = try await ada()
    let code = try await send(["requestType": "PASSWORD_RESET", "email": "ada@example.com"]).code
    backend.clock.advance(bySeconds: 60)
    #expect(try await backend.call("accounts:resetPassword", ["oobCode": .string(code)]).status == 200)
    backend.clock.advance(bySeconds: 1)
    let (_, json) = try await backend.call("accounts:resetPassword", ["oobCode": .string(code)])
    #expect(json.errorMessage == "EXPIRED_OOB_CODE")
  }

  @Test(arguments: [
    ("resetPassword", ["newPassword": "analytical"], "MISSING_OOB_CODE"),
    ("resetPassword", ["oobCode": "made up"], "INVALID_OOB_CODE"),
    ("update", ["oobCode": "made up"], "INVALID_OOB_CODE"),
  ])
  func anInvalidCodeIsRejected(method: String, body: [String: String], message: String) async throws {
    let (_, json) = try await backend.call("accounts:\(method)", .object(body.mapValues(JSON.string)))
    #expect(json.errorMessage == message)
  }

  @Test func aSignInCodeDoesNotSetAPassword() async throws {
    _ = try await ada()
    let code = try await send(["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]).code
    let (_, inspected) = try await backend.call("accounts:resetPassword", ["oobCode": .string(code)])
    #expect(inspected["requestType"] == "EMAIL_SIGNIN" && inspected["email"] == nil)
    let reset: JSON = ["oobCode": .string(code), "newPassword": "analytical"]
    #expect(try await backend.call("accounts:resetPassword", reset).json.errorMessage == "INVALID_OOB_CODE")
    let applied = try await backend.call("accounts:update", ["oobCode": .string(code)])
    #expect(applied.json.errorMessage == "INVALID_OOB_CODE")
  }

  @Test func aChangeToATakenAddressOrOfADeletedUserSendsNoCode() async throws {
    let idToken = try #require(try await ada()["idToken"])
    _ = try await backend.call("accounts:signUp", ["email": "bob@example.com", "password": "password"])
    let send: JSON = [
      "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": idToken, "newEmail": "BOB@example.com",
    ]
    #expect(try await backend.call("accounts:sendOobCode", send).json.errorMessage == "EMAIL_EXISTS")
    _ = try await backend.call("accounts:delete", ["idToken": idToken])
    #expect(try await backend.call("accounts:sendOobCode", send).json.errorMessage == "USER_NOT_FOUND")
    #expect(try await backend.embedded.accountCodes().isEmpty)
  }
}

import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Signing in with a phone number.
@Suite(.limited) struct PhoneTests {
  private static let number: JSON = "+15555550100"

  private func verification(_ backend: Backend, _ number: JSON = Self.number) async throws -> PhoneCode {
    let answer = try await backend.call("accounts:sendVerificationCode", ["phoneNumber": number])
    #expect(answer.status == 200)
    let code = try #require(backend.embedded.phoneCodes().last)
    #expect(answer.json["sessionInfo"]?.string == code.sessionInfo)
    return code
  }

  private func signIn(
    _ backend: Backend, _ code: PhoneCode, _ members: [String: JSON] = [:]
  ) async throws -> (status: Int, json: JSON) {
    let body: [String: JSON] = ["sessionInfo": .string(code.sessionInfo), "code": .string(code.code)]
    return try await backend.call(
      "accounts:signInWithPhoneNumber", .object(body.merging(members) { $1 }))
  }

  @Test func aNumberSignsItsUserInAndCreatesThemOnce() async throws {
    let backend = Backend()
    let first = try await signIn(backend, try await verification(backend))
    #expect(
      first.status == 200 && first.json["isNewUser"] == true && first.json["phoneNumber"] == Self.number)
    let claims = try first.json.token("idToken").claims
    #expect(claims["phone_number"] == Self.number)
    #expect(claims["firebase"]?["sign_in_provider"] == "phone")
    #expect(claims["firebase"]?["identities"]?["phone"] == [Self.number])
    let second = try await signIn(backend, try await verification(backend))
    #expect(second.json["isNewUser"] == false && second.json["localId"] == first.json["localId"])
    let idToken = try #require(second.json["idToken"])
    let user = try await backend.call("accounts:lookup", ["idToken": idToken]).json["users"]?.array?.first
    #expect(user?["phoneNumber"] == Self.number)
    #expect(
      user?["providerUserInfo"] == [
        ["providerId": "phone", "rawId": Self.number, "phoneNumber": Self.number]
      ])
    #expect(backend.embedded.phoneCodes().isEmpty)
    #expect(try await backend.refresh(second.json["refreshToken"]).status == 200)
  }

  @Test func aUserOfANumberGetsAPassword() async throws {
    let backend = Backend()
    let user = try await signIn(backend, try await verification(backend)).json
    let linked = try await backend.call(
      "accounts:signUp",
      ["idToken": try #require(user["idToken"]), "email": "ada@example.com", "password": "lovelace"])
    #expect(linked.json["localId"] == user["localId"])
    #expect(
      try linked.json.token("idToken").claims["firebase"]?["identities"] == [
        "phone": [Self.number], "email": ["ada@example.com"],
      ])
  }

  @Test(arguments: ["v1/recaptchaParams", "v3/relyingparty/getRecaptchaParam"])
  func theParametersOfACaptchaAreMadeUp(path: String) async throws {
    let host = path.hasPrefix("v1") ? "identitytoolkit.googleapis.com" : "www.googleapis.com/identitytoolkit"
    let response = try await Backend().send(.get, "https://\(host)/\(path)?key=any")
    let json = try JSON(parsing: response.body)
    #expect(json["recaptchaStoken"]?.string != nil && json["recaptchaSiteKey"]?.string != nil)
  }

  @Test(arguments: [
    JSON.null, "", "+", "15555550100", "+1 555", "+1-555", "tel:+1555", "+１２３",
    .string("+" + String(repeating: "1", count: 33)),
  ])
  func aNumberThatIsNotOneIsRefused(number: JSON) async throws {
    let answer = try await Backend().call("accounts:sendVerificationCode", ["phoneNumber": number])
    #expect(answer.status == 400 && answer.json.errorMessage == "INVALID_PHONE_NUMBER : Invalid format.")
  }

  @Test func aTestNumberHasItsCode() async throws {
    let backend = Backend()
    backend.embedded.settings.testPhoneNumbers = ["+15555550100": "123456"]
    #expect(try await verification(backend).code == "123456")
    let other = try await verification(backend, "+15555550199")
    #expect(other.code.wholeMatch(of: /\d{6}/) != nil)
  }

  @Test func codesAreRefusedAsTheyShouldBe() async throws {
    let backend = Backend()
    let code = try await verification(backend)
    let cases: [(JSON, String)] = [
      (["code": "1"], "MISSING_SESSION_INFO"), (["sessionInfo": "", "code": "1"], "MISSING_SESSION_INFO"),
      (["sessionInfo": .string(code.sessionInfo)], "MISSING_CODE"),
      (["sessionInfo": "unknown", "code": "1"], "INVALID_SESSION_INFO"),
      (["sessionInfo": .string(code.sessionInfo), "code": "1"], "INVALID_CODE"),
      (["temporaryProof": "unknown", "phoneNumber": Self.number], "INVALID_TEMPORARY_PROOF"),
    ]
    for (body, message) in cases {
      let answer = try await backend.call("accounts:signInWithPhoneNumber", body)
      #expect(answer.status == 400 && answer.json.errorMessage == message)
    }
    #expect(try await signIn(backend, code).status == 200)
    #expect(try await signIn(backend, code).json.errorMessage == "INVALID_SESSION_INFO")
  }

  @Test func manyWrongCodesEndAVerification() async throws {
    let backend = Backend()
    let code = try await verification(backend)
    for number in 1...PhoneVerifications.mostFailures {
      let answer = try await signIn(backend, code, ["code": "1"])
      let isLast = number == PhoneVerifications.mostFailures
      #expect(
        answer.json.errorMessage?.hasPrefix(isLast ? "TOO_MANY_ATTEMPTS_TRY_LATER" : "INVALID_CODE") == true)
    }
    #expect(try await signIn(backend, code).json.errorMessage == "INVALID_SESSION_INFO")
  }

  @Test func aCodeExpires() async throws {
    let backend = Backend()
    backend.embedded.settings.codeLifetime = .seconds(300)
    let code = try await verification(backend)
    backend.clock.advance(bySeconds: 301)
    #expect(try await signIn(backend, code).json.errorMessage == "SESSION_EXPIRED")
  }

  @Test func aNumberIsLinkedToTheUserOfAToken() async throws {
    let backend = Backend()
    let guest = try await backend.call("accounts:signUp").json
    let idToken = try #require(guest["idToken"])
    let linked = try await signIn(backend, try await verification(backend), ["idToken": idToken])
    #expect(linked.json["localId"] == guest["localId"] && linked.json["isNewUser"] == false)
    let changed = try await signIn(
      backend, try await verification(backend, "+15555550199"),
      ["idToken": try #require(linked.json["idToken"]), "operation": "UPDATE"])
    #expect(changed.json["localId"] == guest["localId"] && changed.json["phoneNumber"] == "+15555550199")
    let update: JSON = ["idToken": try #require(changed.json["idToken"]), "deleteProvider": ["phone"]]
    #expect(try await backend.call("accounts:update", update).json["providerUserInfo"] == [])
  }

  @Test func theNumberOfAnotherUserIsAnsweredWithAProof() async throws {
    let backend = Backend()
    let ada = try await signIn(backend, try await verification(backend)).json
    let guest = try await backend.call("accounts:signUp").json
    let idToken = try #require(guest["idToken"])
    let answer = try await signIn(backend, try await verification(backend), ["idToken": idToken])
    #expect(
      answer.status == 200 && answer.json["idToken"] == nil && answer.json["phoneNumber"] == Self.number)
    let proof: [String: JSON] = [
      "temporaryProof": try #require(answer.json["temporaryProof"]), "phoneNumber": Self.number,
    ]
    let again = try await backend.call(
      "accounts:signInWithPhoneNumber", .object(proof.merging(["idToken": idToken]) { $1 }))
    #expect(again.json.errorMessage == "PHONE_NUMBER_EXISTS")
    let signedIn = try await backend.call("accounts:signInWithPhoneNumber", .object(proof))
    #expect(signedIn.json["localId"] == ada["localId"])
  }

  @Test func aReauthenticationCreatesNobody() async throws {
    let backend = Backend()
    let answer = try await signIn(backend, try await verification(backend), ["operation": "REAUTH"])
    #expect(answer.json.errorMessage == "USER_NOT_FOUND")
  }

  @Test func administratorsSetFindAndImportNumbers() async throws {
    let backend = Backend()
    let created = try await backend.administrate("accounts", ["localId": "ada", "phoneNumber": Self.number])
    #expect(created.status == 200)
    let taken = try await backend.administrate("accounts", ["localId": "eve", "phoneNumber": Self.number])
    #expect(taken.json.errorMessage == "PHONE_NUMBER_EXISTS")
    let invalid = try await backend.administrate("accounts", ["localId": "eve", "phoneNumber": "1"])
    #expect(invalid.json.errorMessage == "INVALID_PHONE_NUMBER : Invalid format.")
    let found = try await backend.administrate("accounts:lookup", ["phoneNumber": [Self.number]])
    #expect(found.json["users"]?.array?.first?["localId"] == "ada")
    let change: JSON = ["localId": "ada", "phoneNumber": "+15555550199"]
    #expect(try await backend.administrate("accounts:update", change).status == 200)
    let users: JSON = [
      ["localId": "bob", "phoneNumber": Self.number], ["localId": "eve", "phoneNumber": "x"],
    ]
    let imported = try await backend.administrate("accounts:batchCreate", ["users": users])
    #expect(imported.json["error"]?.array?.map { $0["index"] } == [1])
    let signedIn = try await signIn(backend, try await verification(backend))
    #expect(signedIn.json["localId"] == "bob")
  }

  @Test func usersDoNotSetTheirNumberWithoutACode() async throws {
    let backend = Backend()
    let idToken = try #require(try await backend.call("accounts:signUp").json["idToken"])
    let answer = try await backend.call("accounts:update", ["idToken": idToken, "phoneNumber": Self.number])
    #expect(answer.status == 501)
  }

  @Test func theEmulatorsPathListsTheCodes() async throws {
    let backend = Backend()
    let received = Lock<[PhoneCode]>([])
    backend.embedded.onPhoneCode { code in received.withLock { $0.append(code) } }
    let code = try await verification(backend)
    let answer = try await backend.send(
      .get, "http://127.0.0.1:9099/emulator/v1/projects/demo/verificationCodes")
    #expect(
      try JSON(parsing: answer.body) == [
        "verificationCodes": [
          [
            "phoneNumber": Self.number, "sessionInfo": .string(code.sessionInfo), "code": .string(code.code),
          ]
        ]
      ])
    #expect(received.withLock { $0 } == [code] && !"\(code)".contains(code.code))
  }

  @Test func aProjectMayNotAllowPhones() async throws {
    let backend = Backend()
    let code = try await verification(backend)
    backend.embedded.settings.phoneSignIn = false
    let answers = [
      try await backend.call("accounts:sendVerificationCode", ["phoneNumber": Self.number]),
      try await signIn(backend, code),
    ]
    #expect(answers.allSatisfy { $0.json.errorMessage == "OPERATION_NOT_ALLOWED" })
  }
}

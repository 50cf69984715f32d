import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Enrolling second factors, and signing in with them, as clients do it on the wire.
@Suite(.limited) struct SecondFactorTests {
  private static let number: JSON = "+15555550100"

  @Test func aPhoneNumberIsEnrolledInTwoSteps() async throws {
    let client = FactorClient()
    let user = try await client.signedUp()
    let start = try await client.call(
      "mfaEnrollment:start", ["idToken": user, "phoneEnrollmentInfo": ["phoneNumber": Self.number]])
    let info = try #require(start.json["phoneSessionInfo"]?["sessionInfo"])
    let code = try #require(client.backend.embedded.phoneCodes().last)
    #expect(info.string == code.sessionInfo && code.phoneNumber == Self.number.string)
    let verification: JSON = ["sessionInfo": info, "code": .string(code.code)]
    let body: JSON = ["idToken": user, "displayName": "Mine", "phoneVerificationInfo": verification]
    let end = try await client.call("mfaEnrollment:finalize", body)
    #expect(end.status == 200 && end.json["expiresIn"] == nil)
    let claims = try end.json.token("idToken").claims["firebase"]
    #expect(claims?["sign_in_provider"] == "password" && claims?["sign_in_second_factor"] == "phone")
    let factor = try #require(try await client.factors(of: end.json["idToken"]).first)
    #expect(factor["mfaEnrollmentId"] == claims?["second_factor_identifier"])
    #expect(factor["phoneInfo"] == Self.number && factor["displayName"] == "Mine")
    #expect(factor["enrolledAt"] == "2023-11-14T22:13:20.000Z" && factor["totpInfo"] == nil)
    // The code was used up, and the number can't be enrolled again.
    #expect(try await client.call("mfaEnrollment:finalize", body).json.errorMessage == "INVALID_SESSION_INFO")
    let again = try await client.call(
      "mfaEnrollment:start", ["idToken": user, "phoneEnrollmentInfo": ["phoneNumber": Self.number]])
    #expect(
      again.json.errorMessage
        == "SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account.")
    let refreshed = try await client.backend.refresh(end.json["refreshToken"]).json
    #expect(try refreshed.token("id_token").claims["firebase"] == claims)
  }

  @Test func anAuthenticatorAppIsEnrolledAndItsCodeCompletesASignIn() async throws {
    let client = FactorClient()
    let secret = try await client.enrolledApp(of: try await client.signedUp())
    let pending = try await client.signIn()
    #expect(pending["idToken"] == nil && pending["refreshToken"] == nil && pending["localId"] != nil)
    let hint = try #require(pending["mfaInfo"]?.array?.first)
    #expect(hint["totpInfo"] == [:] && hint["displayName"] == "App" && hint["sharedSecretKey"] == nil)
    client.backend.clock.advance(bySeconds: 30)
    let done = try await client.finish(pending, try client.code(of: secret))
    #expect(done.status == 200)
    let claims = try done.json.token("idToken").claims
    #expect(claims["firebase"]?["sign_in_second_factor"] == "totp")
    #expect(claims["firebase"]?["second_factor_identifier"] == hint["mfaEnrollmentId"])
    #expect(claims["auth_time"] == .int(client.backend.clock.now.seconds))
    // Neither the sign-in nor the code can be used again.
    let twice = try await client.finish(pending, try client.code(of: secret))
    #expect(twice.json.errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
    let replayed = try await client.finish(try await client.signIn(), try client.code(of: secret))
    #expect(replayed.json.errorMessage == "INVALID_CODE")
  }

  @Test func anAcceptedCodeIsNotAcceptedAgainAfterARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = FactorClient(Backend(directory: directory.path))
    let secret = try await first.enrolledApp(of: try await first.signedUp())
    first.backend.clock.advance(bySeconds: 30)
    let code = try first.code(of: secret)
    #expect(try await first.finish(try await first.signIn(), code).status == 200)
    await first.backend.embedded.close()
    let second = FactorClient(Backend(directory: directory.path, clock: first.backend.clock))
    let pending = try await second.signIn()
    #expect(try await second.finish(pending, code).json.errorMessage == "INVALID_CODE")
    second.backend.clock.advance(bySeconds: 30)
    #expect(try await second.finish(pending, try second.code(of: secret)).status == 200)
    await second.backend.embedded.close()
  }

  @Test func aPhoneNumberCompletesASignIn() async throws {
    let client = FactorClient()
    _ = try await client.enrolledPhone(Self.number, of: try await client.signedUp())
    let pending = try await client.signIn()
    let hint = try #require(pending["mfaInfo"]?.array?.first)
    #expect(hint["phoneInfo"] == "+*******0100")
    let id = try #require(hint["mfaEnrollmentId"])
    let credential = try #require(pending["mfaPendingCredential"])
    let start = try await client.call(
      "mfaSignIn:start",
      ["mfaPendingCredential": credential, "mfaEnrollmentId": id, "phoneSignInInfo": [:]])
    let session = try #require(start.json["phoneResponseInfo"]?["sessionInfo"])
    let wrong = try await client.finishByPhone(credential, session, "wrong")
    #expect(wrong.json.errorMessage == "INVALID_CODE")
    let code = try #require(client.backend.embedded.phoneCodes().last).code
    let done = try await client.finishByPhone(credential, session, code)
    #expect(done.status == 200)
    #expect(try done.json.token("idToken").claims["firebase"]?["second_factor_identifier"] == id)
  }

  /// A code that was sent to another number, even to another factor's, doesn't prove this user's.
  @Test func theCodeOfAnotherNumberCompletesNothing() async throws {
    let client = FactorClient()
    _ = try await client.enrolledPhone(Self.number, of: try await client.signedUp())
    let pending = try await client.signIn()
    let sent = try await client.backend.call(
      "accounts:sendVerificationCode", ["phoneNumber": "+15555550199"])
    let code = try #require(client.backend.embedded.phoneCodes().last).code
    let done = try await client.finishByPhone(
      try #require(pending["mfaPendingCredential"]), try #require(sent.json["sessionInfo"]), code)
    #expect(done.json.errorMessage == "MFA_ENROLLMENT_NOT_FOUND")
    // The code isn't used up by what failed.
    #expect(client.backend.embedded.phoneCodes().map(\.code) == [code])
  }

  @Test func enrollingRequiresAVerifiedAddressAndACertainFirstFactor() async throws {
    let client = FactorClient()
    let phone: JSON = ["phoneNumber": Self.number]
    let signUp: JSON = ["email": "new@example.com", "password": "lovelace"]
    let unverified = try #require(try await client.backend.call("accounts:signUp", signUp).json["idToken"])
    let anonymous = try #require(try await client.backend.call("accounts:signUp").json["idToken"])
    let custom = try #require(
      try await client.backend.call("accounts:signInWithCustomToken", ["token": #"{"uid":"c"}"#])
        .json["idToken"])
    let unsupported = "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
    let cases: [(JSON, String)] = [
      (
        unverified, "UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors."
      ), (anonymous, unsupported), (custom, unsupported), ("no token", "INVALID_ID_TOKEN"),
      (.null, "MISSING_ID_TOKEN"), ("", "MISSING_ID_TOKEN"),
    ]
    for (token, message) in cases {
      for body in [["phoneEnrollmentInfo": phone], ["totpEnrollmentInfo": [:]]] as [[String: JSON]] {
        let answer = try await client.call(
          "mfaEnrollment:start", .object(body.merging(["idToken": token]) { $1 }))
        #expect(answer.status == 400 && answer.json.errorMessage == message)
      }
    }
  }

  @Test func wrongRequestsAreRefusedByName() async throws {
    let client = FactorClient()
    let token = try await client.signedUp()
    let secret = try await client.enrolledApp(of: token)
    let pending = try await client.signIn()
    let credential = try #require(pending["mfaPendingCredential"])
    let id = try #require(pending["mfaInfo"]?.array?.first?["mfaEnrollmentId"])
    let code: JSON = ["verificationCode": .string(try client.code(of: secret))]
    let cases: [(String, JSON, String)] = [
      ("mfaEnrollment:start", ["idToken": token], "INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))"),
      (
        "mfaEnrollment:start", ["idToken": token, "phoneEnrollmentInfo": [:]],
        "INVALID_PHONE_NUMBER : Invalid format."
      ),
      (
        "mfaEnrollment:start", ["idToken": token, "phoneEnrollmentInfo": ["phoneNumber": "555"]],
        "INVALID_PHONE_NUMBER : Invalid format."
      ),
      (
        "mfaEnrollment:start", ["idToken": token, "totpEnrollmentInfo": [:]],
        "SECOND_FACTOR_EXISTS : TOTP already enrolled as second factor for this account."
      ),
      (
        "mfaEnrollment:finalize", ["idToken": token, "totpVerificationInfo": code], "MISSING_SESSION_INFO"
      ),
      (
        "mfaEnrollment:finalize", ["idToken": token, "totpVerificationInfo": ["sessionInfo": "s"]],
        "MISSING_CODE"
      ),
      (
        "mfaEnrollment:finalize",
        ["idToken": token, "totpVerificationInfo": ["sessionInfo": "s", "verificationCode": "1"]],
        "INVALID_SESSION_INFO"
      ),
      (
        "mfaEnrollment:withdraw", ["idToken": token],
        "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."
      ), ("mfaEnrollment:withdraw", ["idToken": token, "mfaEnrollmentId": "x"], "MFA_ENROLLMENT_NOT_FOUND"),
      (
        "mfaSignIn:start", [:],
        "MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential."
      ),
      (
        "mfaSignIn:start", ["mfaPendingCredential": credential],
        "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."
      ),
      (
        "mfaSignIn:start", ["mfaPendingCredential": "x", "mfaEnrollmentId": id],
        "INVALID_MFA_PENDING_CREDENTIAL"
      ),
      (
        "mfaSignIn:start", ["mfaPendingCredential": credential, "mfaEnrollmentId": "x"],
        "MFA_ENROLLMENT_NOT_FOUND"
      ),
      (
        "mfaSignIn:start", ["mfaPendingCredential": credential, "mfaEnrollmentId": id],
        "INVALID_ARGUMENT : MFA provider not supported!"
      ), ("mfaSignIn:finalize", [:], "MISSING_CREDENTIAL : Please set MFA Pending Credential."),
      (
        "mfaSignIn:finalize", ["mfaPendingCredential": credential, "totpVerificationInfo": code],
        "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."
      ),
      (
        "mfaSignIn:finalize",
        ["mfaPendingCredential": credential, "mfaEnrollmentId": "x", "totpVerificationInfo": code],
        "MFA_ENROLLMENT_NOT_FOUND"
      ),
      (
        "mfaSignIn:finalize",
        ["mfaPendingCredential": credential, "mfaEnrollmentId": id, "totpVerificationInfo": [:]],
        "MISSING_CODE"
      ),
      (
        "mfaSignIn:finalize",
        ["mfaPendingCredential": credential, "phoneVerificationInfo": ["sessionInfo": "s", "code": "1"]],
        "INVALID_SESSION_INFO"
      ),
    ]
    for (method, body, message) in cases {
      let answer = try await client.call(method, body)
      #expect(answer.status == 400 && answer.json.errorMessage == message, "\(method) \(body)")
    }
    let typed = try await client.call("mfaEnrollment:start", ["idToken": token, "phoneEnrollmentInfo": "x"])
    #expect(typed.json.errorMessage?.contains("/phoneEnrollmentInfo must be object") == true)
  }

  @Test func tooManyWrongCodesAreRefusedUntilTimeHasPassed() async throws {
    let client = FactorClient()
    let secret = try await client.enrolledApp(of: try await client.signedUp())
    client.backend.clock.advance(bySeconds: 30)
    for _ in 0..<PendingFactors.mostFailures {
      let answer = try await client.finish(try await client.signIn(), "wrong!")
      #expect(answer.json.errorMessage == "INVALID_CODE")
    }
    // The right code isn't accepted either, also not in another sign-in.
    let refused = try await client.finish(try await client.signIn(), try client.code(of: secret))
    #expect(refused.json.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
    client.backend.clock.advance(bySeconds: 601)
    #expect(try await client.finish(try await client.signIn(), try client.code(of: secret)).status == 200)
  }

  @Test func aPendingSignInEndsWithTimeAndWithTheUsersSessions() async throws {
    let client = FactorClient()
    let token = try await client.signedUp()
    let secret = try await client.enrolledApp(of: token)
    let late = try await client.signIn()
    client.backend.clock.advance(bySeconds: 601)
    let expired = try await client.finish(late, try client.code(of: secret))
    #expect(expired.json.errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
    let ended = try await client.signIn()
    _ = try await client.backend.administrate(
      "accounts:update", ["localId": try #require(ended["localId"]), "password": "countess"])
    let answer = try await client.finish(ended, try client.code(of: secret))
    #expect(answer.json.errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
  }

  @Test func aDisabledUserCompletesNoSignIn() async throws {
    let client = FactorClient()
    let secret = try await client.enrolledApp(of: try await client.signedUp())
    let pending = try await client.signIn()
    client.backend.clock.advance(bySeconds: 30)
    _ = try await client.backend.administrate(
      "accounts:update", ["localId": try #require(pending["localId"]), "disableUser": true])
    #expect(
      try await client.finish(pending, try client.code(of: secret)).json.errorMessage == "USER_DISABLED")
  }

  @Test func aWithdrawnFactorIsNotRequired() async throws {
    let client = FactorClient()
    let token = try await client.signedUp()
    _ = try await client.enrolledApp(of: token)
    let id = try #require(try await client.factors(of: token).first?["mfaEnrollmentId"])
    let answer = try await client.call("mfaEnrollment:withdraw", ["idToken": token, "mfaEnrollmentId": id])
    #expect(answer.status == 200 && answer.json["expiresIn"] == "3600")
    #expect(try answer.json.token("idToken").secondFactor == nil)
    #expect(try await client.factors(of: answer.json["idToken"]).isEmpty)
    #expect(try await client.signIn()["idToken"] != nil)
  }

  /// The mail that a user gets about a new factor undoes it and ends the sessions.
  @Test func aLinkRevertsAnEnrollment() async throws {
    let client = FactorClient()
    let received = Lock<[AccountCode.Kind]>([])
    client.backend.embedded.onAccountCode { code in received.withLock { $0.append(code.kind) } }
    let token = try await client.signedUp()
    _ = try await client.enrolledPhone(Self.number, of: token)
    #expect(received.withLock { $0 }.contains(.revertSecondFactorAddition))
    let code = try #require(
      try await client.backend.embedded.accountCodes().last { $0.kind == .revertSecondFactorAddition })
    #expect(code.link.absoluteString.contains("mode=revertSecondFactorAddition"))
    let check = try await client.backend.call("accounts:resetPassword", ["oobCode": .string(code.code)]).json
    #expect(check["requestType"] == "REVERT_SECOND_FACTOR_ADDITION")
    #expect(check["mfaInfo"]?["phoneInfo"] == "+*******0100" && check["email"] == "ada@example.com")
    client.backend.clock.advance(bySeconds: 1)
    let applied = try await client.backend.send(.get, code.link.absoluteString)
    #expect(applied.status == 200)
    #expect(try await client.backend.call("accounts:lookup", ["idToken": token]).status == 400)
    let signedIn = try await client.signIn()
    #expect(signedIn["idToken"] != nil)
    #expect(try await client.factors(of: signedIn["idToken"]).isEmpty)
    let again = try await client.backend.call("accounts:update", ["oobCode": .string(code.code)])
    #expect(again.json.errorMessage == "INVALID_OOB_CODE")
  }

  @Test func kindsCanBeDisabled() async throws {
    let client = FactorClient()
    let token = try await client.signedUp()
    let secret = try await client.enrolledApp(of: token)
    let pending = try await client.signIn()
    client.backend.embedded.settings.totpSecondFactors = false
    let refused = try await client.finish(pending, try client.code(of: secret))
    #expect(refused.json.errorMessage == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
    // The factor isn't required either, as in a project without second factors.
    #expect(try await client.signIn()["idToken"] != nil)
    let url = "https://identitytoolkit.googleapis.com/v2/projects/demo/config?key=any"
    let owner = ["Authorization": "Bearer owner", "Content-Type": "application/json"]
    let disabled = try await client.backend.send(
      .patch, "\(url)&updateMask=mfa.state", body: Data(#"{"mfa":{"state":"DISABLED"}}"#.utf8), headers: owner
    )
    #expect(try JSON(parsing: disabled.body)["mfa"]?["state"] == "DISABLED")
    for method in [
      "mfaEnrollment:start", "mfaEnrollment:finalize", "mfaEnrollment:withdraw", "mfaSignIn:start",
    ] {
      let body: JSON = [
        "idToken": token, "phoneEnrollmentInfo": ["phoneNumber": Self.number], "mfaEnrollmentId": "x",
        "phoneVerificationInfo": ["sessionInfo": "s", "code": "c"], "mfaPendingCredential": "x",
      ]
      let answer = try await client.call(method, body)
      #expect(answer.json.errorMessage == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", "\(method)")
    }
    let providers = #"{"mfa":{"enabledProviders":["PHONE_SMS"],"state":"ENABLED"}}"#
    _ = try await client.backend.send(
      .patch, "\(url)&updateMask=mfa", body: Data(providers.utf8), headers: owner)
    #expect(client.backend.embedded.settings.phoneSecondFactors)
    let mandatory = try await client.backend.send(
      .patch, "\(url)&updateMask=mfa", body: Data(#"{"mfa":{"state":"MANDATORY"}}"#.utf8), headers: owner)
    #expect(try JSON(parsing: mandatory.body)["mfa"]?["state"] == "MANDATORY")
    #expect(client.backend.embedded.settings.phoneSecondFactors)
    let unknown = try await client.backend.send(
      .patch, "\(url)&updateMask=mfa", body: Data(#"{"mfa":{"state":"MAYBE"}}"#.utf8), headers: owner)
    #expect(unknown.status == 501)
  }

  @Test func aNumberIsNotAFirstFactorBesideASecondOne() async throws {
    let client = FactorClient()
    let token = try await client.signedUp()
    let sent = try await client.backend.call(
      "accounts:sendVerificationCode", ["phoneNumber": "+15555550177"])
    _ = try await client.enrolledApp(of: token)
    let code = try #require(client.backend.embedded.phoneCodes().last).code
    let linked = try await client.backend.call(
      "accounts:signInWithPhoneNumber",
      ["idToken": token, "sessionInfo": try #require(sent.json["sessionInfo"]), "code": .string(code)])
    #expect(linked.json.errorMessage?.hasPrefix("UNSUPPORTED_FIRST_FACTOR") == true)
  }

  @Test func aLinkAndAProviderRequireTheFactorUnlessTheSessionHasProvedIt() async throws {
    let client = FactorClient()
    let token = try await client.signedUp()
    let proved = try await client.enrolledPhone(Self.number, of: token)
    let claims = #"{"sub":"g1","email":"ada@example.com","email_verified":true}"#
    let assertion: [String: JSON] = [
      "requestUri": "http://localhost",
      "postBody": .string("providerId=google.com&id_token=\(claims)"),
    ]
    // The session from before the enrollment hasn't proved the factor.
    let unproved = try await client.backend.call(
      "accounts:signInWithIdp", .object(assertion.merging(["idToken": token]) { $1 })
    ).json
    #expect(unproved["mfaPendingCredential"] != nil && unproved["idToken"] == nil)
    let other = assertion.merging(
      [
        "idToken": try #require(proved["idToken"]),
        "postBody": .string(#"providerId=apple.com&id_token={"sub":"a1"}"#),
      ]) { $1 }
    let linked = try await client.backend.call("accounts:signInWithIdp", .object(other))
    #expect(try linked.json.token("idToken").secondFactor?.kind == "phone")
    let google = try await client.backend.call("accounts:signInWithIdp", .object(assertion)).json
    #expect(google["mfaPendingCredential"] != nil && google["idToken"] == nil && google["providerId"] != nil)
    _ = try await client.backend.call(
      "accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"])
    let code = try #require(try await client.backend.embedded.accountCodes().last).code
    let link = try await client.backend.call(
      "accounts:signInWithEmailLink", ["email": "ada@example.com", "oobCode": .string(code)]
    ).json
    #expect(link["mfaPendingCredential"] != nil && link["idToken"] == nil && link["isNewUser"] == false)
    _ = try await client.backend.call(
      "accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"])
    let second = try #require(try await client.backend.embedded.accountCodes().last).code
    let linkedEmail = try await client.backend.call(
      "accounts:signInWithEmailLink",
      ["email": "ada@example.com", "oobCode": .string(second), "idToken": token]
    ).json
    #expect(linkedEmail["mfaPendingCredential"] != nil && linkedEmail["idToken"] == nil)
  }

  @Test func aChangedPasswordKeepsTheSecondFactorOfTheSession() async throws {
    let client = FactorClient()
    let session = try await client.enrolledPhone(Self.number, of: try await client.signedUp())
    let changed = try await client.backend.call(
      "accounts:update", ["idToken": try #require(session["idToken"]), "password": "countess"])
    #expect(try changed.json.token("idToken").secondFactor?.kind == "phone")
  }
}

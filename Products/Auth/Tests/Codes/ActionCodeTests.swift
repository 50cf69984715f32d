import Foundation
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

struct ActionCodeTests {
  private let link = URL(string: "https://app.example.com/in?mode=signIn&oobCode=code&apiKey=k")

  @Test func mailsAreAskedForWithTheirSettings() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    auth.languageCode = "de"
    let settings = ActionCodeSettings(
      continueURL: URL(string: "https://app.example.com/in"),
      handlesCodeInApp: true,
      iOSBundleID: "com.example.app",
      androidPackageName: "com.example.app",
      linkDomain: "example.web.app"
    )
    try await auth.sendSignInLink(to: "ada@example.com", settings: settings)
    let request = try #require(fixture.server.lastRequest)
    #expect(request.headers["X-Firebase-Locale"] == "de")
    #expect(
      request.json == [
        "requestType": "EMAIL_SIGNIN", "email": "ada@example.com",
        "continueUrl": "https://app.example.com/in",
        "iOSBundleId": "com.example.app", "androidPackageName": "com.example.app",
        "linkDomain": "example.web.app",
      ]
    )
    try await auth.sendPasswordReset(to: "ada@example.com")
    #expect(
      fixture.server.lastRequest?.json == ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
    )
  }

  @Test func mailsToTheCurrentUserNeedOne() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let nobody = await #expect(throws: AuthError.self) { try await auth.sendEmailVerification() }
    #expect(nobody?.code == .noCurrentUser)
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    let idToken = try #require(await auth.idToken())
    try await auth.sendEmailVerification()
    #expect(fixture.server.lastRequest?.json == ["requestType": "VERIFY_EMAIL", "idToken": idToken])
    try await auth.sendEmailVerification(beforeUpdatingTo: "new@example.com")
    #expect(
      fixture.server.lastRequest?.json == [
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": idToken, "newEmail": "new@example.com",
      ]
    )
  }

  @Test func aMailThatEndsTheSessionSignsOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    fixture.server.fail("sendOobCode", "TOKEN_EXPIRED")
    await #expect(throws: AuthError.self) { try await auth.sendEmailVerification() }
    #expect(try await auth.currentUser == nil)
    #expect(await auth.signOutReason?.code == .userTokenExpired)
  }

  @Test func aLinkForSigningInIsUsedByTheApp() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let error = await #expect(throws: AuthError.self) {
      try await auth.sendSignInLink(to: "ada@example.com", settings: ActionCodeSettings())
    }
    #expect(error?.code == .argumentError)
    #expect(fixture.server.methods.isEmpty)
  }

  @Test func aLinkSignsIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let result = try await auth.signIn(email: "ada@example.com", link: try #require(link))
    #expect(result.isNewUser)
    #expect(try await auth.currentUser == result.user)
    #expect(
      try #require(fixture.server.request("signInWithEmailLink")).json == [
        "email": "ada@example.com", "oobCode": "code",
      ]
    )
  }

  @Test func aLinkGivesAnAnonymousUserTheAddress() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let user = try await auth.link(with: .emailLink(email: "ada@example.com", link: try #require(link)))
    #expect(user.uid == guest.uid && user.email == "ada@example.com" && !user.isAnonymous)
  }

  @Test(arguments: [
    ("https://app.example.com/in?mode=signIn&oobCode=c", true),
    ("https://d.example.com/?link=https%3A%2F%2Fa.b%2F%3Fmode%3DsignIn%26oobCode%3Dc", true),
    ("app://x/?deep_link_id=https%3A%2F%2Fa.b%2F%3Fmode%3DsignIn%26oobCode%3Dc", true),
    ("https://app.example.com/in?mode=verifyEmail&oobCode=c", false),
    ("https://app.example.com/in?mode=signIn", false),
    ("https://app.example.com/in?mode=signIn&oobCode=", false),
    ("https://app.example.com/", false),
  ])
  func signInLinksAreTold(link: String, expected: Bool) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    #expect(auth.isSignInLink(try #require(URL(string: link))) == expected)
  }

  @Test func anotherLinkDoesNotSignIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let other = try #require(URL(string: "https://a.b/?mode=resetPassword&oobCode=secret-code"))
    let error = await #expect(throws: AuthError.self) { try await auth.signIn(email: "a@b", link: other) }
    #expect(error?.code == .argumentError && error?.message.contains("secret") == false)
    #expect(ActionLink(other).map { "\($0)" } == "link for PASSWORD_RESET")
  }

  @Test(
    arguments: [
      ("PASSWORD_RESET", "resetPassword", ActionCodeOperation.passwordReset),
      ("VERIFY_EMAIL", "verifyEmail", .verifyEmail), ("RECOVER_EMAIL", "recoverEmail", .recoverEmail),
      ("EMAIL_SIGNIN", "signIn", .emailSignIn),
      ("VERIFY_AND_CHANGE_EMAIL", "verifyAndChangeEmail", .verifyAndChangeEmail),
      ("REVERT_SECOND_FACTOR_ADDITION", "revertSecondFactorAddition", .revertSecondFactorAddition),
      ("SOMETHING_NEW", "SOMETHING_NEW", ActionCodeOperation(rawValue: "SOMETHING_NEW")),
    ]
  )
  func bothNamesOfAnOperationAreKnown(type: String, mode: String, operation: ActionCodeOperation) async throws
  {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.answer("resetPassword", #"{"requestType":"\#(type)","email":"ada@example.com"}"#)
    let info = try await fixture.launch().checkActionCode("code")
    #expect(info == ActionCodeInfo(operation: operation, email: "ada@example.com", previousEmail: nil))
    let link = try #require(URL(string: "https://a.b/?mode=\(mode)&oobCode=c"))
    #expect(ActionLink(link)?.operation == operation)
  }

  @Test func aChangeOfTheAddressNamesBoth() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.answer(
      "resetPassword",
      #"{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"old@example.com","newEmail":"new@example.com"}"#
    )
    let info = try await fixture.launch().checkActionCode("code")
    #expect(info.email == "new@example.com" && info.previousEmail == "old@example.com")
  }

  @Test func theCodeOfASignInNamesNobody() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.answer("resetPassword", #"{"requestType":"EMAIL_SIGNIN"}"#)
    #expect(try await fixture.launch().checkActionCode("code").email == nil)
  }

  @Test func aPasswordIsResetByItsCode() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let answer = #"{"requestType":"PASSWORD_RESET","email":"ada@example.com"}"#
    fixture.server.answer("resetPassword", answer)
    #expect(try await auth.verifyPasswordResetCode("code") == "ada@example.com")
    #expect(fixture.server.lastRequest?.json == ["oobCode": "code"])
    fixture.server.answer("resetPassword", answer)
    try await auth.confirmPasswordReset(code: "code", newPassword: "analytical")
    #expect(fixture.server.lastRequest?.json == ["oobCode": "code", "newPassword": "analytical"])
    fixture.server.answer("resetPassword", #"{"requestType":"VERIFY_EMAIL","email":"ada@example.com"}"#)
    let error = await #expect(throws: AuthError.self) { try await auth.verifyPasswordResetCode("code") }
    #expect(error?.code == .invalidActionCode)
  }

  @Test func aCodeIsApplied() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    fixture.server.answer("update", #"{"email":"ada@example.com","emailVerified":true}"#)
    try await auth.applyActionCode("code")
    #expect(fixture.server.lastRequest?.json == ["oobCode": "code"])
    fixture.server.fail("update", "EXPIRED_OOB_CODE")
    let error = await #expect(throws: AuthError.self) { try await auth.applyActionCode("code") }
    #expect(error?.code == .expiredActionCode)
    let missing = await #expect(throws: AuthError.self) { try await auth.applyActionCode("") }
    #expect(missing?.code == .missingActionCode)
  }

  @Test func theWaysOfAnAddressAreAskedFor() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    fixture.server.answer("createAuthUri", #"{"signinMethods":["password","emailLink","google.com"]}"#)
    #expect(try await auth.fetchSignInMethods(for: "ada@example.com") == [.password, .emailLink, .google])
    #expect(fixture.server.lastRequest?.json["identifier"] == "ada@example.com")
    fixture.server.answer("createAuthUri", #"{"sessionId":"s"}"#)
    #expect(try await auth.fetchSignInMethods(for: "ada@example.com") == [])
  }
}

import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct ActionCodeTests {
  private let link = "https://app.example.com/in?mode=signIn&oobCode=code&apiKey=k"

  @Test func mailsAreRequestedWithTheirSettings() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    auth.languageCode = "de"
    var settings = ActionCodeSettings()
    settings.url = URL(string: "https://app.example.com/in")
    settings.handleCodeInApp = true
    settings.iOSBundleID = "com.example.app"
    settings.setAndroidPackageName("com.example.app", installIfNotAvailable: true, minimumVersion: "12")
    settings.linkDomain = "example.web.app"
    try await auth.sendSignInLink(toEmail: "ada@example.com", actionCodeSettings: settings)
    let request = try #require(fixture.server.lastRequest)
    #expect(request.headers["X-Firebase-Locale"] == "de")
    #expect(
      request.json == [
        "requestType": "EMAIL_SIGNIN", "email": "ada@example.com",
        "continueUrl": "https://app.example.com/in",
        "iOSBundleId": "com.example.app", "androidPackageName": "com.example.app",
        "androidMinimumVersion": "12",
        "linkDomain": "example.web.app",
      ]
    )
    try await auth.sendPasswordReset(withEmail: "ada@example.com")
    #expect(
      fixture.server.lastRequest?.json == ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
    )
  }

  @Test func mailsToTheUserAreRequestedWithTheirToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    let idToken = try await auth.user.getIDToken()
    try await auth.user.sendEmailVerification()
    #expect(fixture.server.lastRequest?.json == ["requestType": "VERIFY_EMAIL", "idToken": idToken])
    try await auth.user.sendEmailVerification(beforeUpdatingEmail: "new@example.com")
    #expect(
      fixture.server.lastRequest?.json == [
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": idToken, "newEmail": "new@example.com",
      ]
    )
  }

  @Test func aRejectionThatEndsTheSessionSignsOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    fixture.server.fail("sendOobCode", "TOKEN_EXPIRED")
    await #expect(throws: AuthError.self) { try await auth.user.sendEmailVerification() }
    #expect(auth.currentUser == nil)
    #expect(auth.signOutReason?.code == .userTokenExpired)
  }

  @Test func aLinkForSigningInMustBeHandledByTheApp() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let error = await #expect(throws: AuthError.self) {
      try await auth.sendSignInLink(toEmail: "ada@example.com", actionCodeSettings: ActionCodeSettings())
    }
    #expect(error?.code == .argumentError)
    #expect(fixture.server.methods.isEmpty)
  }

  @Test func aLinkSignsIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let result = try await auth.signIn(withEmail: "ada@example.com", link: link)
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(auth.currentUser === result.user)
    #expect(
      try #require(fixture.server.request("signInWithEmailLink")).json == [
        "email": "ada@example.com", "oobCode": "code",
      ]
    )
  }

  @Test func aLinkLinksTheAddressToAnAnonymousUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let uid = guest.uid
    try await guest.link(with: EmailAuthProvider.credential(withEmail: "ada@example.com", link: link))
    #expect(guest.uid == uid && guest.email == "ada@example.com" && !guest.isAnonymous)
  }

  @Test(arguments: [
    ("https://app.example.com/in?mode=signIn&oobCode=c", true),
    ("https://d.example.com/?link=https%3A%2F%2Fa.b%2F%3Fmode%3DsignIn%26oobCode%3Dc", true),
    ("app://x/?deep_link_id=https%3A%2F%2Fa.b%2F%3Fmode%3DsignIn%26oobCode%3Dc", true),
    ("https://app.example.com/in?mode=verifyEmail&oobCode=c", false),
    ("https://app.example.com/in?mode=signIn", false),
    ("https://app.example.com/in?mode=signIn&oobCode=", false),
    ("https://app.example.com/", false), ("", false), ("not a link", false),
  ])
  func signInLinksAreRecognized(link: String, expected: Bool) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    #expect(auth.isSignIn(withEmailLink: link) == expected)
  }

  @Test func anotherLinkDoesNotSignIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let other = "https://a.b/?mode=resetPassword&oobCode=secret-code"
    let error = await #expect(throws: AuthError.self) { try await auth.signIn(withEmail: "a@b", link: other) }
    #expect(error?.code == .argumentError && error?.message.contains("secret") == false)
    let credential = EmailAuthProvider.credential(withEmail: "a@b", link: other)
    let again = await #expect(throws: AuthError.self) { try await auth.signIn(with: credential) }
    #expect(again?.code == .argumentError && fixture.server.methods.isEmpty)
    let url = try #require(ActionCodeURL(link: other))
    var dumped = ""
    dump(url, to: &dumped)
    #expect("\(url)" == "link for PASSWORD_RESET" && !dumped.contains("secret"))
  }

  @Test(
    arguments: [
      ("PASSWORD_RESET", "resetPassword", ActionCodeOperation.passwordReset),
      ("VERIFY_EMAIL", "verifyEmail", .verifyEmail), ("RECOVER_EMAIL", "recoverEmail", .recoverEmail),
      ("EMAIL_SIGNIN", "signIn", .emailLink),
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
    #expect(ActionCodeURL(link: "https://a.b/?mode=\(mode)&oobCode=c")?.operation == operation)
  }

  @Test func aChangeOfTheAddressHasBothAddresses() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.answer(
      "resetPassword",
      #"{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"old@example.com","newEmail":"new@example.com"}"#
    )
    let info = try await fixture.launch().checkActionCode("code")
    #expect(info.email == "new@example.com" && info.previousEmail == "old@example.com")
  }

  @Test func theCodeOfASignInHasNoAddress() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.answer("resetPassword", #"{"requestType":"EMAIL_SIGNIN"}"#)
    #expect(try await fixture.launch().checkActionCode("code").email == nil)
  }

  @Test func aPasswordIsResetWithItsCode() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let answer = #"{"requestType":"PASSWORD_RESET","email":"ada@example.com"}"#
    fixture.server.answer("resetPassword", answer)
    #expect(try await auth.verifyPasswordResetCode("code") == "ada@example.com")
    #expect(fixture.server.lastRequest?.json == ["oobCode": "code"])
    fixture.server.answer("resetPassword", answer)
    try await auth.confirmPasswordReset(withCode: "code", newPassword: "analytical")
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

  @Test func theSignInMethodsOfAnAddressAreReturned() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    fixture.server.answer("createAuthUri", #"{"signinMethods":["password","emailLink","google.com"]}"#)
    #expect(
      try await auth.fetchSignInMethods(forEmail: "ada@example.com") == [
        "password", "emailLink", "google.com",
      ])
    #expect(fixture.server.lastRequest?.json["identifier"] == "ada@example.com")
    fixture.server.answer("createAuthUri", #"{"sessionId":"s"}"#)
    #expect(try await auth.fetchSignInMethods(forEmail: "ada@example.com") == [])
  }

  @Test func aLinkHasItsParts() throws {
    let link =
      "https://a.b/?mode=verifyEmail&oobCode=c&apiKey=k&lang=de&continueUrl=https%3A%2F%2Fexample.com%2Fnext&oobCode=d"
    let url = try #require(ActionCodeURL(link: link))
    #expect(url.operation == .verifyEmail && url.code == "c" && url.apiKey == "k" && url.languageCode == "de")
    #expect(url.continueURL == URL(string: "https://example.com/next"))
    let plain = try #require(ActionCodeURL(link: "https://a.b/?mode=verifyEmail&oobCode=c"))
    #expect(plain.apiKey == nil && plain.languageCode == nil && plain.continueURL == nil)
  }
}

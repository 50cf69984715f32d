import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct SignInTests {
  @Test func creatingAUserSignsThemIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let result = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    #expect(result.additionalUserInfo == AdditionalUserInfo(providerID: "password", isNewUser: true))
    #expect(result.user.email == "ada@example.com")
    #expect(result.user.providerData.map(\.providerID) == ["password"])
    #expect(!result.user.isAnonymous)
    #expect(result.user.metadata.creationDate == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(auth.currentUser === result.user)
    #expect(fixture.server.methods == ["signUp", "lookup"])
  }

  @Test func anAnonymousUserIsReturnedWithoutARequest() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let first = try await auth.signInAnonymously()
    let second = try await auth.signInAnonymously()
    #expect(first.additionalUserInfo?.isNewUser == true && second.additionalUserInfo?.isNewUser == false)
    #expect(first.user === second.user)
    #expect(first.user.isAnonymous && first.user.providerData.isEmpty)
    #expect(fixture.server.methods == ["signUp", "lookup"])
  }

  @Test func signingInReplacesTheCurrentUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    try await auth.signOut()
    let guest = try await auth.signInAnonymously().user
    let again = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
    #expect(guest.uid != ada.uid)
    #expect(again.user.profile == ada.profile && again.additionalUserInfo?.isNewUser == false)
    #expect(auth.currentUser?.uid == ada.uid)
  }

  /// The task is cancelled before the last answer arrives.
  @Test func aCancelledSignInLeavesTheCurrentUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let signIn = Lock<Task<AuthDataResult, any Error>?>(nil)
    fixture.server.beforeAnswering("lookup") { signIn.withLock { $0 }?.cancel() }
    let task = signIn.withLock { signIn in
      let task = Task { try await auth.createUser(withEmail: "ada@example.com", password: "lovelace") }
      signIn = task
      return task
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(auth.currentUser === guest && guest.isAnonymous)
    #expect(try fixture.launch().user.profile == guest.profile)
  }

  @Test(arguments: ["signInWithPassword", "lookup"])
  func aFailingSignInLeavesTheCurrentUser(method: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    fixture.server.fail(method, "USER_DISABLED")
    let error = await #expect(throws: AuthError.self) {
      try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
    }
    #expect(error?.code == .userDisabled)
    #expect(auth.currentUser === ada)
  }

  @Test(arguments: [
    ("EMAIL_NOT_FOUND", AuthError.Code.userNotFound), ("INVALID_PASSWORD", .wrongPassword),
    ("INVALID_LOGIN_CREDENTIALS", .invalidCredential), ("EMAIL_EXISTS", .emailAlreadyInUse),
    ("WEAK_PASSWORD : Password should be at least 6 characters", .weakPassword),
    ("INVALID_EMAIL", .invalidEmail),
    ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [digit]", .passwordPolicy),
    ("MISSING_EMAIL", .missingEmail), ("MISSING_PASSWORD", .missingPassword),
    ("USER_DISABLED", .userDisabled),
    ("OPERATION_NOT_ALLOWED", .operationNotAllowed), ("PASSWORD_LOGIN_DISABLED", .operationNotAllowed),
    ("ADMIN_ONLY_OPERATION", .adminRestrictedOperation), ("TOO_MANY_ATTEMPTS_TRY_LATER", .tooManyRequests),
    ("QUOTA_EXCEEDED", .quotaExceeded), ("INVALID_ID_TOKEN", .invalidUserToken),
    ("TOKEN_EXPIRED", .userTokenExpired), ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .requiresRecentLogin),
    ("API key not valid. Please pass a valid API key.", .invalidAPIKey), ("SOMETHING_NEW", .internalError),
  ])
  func theServersErrorsBecomeTypedErrors(code: String, expected: AuthError.Code) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.fail("signUp", code)
    let auth = try fixture.launch()
    let error = await #expect(throws: AuthError.self) {
      try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    }
    #expect(error?.code == expected)
  }

  @Test func anUnreachableServerIsANetworkError() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.server.fail("signUp", TransportError(.tls, "127.0.0.1 has no certificate."))
    let auth = try fixture.launch()
    let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect(error?.code == .networkError)
    #expect((error?.underlying as? TransportError)?.code == .tls)
  }

  @Test func missingArgumentsAreErrorsWithoutARequest() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let codes = [
      await #expect(throws: AuthError.self) {
        try await auth.createUser(withEmail: "", password: "lovelace")
      }?
      .code,
      await #expect(throws: AuthError.self) { try await auth.createUser(withEmail: "a@b", password: "") }?
        .code,
      await #expect(throws: AuthError.self) { try await auth.signIn(withEmail: "a@b", password: "") }?.code,
    ]
    #expect(codes == [.missingEmail, .weakPassword, .missingPassword])
    #expect(fixture.server.methods.isEmpty)
  }

  @Test func anUnsignedTokenIsNotAcceptedFromProduction() async throws {
    let fixture = try AuthFixture(backend: .production)
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect(error?.message.contains("unsigned") == true)
    #expect(auth.currentUser == nil)
  }
}

import Foundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// The tenant of sign-ins, of users and of what the session stores. The server says in each token to which
/// tenant the user belongs.
@Suite(.limited) struct TenantTests {
  /// Returns the answer to a sign-in to a tenant.
  private func answer(_ tenant: String?, uid: String = "ada", refreshToken: String = "refresh") -> String {
    let member = tenant.map { #","tenant":"\#($0)""# } ?? ""
    let payload =
      #"{"sub":"\#(uid)","iat":1700000000,"exp":1700003600,"firebase":{"sign_in_provider":"password"\#(member)}}"#
    let token =
      [#"{"alg":"none","typ":"JWT"}"#, payload].map { Data($0.utf8).base64EncodedString() }
      .joined(separator: ".") + "."
    return
      #"{"localId":"\#(uid)","idToken":"\#(token)","id_token":"\#(token)","refreshToken":"\#(refreshToken)","#
      + #""refresh_token":"\#(refreshToken)","expiresIn":"3600","expires_in":"3600"}"#
  }

  private static let record = #"{"users":[{"localId":"ada","email":"ada@example.com"}]}"#

  /// Signs in to a tenant, and returns the user.
  private func signedIn(_ auth: Auth, _ fixture: AuthFixture, _ tenant: String?) async throws -> User {
    auth.tenantID = tenant
    fixture.server.answer("signInWithPassword", answer(tenant))
    fixture.server.answer("lookup", Self.record)
    return try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
  }

  @Test func theTenantIsSentAndStoredWithTheUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    #expect(auth.tenantID == nil)
    let user = try await signedIn(auth, fixture, "acme")
    #expect(user.tenantID == "acme" && auth.currentUser == user)
    #expect(fixture.server.request("signInWithPassword")?.json["tenantId"] == "acme")
    // The token contains the tenant of the account.
    #expect(fixture.server.request("lookup")?.json.keys.sorted() == ["idToken"])
    let relaunched = try fixture.launch()
    #expect(relaunched.currentUser?.tenantID == "acme" && relaunched.currentUser?.uid == "ada")
    #expect(relaunched.tenantID == nil)
  }

  @Test func withoutATenantNoneIsSent() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    auth.tenantID = ""
    #expect(auth.tenantID == nil)
    _ = try await auth.signInAnonymously()
    #expect(fixture.server.request("signUp")?.json["tenantId"] == nil)
    #expect(auth.currentUser?.tenantID == nil)
  }

  @Test(arguments: [("acme", nil), ("acme", "other"), (nil, "acme")] as [(String?, String?)])
  func aUserOfAnotherTenantIsNotAccepted(asked: String?, answered: String?) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    auth.tenantID = asked
    fixture.server.answer("signInWithPassword", answer(answered))
    fixture.server.answer("lookup", Self.record)
    let error = await #expect(throws: AuthError.self) {
      try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
    }
    #expect(error?.code == .tenantIDMismatch && auth.currentUser == nil)
  }

  @Test func aRefreshWithTheTokensOfAnotherTenantIsNotAccepted() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await signedIn(auth, fixture, "acme")
    for tenant in ["other", nil] {
      fixture.server.answer("token", answer(tenant))
      let error = await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
      #expect(error?.code == .internalError)
    }
    fixture.server.answer("token", answer("acme"))
    _ = try await user.getIDToken(forcingRefresh: true)
    #expect(auth.currentUser == user)
  }

  /// A file in which the tenant was changed isn't the session that was stored.
  @Test func aSessionWithAnotherTenantIsDamaged() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await signedIn(try fixture.launch(), fixture, "acme")
    let data = try Data(contentsOf: URL(fileURLWithPath: try fixture.sessionFile))
    guard case .session(var session, _) = SessionFormat.decode(data) else {
      Issue.record("The session can't be read.")
      return
    }
    session.profile.tenantID = "other"
    try SessionFormat.encode(session).write(to: URL(fileURLWithPath: try fixture.sessionFile))
    let auth = try fixture.launch()
    #expect(auth.currentUser == nil && auth.sessionProblem?.code == .sessionDamaged)
  }

  @Test func operationsOnAUserAreThoseOfItsTenant() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await signedIn(auth, fixture, "acme")
    auth.tenantID = "other"
    fixture.server.answer("sendOobCode", #"{"email":"ada@example.com"}"#)
    try await user.sendEmailVerification()
    #expect(fixture.server.request("sendOobCode")?.json["tenantId"] == "acme")
    fixture.server.answer("signInWithPassword", answer("acme"))
    fixture.server.answer("lookup", Self.record)
    _ = try await user.reauthenticate(with: .email("ada@example.com", "lovelace"))
    #expect(fixture.server.request("signInWithPassword")?.json["tenantId"] == "acme")
    fixture.server.answer("sendOobCode", #"{"email":"ada@example.com"}"#)
    try await auth.sendPasswordReset(withEmail: "ada@example.com")
    #expect(fixture.server.request("sendOobCode")?.json["tenantId"] == "other")
  }

  @Test func usersOfTwoTenantsWithTheSameIDAreDifferent() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let (first, second) = (
      try await signedIn(auth, fixture, "acme"), try await signedIn(auth, fixture, "other")
    )
    #expect(first != second && first.uid == second.uid && auth.currentUser === second)
    let error = await #expect(throws: AuthError.self) { try await first.getIDToken() }
    #expect(error?.code == .userSignedOut)
  }

  @Test func anonymousUsersOfAnotherTenantAreNotTakenOver() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let own = try await auth.signInAnonymously().user
    #expect(try await auth.signInAnonymously().user === own)
    auth.tenantID = "acme"
    fixture.server.answer("signUp", answer("acme"))
    fixture.server.answer("lookup", #"{"users":[{"localId":"ada"}]}"#)
    let user = try await auth.signInAnonymously().user
    #expect(user !== own && user.tenantID == "acme")
  }

  @Test func aLinkTellsItsTenant() {
    let link = "http://localhost/emulator/action?mode=resetPassword&oobCode=c&tenantId="
    #expect(ActionCodeURL(link: link + "acme")?.tenantID == "acme")
    #expect(ActionCodeURL(link: link)?.tenantID == nil)
  }
}

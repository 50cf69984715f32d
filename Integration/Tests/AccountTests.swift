import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTesting
import Testing

/// Auth and the embedded accounts, joined over the wire protocol.
struct AccountTests {
  private static let settings = ActionCodeSettings(
    continueURL: URL(string: "https://example.com/next"), handlesCodeInApp: true)

  private func withAuth(
    _ directory: String? = nil, _ body: (Auth, Embedded) async throws -> Void
  ) async throws {
    let app = try App.configure(
      named: "accounts-\(UUID())",
      options: AppOptions(projectID: "demo-accounts", backend: .embedded(directory: directory)))
    do {
      try await body(try Auth.auth(app: app), try Embedded.embedded(app: app))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func anAnonymousUserKeepsTheIDThroughEveryFurtherWayToSignIn() async throws {
    try await withAuth { auth, embedded in
      let uid = try await auth.signInAnonymously().user.uid
      let linked = try await auth.link(with: .password(email: "ann@example.com", password: "secret!"))
      #expect(linked.uid == uid)
      #expect(!linked.isAnonymous)
      let google = AuthCredential.provider(
        .google, idToken: #"{"sub": "g-1", "email": "ann@example.com", "email_verified": true}"#)
      let both = try await auth.link(with: google)
      #expect(both.uid == uid)
      #expect(Set(both.providers.map(\.providerID)) == [.password, .google])
      try await auth.signOut()
      #expect(try await auth.signIn(with: google).user.uid == uid)
      #expect(try await auth.unlink(.google).providers.map(\.providerID) == [.password])
      try await auth.signOut()
      #expect(try await auth.signIn(email: "ann@example.com", password: "secret!").user.uid == uid)
    }
  }

  @Test func aLinkInAMailSignsInAndVerifies() async throws {
    try await withAuth { auth, embedded in
      try await auth.sendSignInLink(to: "bob@example.com", settings: Self.settings)
      let mail = try #require(try await embedded.accountCodes().first { $0.kind == .emailSignIn })
      #expect(auth.isSignInLink(mail.link))
      let user = try await auth.signIn(email: "bob@example.com", link: mail.link).user
      #expect(user.isEmailVerified)
      try await auth.signOut()
      // A link is good for one time.
      let thrown = await #expect(throws: AuthError.self) {
        try await auth.signIn(email: "bob@example.com", link: mail.link)
      }
      #expect(thrown?.code == .invalidActionCode)
    }
  }

  @Test func aForgottenPasswordIsReplacedAndTheOldOneIsGone() async throws {
    try await withAuth { auth, embedded in
      _ = try await auth.createUser(email: "eve@example.com", password: "forgotten")
      try await auth.signOut()
      try await auth.sendPasswordReset(to: "eve@example.com")
      let code = try #require(try await embedded.accountCodes().first { $0.kind == .passwordReset }).code
      #expect(try await auth.verifyPasswordResetCode(code) == "eve@example.com")
      try await auth.confirmPasswordReset(code: code, newPassword: "remembered")
      let thrown = await #expect(throws: AuthError.self) {
        try await auth.signIn(email: "eve@example.com", password: "forgotten")
      }
      #expect(thrown?.description.contains("forgotten") == false)
      #expect(
        try await auth.signIn(email: "eve@example.com", password: "remembered").user.email
          == "eve@example.com")
    }
  }

  @Test func aServersTokenSignsInWithItsClaims() async throws {
    struct Claims: Codable { var role: String }
    try await withAuth { auth, embedded in
      let token = try embedded.customToken(for: "server-made", claims: Claims(role: "editor"))
      #expect(try await auth.signIn(customToken: token).user.uid == "server-made")
      let result = try #require(try await auth.idTokenResult())
      #expect(result.userID == "server-made")
      #expect(try result.claims(as: Claims.self).role == "editor")
      #expect(result.signInProvider == .custom)
    }
  }

  @Test func aSessionAndItsWaysToSignInSurviveARestart() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-accounts-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let options = AppOptions(projectID: "demo-accounts", backend: .embedded(directory: directory.path))
    let name = "accounts-restart-\(UUID())"
    let first = try App.configure(named: name, options: options)
    let uid = try await Auth.auth(app: first).createUser(email: "joe@example.com", password: "secret!").user
      .uid
    await first.delete()
    let second = try App.configure(named: name, options: options)
    let auth = try Auth.auth(app: second)
    #expect(try await auth.currentUser?.uid == uid)
    #expect(try await auth.reload().providers.map(\.providerID) == [.password])
    let ways = try await auth.fetchSignInMethods(for: "joe@example.com")
    #expect(ways == [.password])
    await second.delete()
  }
}

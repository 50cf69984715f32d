import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Auth and the embedded accounts, connected by the wire protocol.
@Suite(.limited) struct AccountTests {
  private static let settings = ActionCodeSettings(
    url: URL(string: "https://example.com/next"), handleCodeInApp: true)

  private func withAuth(
    _ directory: String? = nil, _ body: (Auth, Embedded) async throws -> Void
  ) async throws {
    let app = try App.configure(
      name: "accounts-\(UUID())",
      options: AppOptions(projectID: "demo-accounts", backend: .embedded(directory: directory)))
    do {
      try await body(try Auth.auth(app: app), try Embedded.embedded(app: app))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func anAnonymousUserKeepsTheIDWithEachAdditionalSignInMethod() async throws {
    try await withAuth { auth, embedded in
      let user = try await auth.signInAnonymously().user
      let uid = user.uid
      try await user.link(
        with: EmailAuthProvider.credential(withEmail: "ann@example.com", password: "secret!"))
      #expect(user.uid == uid)
      #expect(!user.isAnonymous)
      let google = OAuthProvider.credential(
        providerID: .google, idToken: #"{"sub": "g-1", "email": "ann@example.com", "email_verified": true}"#)
      let both = try await user.link(with: google).user
      #expect(both.uid == uid)
      #expect(Set(both.providerData.map(\.providerID)) == [EmailAuthProvider.id, GoogleAuthProvider.id])
      try await auth.signOut()
      let again = try await auth.signIn(with: google).user
      #expect(again.uid == uid)
      try await again.unlink(fromProvider: GoogleAuthProvider.id)
      #expect(again.providerData.map(\.providerID) == [EmailAuthProvider.id])
      try await auth.signOut()
      #expect(try await auth.signIn(withEmail: "ann@example.com", password: "secret!").user.uid == uid)
    }
  }

  @Test func theIDAtAProviderIsTheSameInAllResponses() async throws {
    try await withAuth { auth, _ in
      let google = OAuthProvider.credential(
        providerID: .google, idToken: #"{"sub": "g-1", "name": "Ann"}"#)
      let result = try await auth.signIn(with: google)
      #expect(result.user.providerData.map(\.uid) == ["g-1"])
      #expect(result.user.providerData.first?.displayName == "Ann")
      let profile = try #require(result.additionalUserInfo?.profile)
      #expect(profile["id"] as? String == "g-1")
    }
  }

  @Test func anEmailedLinkSignsInAndVerifiesTheAddress() async throws {
    try await withAuth { auth, embedded in
      try await auth.sendSignInLink(toEmail: "bob@example.com", actionCodeSettings: Self.settings)
      let mail = try #require(try await embedded.accountCodes().first { $0.kind == .emailSignIn })
      #expect(auth.isSignIn(withEmailLink: mail.link.absoluteString))
      let user = try await auth.signIn(withEmail: "bob@example.com", link: mail.link.absoluteString).user
      #expect(user.isEmailVerified)
      try await auth.signOut()
      // A link can be used only once.
      let thrown = await #expect(throws: AuthError.self) {
        try await auth.signIn(withEmail: "bob@example.com", link: mail.link.absoluteString)
      }
      #expect(thrown?.code == .invalidActionCode)
    }
  }

  @Test func aPasswordResetReplacesThePassword() async throws {
    try await withAuth { auth, embedded in
      _ = try await auth.createUser(withEmail: "eve@example.com", password: "forgotten")
      try await auth.signOut()
      try await auth.sendPasswordReset(withEmail: "eve@example.com")
      let code = try #require(try await embedded.accountCodes().first { $0.kind == .passwordReset }).code
      #expect(try await auth.verifyPasswordResetCode(code) == "eve@example.com")
      try await auth.confirmPasswordReset(withCode: code, newPassword: "remembered")
      let thrown = await #expect(throws: AuthError.self) {
        try await auth.signIn(withEmail: "eve@example.com", password: "forgotten")
      }
      #expect(thrown?.description.contains("forgotten") == false)
      #expect(
        try await auth.signIn(withEmail: "eve@example.com", password: "remembered").user.email
          == "eve@example.com")
    }
  }

  @Test func aCustomTokenSignsInWithItsClaims() async throws {
    struct Claims: Codable { var role: String }
    try await withAuth { auth, embedded in
      let token = try embedded.customToken(for: "server-made", claims: Claims(role: "editor"))
      let user = try await auth.signIn(withCustomToken: token).user
      #expect(user.uid == "server-made")
      #expect(auth.currentUser == user)
      let result = try await user.getIDTokenResult()
      #expect(result.userID == "server-made")
      let claims = try result.claims(as: Claims.self)
      #expect(claims.role == "editor")
      #expect(result.signInProvider == "custom")
    }
  }

  /// A change that an administrator makes to a user's account.
  enum Measure: CaseIterable, Sendable { case disables, revokes, deletes }

  private func administrate(_ embedded: Embedded, _ measure: Measure, _ uid: String) async throws {
    let method = measure == .deletes ? "delete" : "update"
    var body: [String: JSON] = ["localId": .string(uid)]
    if measure == .disables { body["disableUser"] = true }
    if measure == .revokes { body["validSince"] = .string("\(Int(Date.now.timeIntervalSince1970) + 60)") }
    let url = "https://identitytoolkit.googleapis.com/v1/projects/demo-accounts/accounts:\(method)"
    var request = try TransportRequest.json(.post, try #require(URL(string: url)), body)
    request.headers.add("Authorization", "Bearer owner")
    try #require(try await embedded.send(request).status == 200)
  }

  @Test(arguments: Measure.allCases)
  func aUserWhomAnAdministratorExcludesIsSignedOutWithTheReason(measure: Measure) async throws {
    try await withAuth { auth, embedded in
      let uid = try await auth.createUser(withEmail: "mia@example.com", password: "secret!").user.uid
      var states = auth.authStateChanges.makeAsyncIterator()
      let before = await states.next()
      #expect(before??.uid == uid)
      try await administrate(embedded, measure, uid)
      let error = await #expect(throws: AuthError.self) {
        try await auth.currentUser?.getIDToken(forcingRefresh: true)
      }
      let after = await states.next()
      #expect(after == .some(nil))
      let reason = auth.signOutReason
      #expect(reason?.code == error?.code)
      let codes: [Measure: AuthError.Code] = [
        .disables: .userDisabled, .revokes: .userTokenExpired, .deletes: .userNotFound,
      ]
      #expect(reason?.code == codes[measure])
    }
  }

  @Test func eachAppHasItsOwnUsersAndStreams() async throws {
    try await withAuth { first, _ in
      try await withAuth { second, _ in
        var (here, there) = (
          first.authStateChanges.makeAsyncIterator(), second.authStateChanges.makeAsyncIterator()
        )
        var tokens = second.idTokenChanges.makeAsyncIterator()
        let starts = [await here.next(), await there.next(), await tokens.next()]
        #expect(starts == [.some(nil), .some(nil), .some(nil)])
        let guest = try await first.signInAnonymously().user
        let told = await here.next()
        #expect(told == guest)
        let uid = try await second.createUser(withEmail: "zoe@example.com", password: "secret!").user.uid
        // The first element of the second app's streams is its own user.
        let others = [await there.next()??.uid, await tokens.next()??.uid]
        #expect(others == [uid, uid])
        try await second.signOut()
        let end = await there.next()
        let stays = first.currentUser
        #expect(end == .some(nil) && stays == guest)
      }
    }
  }

  @Test func aSessionAndItsSignInMethodsSurviveARestart() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-accounts-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let options = AppOptions(projectID: "demo-accounts", backend: .embedded(directory: directory.path))
    let name = "accounts-restart-\(UUID())"
    let first = try App.configure(name: name, options: options)
    let uid = try await Auth.auth(app: first).createUser(withEmail: "joe@example.com", password: "secret!")
      .user
      .uid
    await first.delete()
    let second = try App.configure(name: name, options: options)
    let auth = try Auth.auth(app: second)
    #expect(auth.currentUser?.uid == uid)
    try await auth.currentUser?.reload()
    #expect(auth.currentUser?.providerData.map(\.providerID) == [EmailAuthProvider.id])
    let ways = try await auth.fetchSignInMethods(forEmail: "joe@example.com")
    #expect(ways == [EmailAuthProvider.id])
    await second.delete()
  }
}

import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonAuth

@Suite(.limited) struct SessionFileTests {
  @Test func aSessionSurvivesARestart() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    let user = try await first.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let token = try await first.user.getIDToken()
    let second = try fixture.launch()
    #expect(try second.user.profile == user.profile)
    #expect(try await second.user.getIDToken() == token)
    #expect(fixture.server.methods == ["signUp", "lookup"])
    try await second.signOut()
    #expect(try fixture.launch().currentUser == nil)
  }

  @Test func onlyTheOwnerMayReadTheFile() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().signInAnonymously()
    let attributes = try FileManager.default.attributesOfItem(atPath: fixture.sessionFile)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func aFileThatCanNotBeReadIsAnErrorAndIsNotOverwritten() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let file = try fixture.sessionFile
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    let auth = try fixture.launch()
    #expect(auth.currentUser == nil && auth.sessionProblem?.code == .sessionUnreadable)
    await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    await #expect(throws: AuthError.self) { try await auth.signIn(withEmail: "a@b", password: "secret") }
    let interop = SignedInUser(session: auth.session)
    await #expect(throws: AuthError.self) { try await interop.token(forcingRefresh: false) }
    await #expect(throws: AuthError.self) { try await interop.currentUserID }
    #expect(FileManager.default.fileExists(atPath: file))
    #expect(fixture.server.methods.isEmpty)
  }

  @Test func signingOutMovesAFileThatCanNotBeReadAside() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let file = try fixture.sessionFile
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    let auth = try fixture.launch()
    try await auth.signOut()
    #expect(auth.currentUser == nil)
    let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
    let kept = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
      $0.hasPrefix("session.json.unreadable-")
    }
    #expect(kept.count == 1)
    _ = try await auth.signInAnonymously()
    #expect(try fixture.launch().currentUser != nil)
  }

  @Test func aRefreshDoesNotUndoTheSignInOfAnotherProcess() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    let guest = try await first.signInAnonymously().user
    let second = try fixture.launch()
    let ada = try await second.createUser(withEmail: "ada@example.com", password: "lovelace").user
    #expect(try await !first.user.getIDToken(forcingRefresh: true).isEmpty)
    #expect(first.currentUser === guest)
    #expect(try fixture.launch().user.profile == ada.profile)
    try await first.signOut()
    #expect(try fixture.launch().user.profile == ada.profile)
  }

  @Test func tokensThatAnotherProcessStoredAreAdopted() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    let ada = try await first.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let second = try fixture.launch()
    try await second.user.updatePassword(to: "analytical")
    let token = try await second.user.getIDToken()
    #expect(try await first.user.getIDToken(forcingRefresh: true) == token)
    #expect(first.currentUser === ada)
  }

  @Test func tokensThatCanNotBeStoredAreUsedAllTheSame() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await auth.user.getIDToken()
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    try FileManager.default.removeItem(at: file.deletingLastPathComponent())
    let second = try await auth.user.getIDToken(forcingRefresh: true)
    #expect(second != first)
    #expect(try await auth.user.getIDToken() == second)
    let error = await #expect(throws: AuthError.self) { try await auth.signOut() }
    #expect(error?.code == .sessionUnwritable)
    #expect(auth.currentUser != nil)
  }

  @Test func manyProcessesWriteWholeSessions() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let auth = try fixture.launch()
          for _ in 0..<20 {
            _ = try await auth.signInAnonymously()
            try #require(try fixture.launch().sessionProblem == nil)
            try await auth.signOut()
          }
        }
      }
      try await group.waitForAll()
    }
    let directory = URL(fileURLWithPath: try fixture.sessionFile).deletingLastPathComponent().path
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    #expect(names.isSubset(of: ["session.json", "session.json.lock"]))
  }

  @Test func secretsAppearInNoDescription() async throws {
    let session = StoredSession(
      profile: UserProfile(uid: "u", isAnonymous: true, isEmailVerified: false, providerData: []),
      tokens: SessionTokens(
        idToken: Secret("id-secret"),
        refreshToken: Secret("refresh-secret"),
        expires: .now
      )
    )
    var dumped = ""
    dump(session, to: &dumped)
    for text in [String(describing: session), String(reflecting: session), dumped, "\(session.tokens)"] {
      #expect(!text.contains("secret"))
    }
  }
}

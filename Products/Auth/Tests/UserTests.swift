import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonAuth

/// The user object, and what becomes of it when the session ends.
@Suite(.limited) struct UserTests {
  /// Every operation of a user.
  enum Operation: CaseIterable, Sendable {
    case getIDToken, getIDTokenResult, reload, delete, link, unlink, reauthenticate, updatePassword,
      updateEmail
    case commitChanges, sendEmailVerification, sendEmailVerificationBeforeUpdatingEmail

    func run(_ user: User) async throws {
      switch self {
      case .getIDToken: _ = try await user.getIDToken(forcingRefresh: true)
      case .getIDTokenResult: _ = try await user.getIDTokenResult()
      case .reload: try await user.reload()
      case .delete: try await user.delete()
      case .link: try await user.link(with: .email("ada@example.com", "lovelace"))
      case .unlink: try await user.unlink(fromProvider: GoogleAuthProvider.id)
      case .reauthenticate: try await user.reauthenticate(with: .email("ada@example.com", "lovelace"))
      case .updatePassword: try await user.updatePassword(to: "analytical")
      case .updateEmail: try await user.updateEmail(to: "new@example.com")
      case .commitChanges:
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await request.commitChanges()
      case .sendEmailVerification: try await user.sendEmailVerification()
      case .sendEmailVerificationBeforeUpdatingEmail:
        try await user.sendEmailVerification(beforeUpdatingEmail: "new@example.com")
      }
    }
  }

  @Test(arguments: Operation.allCases)
  func anOperationOnASignedOutUserThrowsAndSendsNothing(operation: Operation) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    try await auth.signOut()
    let count = fixture.server.methods.count
    let error = await #expect(throws: AuthError.self) { try await operation.run(guest) }
    #expect(error?.code == .userSignedOut && error?.message.contains(guest.uid) == true)
    #expect(fixture.server.methods.count == count)
    #expect(guest.isAnonymous, "the properties keep their values")
  }

  @Test(arguments: Operation.allCases)
  func anOperationOnAFormerUserLeavesTheCurrentOne(operation: Operation) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let (profile, token) = (ada.profile, try await ada.getIDToken())
    let count = fixture.server.methods.count
    let error = await #expect(throws: AuthError.self) { try await operation.run(guest) }
    #expect(error?.code == .userSignedOut)
    #expect(fixture.server.methods.count == count)
    #expect(auth.currentUser === ada && ada.profile == profile)
    #expect(try await ada.getIDToken() == token)
  }

  @Test func theUserOfAnEarlierSessionStaysSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let before = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    try await auth.signOut()
    let after = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
    #expect(before == after && before !== after)
    await #expect(throws: AuthError.self) { try await before.getIDToken() }
    #expect(try await !after.getIDToken().isEmpty)
  }

  @Test func aUserWhoSignsInAgainKeepsTheObject() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let before = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    fixture.server.state.withLock { $0.users[0].displayName = "Ada" }
    let after = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
    #expect(before === after && auth.currentUser === before)
    #expect(before.displayName == "Ada")
  }

  @Test func everyReferenceShowsAReload() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    #expect(
      user.displayName == nil && user.metadata.creationDate != nil && user.metadata.lastSignInDate == nil)
    fixture.server.state.withLock { $0.users[0].displayName = "Ada" }
    try await auth.user.reload()
    #expect(user.displayName == "Ada")
  }

  @Test func aUserWhoseAuthIsGoneIsSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let user = try await fixture.launch().signInAnonymously().user
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(error?.code == .userSignedOut)
  }

  @Test func usersAreEqualIfTheirIDIs() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    let guest = try await first.signInAnonymously().user
    let same = try fixture.launch().user
    let other = try await first.createUser(withEmail: "ada@example.com", password: "lovelace").user
    #expect(guest == same && guest !== same && guest != other)
    #expect(Set([guest, same, other]).count == 2)
    #expect("\(guest)" == "user user-1" && String(reflecting: guest) == "user user-1")
  }
}

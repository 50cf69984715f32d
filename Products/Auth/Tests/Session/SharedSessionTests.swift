import Foundation
import TenonTestSupport
import Testing

@testable import TenonAuth

/// Several processes with one session. Each launch is as independent of the others as a process.
@Suite(.limited) struct SharedSessionTests {
  @Test func listenersNoticeTheSignOutOfAnotherProcess() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    let user = try await first.signInAnonymously().user
    let second = try fixture.launch()
    var states = second.authStateChanges.makeAsyncIterator()
    #expect(await states.next()??.uid == user.uid)
    try await first.signOut()
    #expect(await states.next() == .some(nil))
    #expect(second.currentUser == nil && second.signOutReason == nil)
  }

  @Test func operationsNoticeTheSignOutOfAnotherProcess() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    _ = try await first.signInAnonymously()
    let second = try fixture.launch()
    let user = try second.user
    try await first.signOut()
    #expect(try await SignedInUser(session: second.session).token(forcingRefresh: false) == nil)
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(error?.code == .userSignedOut)
  }

  @Test func theSignOutOfAnotherUserEndsNoSession() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    let guest = try await first.signInAnonymously().user
    let second = try fixture.launch()
    _ = try await second.createUser(withEmail: "ada@example.com", password: "lovelace")
    try await second.signOut()
    #expect(try await !guest.getIDToken().isEmpty)
    #expect(first.currentUser === guest)
  }

  @Test func aUserWhoSignsInAgainIsSignedIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    try await auth.signOut()
    let user = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
    #expect(try await !user.getIDToken().isEmpty)
    #expect(auth.currentUser === user)
  }

  /// RFC 6749, section 6: the server may issue a new refresh token.
  @Test func aRefreshWithoutARefreshTokenKeepsTheOldOne() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let token = try await auth.user.getIDToken()
    fixture.server.answer("token", #"{"id_token":"\#(token)","expires_in":"3600"}"#)
    #expect(try await auth.user.getIDToken(forcingRefresh: true) == token)
    #expect(try await auth.user.getIDToken(forcingRefresh: true) != token)
    #expect(fixture.server.lastRequest?.json["refreshToken"] == "refresh-1")
  }
}

import Foundation
import TenonAuthInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonAuth

@Suite(.limited) struct StateChangesTests {
  @Test func authStateChangesReportsTheUserOnly() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    var states = auth.authStateChanges.makeAsyncIterator()
    #expect(await states.next() == .some(nil))
    let guest = try await auth.signInAnonymously().user
    #expect(await states.next()??.uid == guest.uid)
    _ = try await auth.user.getIDToken(forcingRefresh: true)
    try await auth.user.link(with: .email("ada@example.com", "lovelace"))
    _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
    let other = try await auth.createUser(withEmail: "bob@example.com", password: "password").user
    #expect(await states.next()??.uid == other.uid)
    try await auth.signOut()
    #expect(await states.next() == .some(nil))
  }

  @Test func idTokenChangesReportsEachToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    var users = auth.idTokenChanges.makeAsyncIterator()
    #expect(await users.next()??.isAnonymous == true)
    _ = try await auth.user.getIDToken(forcingRefresh: true)
    #expect(await users.next()??.isAnonymous == true)
    try await auth.user.reload()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    #expect(await users.next()??.email == "ada@example.com")
    try await auth.signOut()
    #expect(await users.next() == .some(nil))
  }

  @Test func userChangesReportsTheProfileAsWell() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    var users = auth.userChanges.makeAsyncIterator()
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    #expect(await users.next()??.displayName == nil)
    _ = await tokens.next()
    let request = try auth.user.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()
    #expect(await users.next()??.displayName == "Ada")
    try await auth.user.link(with: OAuthProvider.credential(providerID: .google, idToken: "g1"))
    #expect(await users.next()??.providerData.count == 2)
    #expect(await tokens.next()??.providerData.count == 2)
    try await auth.signOut()
    #expect(await users.next() == .some(nil))
    #expect(await tokens.next() == .some(nil))
  }

  @Test func aRestoredUserIsTheFirstValue() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let user = try await fixture.launch().signInAnonymously().user
    var states = try fixture.launch().authStateChanges.makeAsyncIterator()
    let restored = await states.next()
    #expect(restored??.profile == user.profile)
  }

  @Test func streamsStartOnceTheSessionCanBeRead() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    try Data("not json".utf8).write(to: URL(fileURLWithPath: try fixture.sessionFile))
    let auth = try fixture.launch()
    let states = auth.authStateChanges
    try await auth.signOut()
    let user = try await auth.signInAnonymously().user
    var seen: [String?] = []
    for await state in states {
      seen.append(state?.uid)
      if state?.uid == user.uid { break }
    }
    #expect(seen.last == user.uid)
  }

  @Test func otherProductsReceiveTheUserAndTheToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let interop = SignedInUser(session: auth.session)
    var states = interop.stateChanges.makeAsyncIterator()
    #expect(await states.next() == AuthState())
    #expect(try await interop.token(forcingRefresh: false) == nil)
    let user = try await auth.signInAnonymously().user
    let token = try await auth.user.getIDToken()
    #expect(await states.next() == AuthState(userID: user.uid, token: token))
    #expect(try await interop.currentUserID == user.uid)
    #expect(try await interop.token(forcingRefresh: false) == token)
  }

  @Test func theInteropKeepsTheContract() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    try await AuthInteropContract.check(SignedInUser(session: auth.session)) {
      _ = try await auth.signInAnonymously()
    } signOut: {
      try await auth.signOut()
    }
  }

  @Test func aStreamOfAClosedSessionEndsAtOnce() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    await auth.session.close()
    for stream in [auth.authStateChanges, auth.idTokenChanges, auth.userChanges] {
      var users = stream.makeAsyncIterator()
      #expect(await users.next() == nil)
    }
  }

  @Test func closingEndsTheStreams() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    var states = auth.authStateChanges.makeAsyncIterator()
    _ = await states.next()
    await auth.session.close()
    #expect(await states.next() == nil)
  }

  @Test func streamsEndWhenAuthIsReleased() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var states = try fixture.launch().authStateChanges.makeAsyncIterator()
    var received = 0
    while await states.next() != nil { received += 1 }
    #expect(received <= 1)
  }
}

import Foundation
import TenonAuthInterop
import TenonTesting
import Testing

@testable import TenonAuth

struct StateChangesTests {
  @Test func authStateChangesWithTheUsersIDOnly() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    var states = auth.authStateChanges.makeAsyncIterator()
    #expect(await states.next() == .some(nil))
    let guest = try await auth.signInAnonymously().user
    #expect(await states.next()??.uid == guest.uid)
    _ = try await auth.idToken(forcingRefresh: true)
    _ = try await auth.link(email: "ada@example.com", password: "lovelace")
    _ = try await auth.signIn(email: "ada@example.com", password: "lovelace")
    let other = try await auth.createUser(email: "bob@example.com", password: "password").user
    #expect(await states.next()??.uid == other.uid)
    try await auth.signOut()
    #expect(await states.next() == .some(nil))
  }

  @Test func idTokenChangesWithEachToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    var users = auth.idTokenChanges.makeAsyncIterator()
    #expect(await users.next()??.isAnonymous == true)
    _ = try await auth.idToken(forcingRefresh: true)
    #expect(await users.next()??.isAnonymous == true)
    _ = try await auth.reload()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    #expect(await users.next()??.email == "ada@example.com")
    try await auth.signOut()
    #expect(await users.next() == .some(nil))
  }

  @Test func userChangesTellTheProfileToo() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    var users = auth.userChanges.makeAsyncIterator()
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    #expect(await users.next()??.displayName == nil)
    _ = await tokens.next()
    _ = try await auth.updateDisplayName("Ada")
    #expect(await users.next()??.displayName == "Ada")
    _ = try await auth.link(with: .provider(.google, idToken: "g1"))
    #expect(await users.next()??.providers.count == 2)
    #expect(await tokens.next()??.providers.count == 2)
    try await auth.signOut()
    #expect(await users.next() == .some(nil))
    #expect(await tokens.next() == .some(nil))
  }

  @Test func aRestoredUserIsTheFirstValue() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let user = try await fixture.launch().signInAnonymously().user
    var states = try fixture.launch().authStateChanges.makeAsyncIterator()
    #expect(await states.next() == user)
  }

  @Test func nobodyIsToldAnythingBeforeTheSessionCanBeRead() async throws {
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

  @Test func otherProductsLearnUserAndToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let interop = SignedInUser(session: auth.session)
    var states = interop.stateChanges.makeAsyncIterator()
    #expect(await states.next() == AuthState())
    #expect(try await interop.token(forcingRefresh: false) == nil)
    let user = try await auth.signInAnonymously().user
    let token = try await auth.idToken()
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

  @Test func afterTheEndThereIsNothingToHear() async throws {
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
}

import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// What happens to a session, by pairs of events in both orders.
@Suite(.limited) struct SessionOrderTests {
  private let fixture: AuthFixture

  /// Whether the event that the test's name mentions first comes first.
  private static let orders = [true, false]

  init() throws { fixture = try AuthFixture() }

  /// Launches the app and signs a first user in, who has a token.
  private func launch() async throws -> (auth: Auth, user: User, token: String) {
    let auth = try fixture.launch()
    let user = try await auth.signInAnonymously().user
    return (auth, user, try await user.getIDToken())
  }

  /// Signs a second user in, in place of the first one.
  private static func signInAnother(_ auth: Auth) async throws -> User {
    try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
  }

  /// The refresh tokens of all refreshes so far.
  private var refreshes: [String?] {
    fixture.server.state.withLock { $0.requests }.filter { $0.url.path.hasSuffix("token") }
      .map { $0.json["refreshToken"] }
  }

  @Test(arguments: orders) func theOnlyCallerIsCancelledAndTheAnswerArrives(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, user, first) = try await launch()
    let gate = fixture.server.gate("token")
    let caller = Task { try await user.getIDToken(forcingRefresh: true) }
    await gate.arrival()
    if isFirst {
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
      gate.open()
      #expect(try await user.getIDToken() == first)
    } else {
      gate.open()
      let new = try await caller.value
      caller.cancel()
      #expect(try await user.getIDToken() == new && new != first)
    }
    #expect(try await user.getIDToken(forcingRefresh: true) != first)
    #expect(refreshes.count == 2)
    #expect(auth.currentUser === user)
  }

  @Test(arguments: orders) func theUserSignsOutAndTheAnswerArrives(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, user, first) = try await launch()
    let gate = fixture.server.gate("token")
    let caller = Task { try await user.getIDToken(forcingRefresh: true) }
    await gate.arrival()
    if isFirst { try await auth.signOut() }
    gate.open()
    if isFirst {
      let error = await #expect(throws: AuthError.self) { try await caller.value }
      #expect(error?.code == .userSignedOut)
    } else {
      #expect(try await caller.value != first)
      try await auth.signOut()
    }
    #expect(auth.currentUser == nil && auth.signOutReason == nil)
    #expect(try fixture.launch().currentUser == nil)
  }

  @Test(arguments: orders) func anotherUserSignsInAndTheAnswerArrives(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, user, first) = try await launch()
    let gate = fixture.server.gate("token")
    let caller = Task { try await user.getIDToken(forcingRefresh: true) }
    await gate.arrival()
    if !isFirst {
      gate.open()
      #expect(try await caller.value != first)
    }
    let other = try await Self.signInAnother(auth)
    let token = try await other.getIDToken()
    if isFirst {
      gate.open()
      let error = await #expect(throws: AuthError.self) { try await caller.value }
      #expect(error?.code == .userSignedOut)
    }
    #expect(auth.currentUser === other && other.uid != user.uid)
    #expect(try await other.getIDToken() == token)
    #expect(try fixture.launch().user.uid == other.uid)
    await #expect(throws: AuthError.self) { try await user.getIDToken() }
  }

  @Test(arguments: orders) func anotherUserSignsInAndTheServerEndsTheSession(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, user, _) = try await launch()
    let gate = fixture.server.gate("token")
    fixture.server.fail("token", "USER_DISABLED")
    let caller = Task { try await user.getIDToken(forcingRefresh: true) }
    await gate.arrival()
    if isFirst { _ = try await Self.signInAnother(auth) }
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await caller.value }
    #expect(error?.code == .userDisabled)
    if !isFirst {
      #expect(auth.currentUser == nil && auth.signOutReason?.code == .userDisabled)
      _ = try await Self.signInAnother(auth)
    }
    #expect(try auth.user.uid == "user-2")
    #expect(auth.signOutReason == nil)
    #expect(try fixture.launch().user.uid == "user-2")
  }

  @Test(arguments: orders) func theUserSignsOutAndARenewalIsDue(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, _, _) = try await launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    await auth.session.keepFresh()
    #expect(await waits.next() == 3_300)
    let timer = try #require(await auth.session.renewal?.timer)
    let gate = fixture.server.gate("token")
    if isFirst { try await auth.signOut() }
    fixture.time.advance(by: 3_300)
    if !isFirst {
      await gate.arrival()
      try await auth.signOut()
    }
    gate.open()
    await timer.value
    #expect(auth.currentUser == nil && auth.signOutReason == nil)
    #expect(await auth.session.renewal?.timer == nil)
    #expect(refreshes.count == (isFirst ? 0 : 1))
    #expect(try fixture.launch().currentUser == nil)
    await auth.session.close()
  }

  @Test(arguments: orders) func anotherUserSignsInAndARenewalIsDue(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, _, _) = try await launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    await auth.session.keepFresh()
    #expect(await waits.next() == 3_300)
    let timer = try #require(await auth.session.renewal?.timer)
    let gate = fixture.server.gate("token")
    if isFirst {
      _ = try await Self.signInAnother(auth)
      #expect(await waits.next() == 3_300)
    }
    fixture.time.advance(by: 3_300)
    await gate.arrival()
    if !isFirst {
      _ = try await Self.signInAnother(auth)
      #expect(await waits.next() == 3_300)
    }
    gate.open()
    await timer.value
    #expect(try auth.user.uid == "user-2")
    if isFirst { #expect(await waits.next() == 3_300) }
    // The token of the first user has no effect on the next renewal.
    fixture.time.advance(by: 3_300)
    #expect(await waits.next() == 3_300)
    #expect(refreshes == (isFirst ? ["refresh-2", "refresh-2"] : ["refresh-1", "refresh-2"]))
    await auth.session.close()
  }

  @Test(arguments: orders) func theAppIsClosedAndARenewalIsDue(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let (auth, user, _) = try await launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    await auth.session.keepFresh()
    #expect(await waits.next() == 3_300)
    let timer = try #require(await auth.session.renewal?.timer)
    let gate = fixture.server.gate("token")
    if isFirst { await auth.session.close() }
    fixture.time.advance(by: 3_300)
    if !isFirst {
      await gate.arrival()
      await auth.session.close()
    }
    gate.open()
    await timer.value
    #expect(await auth.session.renewal == nil)
    #expect(refreshes.count == (isFirst ? 0 : 1))
    #expect(try fixture.launch().user.uid == user.uid)
  }

  /// Often: a renewal that is due as soon as the last one has stored its tokens must not join it.
  @Test func renewalsThatFollowAtOnceAreNotLost() async throws {
    defer { fixture.remove() }
    let (auth, _, _) = try await launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    await auth.session.keepFresh()
    for number in 0..<200 {
      try #require(await waits.next() == 3_300, "after \(number) renewals")
      fixture.time.advance(by: 3_300)
    }
    await auth.session.close()
  }

  /// Failures of an earlier user, or before a token that the app has requested itself, don't lengthen the
  /// wait after a later one.
  @Test(arguments: [true, false]) func theIntervalOfRenewalsBeginsAnew(withAnotherUser: Bool) async throws {
    defer { fixture.remove() }
    let (auth, user, _) = try await launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    await auth.session.keepFresh()
    var wait = try #require(await waits.next())
    for expected in [30.0, 60, 120] {
      fixture.server.fail("token", TransportError(.tls, "No certificate."))
      fixture.time.advance(by: wait)
      wait = try #require(await waits.next())
      #expect(wait == expected)
    }
    if withAnotherUser {
      _ = try await Self.signInAnother(auth)
    } else {
      _ = try await user.getIDToken(forcingRefresh: true)
    }
    #expect(await waits.next() == 3_300)
    fixture.server.fail("token", TransportError(.tls, "No certificate."))
    fixture.time.advance(by: 3_300)
    #expect(await waits.next() == 30)
    await auth.session.close()
  }
}

import Foundation
import TenonCore
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct RenewalTests {
  @Test func aTokenThatAnotherProductUsesIsRenewedBeforeItsExpiry() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var waits = fixture.time.waits.makeAsyncIterator()
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await SignedInUser(session: auth.session).token(forcingRefresh: false)
    #expect(await waits.next() == 3_300)
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    _ = await tokens.next()
    fixture.time.advance(by: 3_300)
    _ = await tokens.next()
    #expect(try await auth.user.getIDToken() != first)
    #expect(await waits.next() == 3_300)
    #expect(fixture.server.methods.filter { $0 == "token" }.count == 1)
    await auth.session.close()
  }

  @Test func nothingIsRenewedUnlessAnotherProductUsesIt() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    _ = try await auth.user.getIDToken()
    #expect(await auth.session.renewal == nil)
  }

  @Test func anUnreachableServerIsRetriedAtGrowingIntervals() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var waits = fixture.time.waits.makeAsyncIterator()
    let auth = try fixture.launch()
    let user = try await auth.signInAnonymously().user
    await auth.session.keepFresh()
    #expect(await waits.next() == 3_300)
    var wait = 3_300.0
    for expected in [30, 60, 120, 240, 480, 960, 960] as [TimeInterval] {
      fixture.server.fail("token", TransportError(.tls, "No certificate."))
      fixture.time.advance(by: wait)
      #expect(await waits.next() == expected)
      wait = expected
    }
    #expect(auth.currentUser === user)
    fixture.time.advance(by: wait)
    #expect(await waits.next() == 3_300)
    await auth.session.close()
  }

  @Test func tokensThatExpireAtOnceAreRenewedAfterAPause() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var waits = fixture.time.waits.makeAsyncIterator()
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let token = try await auth.user.getIDToken()
    await auth.session.keepFresh()
    #expect(await waits.next() == 3_300)
    fixture.server.answer(
      "token", #"{"id_token":"\#(token)","refresh_token":"refresh-1","expires_in":"0"}"#)
    fixture.time.advance(by: 3_300)
    #expect(await waits.next() == 30)
    await auth.session.close()
  }

  @Test func renewalFollowsSignInAndSignOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var waits = fixture.time.waits.makeAsyncIterator()
    let auth = try fixture.launch()
    await auth.session.keepFresh()
    #expect(await auth.session.renewal?.timer == nil)
    _ = try await auth.signInAnonymously()
    #expect(await waits.next() == 3_300)
    try await auth.signOut()
    #expect(await auth.session.renewal?.timer == nil)
    await auth.session.close()
  }

  /// The tokens of the answer expire later than the previous ones, for which a renewal is scheduled.
  @Test(arguments: [false, true]) func theTokensOfAChangedAccountAreRenewed(isLookupLost: Bool) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var waits = fixture.time.waits.makeAsyncIterator()
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "analytical")
    await auth.session.keepFresh()
    #expect(await waits.next() == 3_300)
    fixture.time.advance(by: 1_000)
    if isLookupLost {
      fixture.server.fail("lookup", TransportError(.tls, "No certificate."))
      await #expect(throws: AuthError.self) { try await auth.user.updatePassword(to: "s3cretpass") }
    } else {
      try await auth.user.updatePassword(to: "s3cretpass")
    }
    // The first waits are the time limits of the requests.
    while let wait = await waits.next(), wait != 3_300 { #expect(wait == 30) }
    await auth.session.close()
  }

  @Test func aDisabledUserIsSignedOutWithTheReason() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var waits = fixture.time.waits.makeAsyncIterator()
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    await auth.session.keepFresh()
    _ = await waits.next()
    var states = auth.authStateChanges.makeAsyncIterator()
    _ = await states.next()
    fixture.server.fail("token", "USER_DISABLED")
    fixture.time.advance(by: 3_300)
    #expect(await states.next() == .some(nil))
    #expect(auth.signOutReason?.code == .userDisabled)
    await auth.session.close()
  }
}

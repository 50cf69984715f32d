import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct TokenTests {
  @Test func aTokenIsRefreshedFiveMinutesBeforeItsExpiry() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await auth.user.getIDToken()
    fixture.time.advance(by: 3_600 - 301)
    #expect(try await auth.user.getIDToken() == first)
    fixture.time.advance(by: 1)
    let second = try await auth.user.getIDToken()
    #expect(second != first)
    #expect(try await auth.user.getIDToken() == second)
    #expect(try await auth.user.getIDToken(forcingRefresh: true) != second)
    #expect(fixture.server.methods.filter { $0 == "token" }.count == 2)
  }

  @Test func withoutAUserThereIsNoToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let session = try fixture.launch().session
    #expect(try await SignedInUser(session: session).token(forcingRefresh: true) == nil)
    #expect(fixture.server.methods.isEmpty)
  }

  @Test func manyCallersShareOneRefreshAndOneMayBeCancelled() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    fixture.time.advance(by: 3_600)
    let gate = fixture.server.gate("token")
    let callers = (0..<50).map { _ in Task { try await auth.user.getIDToken() } }
    let leaver = Task { try await auth.user.getIDToken() }
    await gate.arrival()
    leaver.cancel()
    await #expect(throws: CancellationError.self) { try await leaver.value }
    gate.open()
    var tokens: Set<String> = []
    for caller in callers { tokens.insert(try await caller.value) }
    #expect(tokens.count == 1)
    #expect(fixture.server.methods.filter { $0 == "token" }.count == 1)
  }

  @Test func aRefreshWithoutCallersIsCancelled() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let held = fixture.server.gate("token")
    let caller = Task { try await auth.user.getIDToken(forcingRefresh: true) }
    await held.arrival()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    fixture.server.state.withLock { $0.gates = [:] }
    #expect(try await !auth.user.getIDToken(forcingRefresh: true).isEmpty)
  }

  @Test(arguments: [
    ("USER_DISABLED", AuthError.Code.userDisabled), ("TOKEN_EXPIRED", .userTokenExpired),
    ("USER_NOT_FOUND", .userNotFound), ("INVALID_REFRESH_TOKEN", .invalidUserToken),
  ])
  func aServerThatEndsTheSessionSignsOutWithTheReason(code: String, reason: AuthError.Code) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    fixture.server.fail("token", code)
    let error = await #expect(throws: AuthError.self) { try await auth.user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == reason)
    #expect(auth.currentUser == nil)
    #expect(auth.signOutReason?.code == reason)
    #expect(try fixture.launch().currentUser == nil)
    _ = try await auth.signInAnonymously()
    #expect(auth.signOutReason == nil)
  }

  @Test func aFailingNetworkLeavesTheUserSignedIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.signInAnonymously().user
    fixture.server.fail("token", TransportError(.tls, "127.0.0.1 has no certificate."))
    let error = await #expect(throws: AuthError.self) { try await auth.user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .networkError)
    #expect(auth.currentUser === user)
    #expect(try await !auth.user.getIDToken().isEmpty)
  }

  @Test func aRefreshThatCompletesAfterTheSignOutSignsNobodyIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let gate = fixture.server.gate("token")
    let caller = Task { try await auth.user.getIDToken(forcingRefresh: true) }
    await gate.arrival()
    try await auth.signOut()
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await caller.value }
    #expect(error?.code == .userSignedOut)
    #expect(auth.currentUser == nil)
    #expect(try fixture.launch().currentUser == nil)
  }

  @Test func theRefreshOfTheFormerUserIsNotTheNextUsers() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let gate = fixture.server.gate("token")
    let caller = Task { try await auth.user.getIDToken(forcingRefresh: true) }
    await gate.arrival()
    fixture.server.state.withLock { $0.gates = [:] }
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    #expect(try await auth.user.getIDTokenResult(forcingRefresh: true).userID == ada.uid)
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await caller.value }
    #expect(error?.code == .userSignedOut)
    #expect(auth.currentUser === ada)
  }
}

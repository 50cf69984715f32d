import Foundation
import TenonCore
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// The server has acted, and the app doesn't hear of it.
struct LostAnswerTests {
  @Test func aNewPasswordIsProvenBySigningInWithIt() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    fixture.server.lose("update")
    try await auth.updatePassword("analytical")
    #expect(try await auth.idToken(forcingRefresh: true) != nil)
    #expect(try await fixture.launch().currentUser?.uid == ada.uid)
  }

  @Test func aLinkedAddressIsProvenBySigningInWithIt() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    fixture.server.lose("signUp")
    let linked = try await auth.link(email: "ada@example.com", password: "lovelace")
    #expect(linked.uid == guest.uid && linked.email == "ada@example.com")
    #expect(try await fixture.launch().currentUser == linked)
  }

  @Test func aPasswordThatWasNotSetIsNotProven() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    fixture.server.fail("update", TransportError(.connectionLost, "Bad line."))
    let error = await #expect(throws: AuthError.self) { try await auth.updatePassword("analytical") }
    #expect(error?.code == .networkError)
    #expect(try await auth.currentUser == ada)
    #expect(try await auth.idToken(forcingRefresh: true) != nil)
  }

  @Test func anAnswerThatSaysNothingIsNoSuccess() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    fixture.server.answer("update", "{}")
    let error = await #expect(throws: AuthError.self) { try await auth.updatePassword("analytical") }
    #expect(error?.code == .internalError)
    #expect(try await auth.currentUser == ada)
    #expect(try await auth.idToken(forcingRefresh: true) != nil)
  }

  @Test func theAccountOfSomebodyElseProvesNothing() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    try await auth.signOut()
    let guest = try await auth.signInAnonymously().user
    fixture.server.fail("signUp", "EMAIL_EXISTS")
    let known = await #expect(throws: AuthError.self) {
      try await auth.link(email: "ada@example.com", password: "lovelace")
    }
    #expect(known?.code == .emailAlreadyInUse)
    // A plain answer leaves no doubt.
    #expect(fixture.server.methods.last == "signUp")
    fixture.server.fail("signUp", TransportError(.connectionLost, "Bad line."))
    let lost = await #expect(throws: AuthError.self) {
      try await auth.link(email: "ada@example.com", password: "lovelace")
    }
    #expect(lost?.code == .networkError)
    #expect(fixture.server.methods.last == "signInWithPassword")
    #expect(try await auth.currentUser == guest)
    #expect(try await fixture.launch().currentUser == guest)
  }

  @Test func withoutANetworkNothingIsTriedInstead() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    fixture.server.fail("update", TransportError(.unreachable, "There is no network."))
    await #expect(throws: AuthError.self) { try await auth.updatePassword("analytical") }
    #expect(fixture.server.methods.last == "update")
  }

  @Test func aChangeWhoseCallerLeavesKeepsItsTokensAllTheSame() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    _ = await tokens.next()
    let gate = fixture.server.gate("update")
    let caller = Task { try await auth.updatePassword("analytical") }
    await gate.arrival()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    gate.open()
    #expect(await tokens.next()??.email == "ada@example.com")
    #expect(try await auth.idToken(forcingRefresh: true) != nil)
    #expect(try await fixture.launch().idToken(forcingRefresh: true) != nil)
  }

  @Test func aDeletionIsRepeatedUntilTheUserIsGone() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    fixture.server.lose("delete")
    fixture.server.fail("delete", TransportError(.connectionLost, "Bad line."))
    fixture.server.fail("delete", "USER_NOT_FOUND")
    try await auth.deleteUser()
    #expect(try await auth.currentUser == nil)
    #expect(await auth.signOutReason == nil)
    #expect(try await fixture.launch().currentUser == nil)
  }

  @Test func tokensOfSomebodyElseAreRefused() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let bob = try await auth.createUser(email: "bob@example.com", password: "password").user
    let bobs = try await auth.idToken() ?? ""
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    let adas = try await auth.idToken()
    fixture.server.answer("token", #"{"id_token":"\#(bobs)","refresh_token":"r","expires_in":"3600"}"#)
    let error = await #expect(throws: AuthError.self) { try await auth.idToken(forcingRefresh: true) }
    #expect(error?.code == .internalError)
    #expect(try await auth.idToken() == adas)
    fixture.server.answer("lookup", #"{"users":[{"localId":"\#(bob.uid)"}]}"#)
    await #expect(throws: AuthError.self) { try await auth.reload() }
    #expect(try await auth.currentUser == ada)
    #expect(try await fixture.launch().currentUser == ada)
  }
}

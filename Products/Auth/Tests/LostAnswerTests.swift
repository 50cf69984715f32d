import Foundation
import TenonCore
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// The server has performed the operation, and its answer is lost.
@Suite(.limited) struct LostAnswerTests {
  @Test func aNewPasswordIsProvedBySigningInWithIt() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    fixture.server.lose("update")
    try await auth.user.updatePassword(to: "analytical")
    #expect(try await !auth.user.getIDToken(forcingRefresh: true).isEmpty)
    #expect(try fixture.launch().user.profile == ada.profile)
  }

  @Test func aLinkedAddressIsProvedBySigningInWithIt() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    fixture.server.lose("signUp")
    let result = try await guest.link(with: .email("ada@example.com", "lovelace"))
    #expect(result.user === guest && guest.email == "ada@example.com" && result.additionalUserInfo == nil)
    #expect(try fixture.launch().user.profile == guest.profile)
  }

  @Test func aPasswordThatWasNotSetIsNotProved() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    fixture.server.fail("update", TransportError(.connectionLost, "Bad line."))
    let error = await #expect(throws: AuthError.self) { try await auth.user.updatePassword(to: "analytical") }
    #expect(error?.code == .networkError)
    #expect(auth.currentUser === ada)
    #expect(try await !auth.user.getIDToken(forcingRefresh: true).isEmpty)
  }

  @Test func anEmptyAnswerIsNotASuccess() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    fixture.server.answer("update", "{}")
    let error = await #expect(throws: AuthError.self) { try await auth.user.updatePassword(to: "analytical") }
    #expect(error?.code == .internalError)
    #expect(auth.currentUser === ada)
    #expect(try await !auth.user.getIDToken(forcingRefresh: true).isEmpty)
  }

  @Test func theAccountOfAnotherUserProvesNothing() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    try await auth.signOut()
    let guest = try await auth.signInAnonymously().user
    fixture.server.fail("signUp", "EMAIL_EXISTS")
    let known = await #expect(throws: AuthError.self) {
      try await auth.user.link(with: .email("ada@example.com", "lovelace"))
    }
    #expect(known?.code == .emailAlreadyInUse)
    // The server's own answer leaves no doubt.
    #expect(fixture.server.methods.last == "signUp")
    fixture.server.fail("signUp", TransportError(.connectionLost, "Bad line."))
    let lost = await #expect(throws: AuthError.self) {
      try await auth.user.link(with: .email("ada@example.com", "lovelace"))
    }
    #expect(lost?.code == .networkError)
    #expect(fixture.server.methods.last == "signInWithPassword")
    #expect(auth.currentUser === guest && guest.isAnonymous)
    #expect(try fixture.launch().user.profile == guest.profile)
  }

  @Test func withoutANetworkThePasswordIsNotTried() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    fixture.server.fail("update", TransportError(.unreachable, "There is no network."))
    await #expect(throws: AuthError.self) { try await auth.user.updatePassword(to: "analytical") }
    #expect(fixture.server.methods.last == "update")
  }

  @Test func aCancelledChangeStillStoresItsTokens() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    _ = await tokens.next()
    let gate = fixture.server.gate("update")
    let caller = Task { try await auth.user.updatePassword(to: "analytical") }
    await gate.arrival()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    gate.open()
    #expect(await tokens.next()??.email == "ada@example.com")
    #expect(try await !auth.user.getIDToken(forcingRefresh: true).isEmpty)
    let next = try fixture.launch()
    #expect(try await !next.user.getIDToken(forcingRefresh: true).isEmpty)
  }

  @Test func aDeletionIsRepeatedUntilTheUserIsGone() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    fixture.server.lose("delete")
    fixture.server.fail("delete", TransportError(.connectionLost, "Bad line."))
    fixture.server.fail("delete", "USER_NOT_FOUND")
    try await auth.user.delete()
    #expect(auth.currentUser == nil)
    #expect(auth.signOutReason == nil)
    #expect(try fixture.launch().currentUser == nil)
  }

  @Test func tokensOfAnotherUserAreRejected() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let bob = try await auth.createUser(withEmail: "bob@example.com", password: "password").user
    let bobs = try await auth.user.getIDToken()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let adas = try await auth.user.getIDToken()
    fixture.server.answer("token", #"{"id_token":"\#(bobs)","refresh_token":"r","expires_in":"3600"}"#)
    let error = await #expect(throws: AuthError.self) { try await auth.user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .internalError)
    #expect(try await auth.user.getIDToken() == adas)
    fixture.server.answer("lookup", #"{"users":[{"localId":"\#(bob.uid)"}]}"#)
    await #expect(throws: AuthError.self) { try await auth.user.reload() }
    #expect(auth.currentUser === ada)
    #expect(try fixture.launch().user.profile == ada.profile)
  }
}

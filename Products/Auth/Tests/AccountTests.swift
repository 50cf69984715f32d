import Foundation
import TenonCore
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonAuth

struct AccountTests {
  @Test func linkingKeepsTheUsersID() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let linked = try await auth.link(email: "ada@example.com", password: "lovelace")
    #expect(linked.uid == guest.uid)
    #expect(!linked.isAnonymous)
    #expect(try await fixture.launch().currentUser == linked)
    let error = await #expect(throws: AuthError.self) {
      try await auth.link(email: "a@b", password: "lovelace")
    }
    #expect(error?.code == .providerAlreadyLinked)
  }

  @Test func aProfileIsChangedAndCleared() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    #expect(try await auth.updateProfile(displayName: "Ada", photoURL: nil).displayName == "Ada")
    #expect(try await auth.updateProfile(displayName: nil, photoURL: nil).displayName == nil)
    let request = try #require(
      fixture.server.state.withLock { $0.requests.last { $0.url.path.hasSuffix("update") } }
    )
    guard case .data(let body) = request.body else {
      Issue.record("The update has no body.")
      return
    }
    #expect(
      String(decoding: body, as: UTF8.self).contains(#""deleteAttribute":["DISPLAY_NAME","PHOTO_URL"]"#)
    )
  }

  @Test func aNewPasswordBringsNewTokens() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(email: "ada@example.com", password: "lovelace")
    let before = try await auth.idToken()
    try await auth.updatePassword("analytical")
    #expect(try await auth.idToken() != before)
    #expect(try await auth.idToken(forcingRefresh: true) != nil)
  }

  @Test func theTokensOfAChangeAreKeptThoughTheUserCanNotBeAskedFor() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let before = try await auth.idToken()
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    _ = await tokens.next()
    fixture.server.fail("lookup", "QUOTA_EXCEEDED")
    await #expect(throws: AuthError.self) {
      try await auth.link(email: "ada@example.com", password: "lovelace")
    }
    #expect(await tokens.next()??.uid == guest.uid)
    #expect(try await auth.idToken() != before)
    #expect(try await auth.reload().email == "ada@example.com")
  }

  @Test func partsOfTheProfileChangeByThemselves() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    #expect(try await auth.updateDisplayName("Ada").displayName == "Ada")
    #expect(fixture.server.request("update")?.json["deleteAttribute"] == nil)
    _ = try await auth.updateDisplayName(nil)
    #expect(fixture.server.request("update")?.json["deleteAttribute"] == "DISPLAY_NAME")
    _ = try await auth.updatePhotoURL(URL(string: "http://ada"))
    #expect(fixture.server.request("update")?.json["photoUrl"] == "http://ada")
    _ = try await auth.updatePhotoURL(nil)
    #expect(fixture.server.request("update")?.json["deleteAttribute"] == "PHOTO_URL")
  }

  @Test func aDeletedUserIsSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    try await auth.deleteUser()
    #expect(try await auth.currentUser == nil)
    #expect(fixture.server.methods.last == "delete")
    #expect(await auth.signOutReason == nil)
  }

  @Test func aUserWhomTheServerRefusesIsSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    fixture.server.fail("lookup", "USER_DISABLED")
    await #expect(throws: AuthError.self) { try await auth.reload() }
    #expect(try await auth.currentUser == nil)
    #expect(await auth.signOutReason?.code == .userDisabled)
  }

  @Test func aChangeThatComesBackAfterTheSignInOfAnotherLeavesThem() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let gate = fixture.server.gate("update")
    let change = Task { try await auth.updateDisplayName("Guest") }
    await gate.arrival()
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    let token = try await auth.idToken()
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .userSignedOut)
    #expect(try await auth.currentUser == ada)
    #expect(try await auth.idToken() == token)
    #expect(try await fixture.launch().currentUser == ada)
  }

  @Test func theRefusalOfTokensThatWereReplacedMeanwhileSignsNobodyOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    let gate = fixture.server.gate("lookup")
    let reload = Task { try await auth.reload() }
    await gate.arrival()
    fixture.server.state.withLock { $0.gates = [:] }
    try await auth.updatePassword("analytical")
    fixture.server.fail("lookup", "TOKEN_EXPIRED")
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await reload.value }
    #expect(error?.code == .userTokenExpired)
    #expect(try await auth.currentUser == ada)
    #expect(await auth.signOutReason == nil)
  }

  @Test func nobodyCanNotBeChanged() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let error = await #expect(throws: AuthError.self) { try await auth.updatePassword("analytical") }
    #expect(error?.code == .noCurrentUser)
    #expect(fixture.server.methods.isEmpty)
  }
}

import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct AccountTests {
  @Test func linkingKeepsTheUsersID() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let uid = guest.uid
    let result = try await guest.link(with: .email("ada@example.com", "lovelace"))
    #expect(result.user === guest && auth.currentUser === guest)
    #expect(result.additionalUserInfo?.isNewUser == false)
    #expect(guest.uid == uid && !guest.isAnonymous && guest.email == "ada@example.com")
    #expect(try fixture.launch().user.profile == guest.profile)
    let error = await #expect(throws: AuthError.self) {
      try await guest.link(with: .email("a@b", "lovelace"))
    }
    #expect(error?.code == .providerAlreadyLinked)
  }

  @Test func aProfileIsChangedAndCleared() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.signInAnonymously().user
    let request = user.createProfileChangeRequest()
    request.displayName = "Ada"
    request.photoURL = nil
    try await request.commitChanges()
    #expect(user.displayName == "Ada")
    request.displayName = nil
    try await request.commitChanges()
    #expect(user.displayName == nil)
    guard case .data(let body) = try #require(fixture.server.request("update")).body else {
      Issue.record("The update has no body.")
      return
    }
    #expect(
      String(decoding: body, as: UTF8.self).contains(#""deleteAttribute":["DISPLAY_NAME","PHOTO_URL"]"#)
    )
  }

  @Test func aProfileChangeSendsOnlyWhatWasSet() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.signInAnonymously().user
    func commit(_ change: (UserProfileChangeRequest) -> Void) async throws {
      let request = user.createProfileChangeRequest()
      change(request)
      try await request.commitChanges()
    }
    let count = fixture.server.methods.count
    try await commit { _ in }
    #expect(fixture.server.methods.count == count, "nothing to send")
    try await commit { $0.displayName = "Ada" }
    #expect(user.displayName == "Ada")
    #expect(user.createProfileChangeRequest().displayName == "Ada")
    #expect(fixture.server.request("update")?.json["deleteAttribute"] == nil)
    try await commit { $0.displayName = nil }
    #expect(fixture.server.request("update")?.json["deleteAttribute"] == "DISPLAY_NAME")
    try await commit { $0.photoURL = URL(string: "http://ada") }
    #expect(fixture.server.request("update")?.json["photoUrl"] == "http://ada")
    try await commit { $0.photoURL = nil }
    #expect(fixture.server.request("update")?.json["deleteAttribute"] == "PHOTO_URL")
  }

  @Test func aNewPasswordBringsNewTokens() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let before = try await user.getIDToken()
    try await user.updatePassword(to: "analytical")
    #expect(try await user.getIDToken() != before)
    #expect(try await !user.getIDToken(forcingRefresh: true).isEmpty)
  }

  @Test func anEmailAddressIsUpdated() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    try await user.updateEmail(to: "new@example.com")
    #expect(fixture.server.request("update")?.json["email"] == "new@example.com")
    #expect(fixture.server.methods.last == "lookup")
    let error = await #expect(throws: AuthError.self) { try await user.updateEmail(to: "") }
    #expect(error?.code == .missingEmail)
  }

  @Test func tokensOfAChangeAreStoredEvenIfTheLookupFails() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let before = try await guest.getIDToken()
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    _ = await tokens.next()
    fixture.server.fail("lookup", "QUOTA_EXCEEDED")
    await #expect(throws: AuthError.self) {
      try await guest.link(with: .email("ada@example.com", "lovelace"))
    }
    #expect(await tokens.next()??.uid == guest.uid)
    #expect(try await guest.getIDToken() != before)
    try await guest.reload()
    #expect(guest.email == "ada@example.com")
  }

  @Test func aDeletedUserIsSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    try await auth.signInAnonymously().user.delete()
    #expect(auth.currentUser == nil)
    #expect(fixture.server.methods.last == "delete")
    #expect(auth.signOutReason == nil)
  }

  @Test func deletingAUserLeavesOneWhoSignedInMeanwhile() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let gate = fixture.server.gate("delete")
    let deletion = Task { try await guest.delete() }
    await gate.arrival()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    gate.open()
    try await deletion.value
    #expect(auth.currentUser === ada)
    #expect(try fixture.launch().user.profile == ada.profile)
  }

  @Test func aUserWhomTheServerRejectsIsSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.signInAnonymously().user
    fixture.server.fail("lookup", "USER_DISABLED")
    await #expect(throws: AuthError.self) { try await user.reload() }
    #expect(auth.currentUser == nil)
    #expect(auth.signOutReason?.code == .userDisabled)
  }

  @Test func aChangeThatCompletesAfterAnotherSignInLeavesThatUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let gate = fixture.server.gate("update")
    let request = guest.createProfileChangeRequest()
    request.displayName = "Guest"
    let change = Task { try await request.commitChanges() }
    await gate.arrival()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let (profile, token) = (ada.profile, try await ada.getIDToken())
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .userSignedOut)
    #expect(auth.currentUser === ada && ada.profile == profile)
    #expect(try await ada.getIDToken() == token)
    #expect(try fixture.launch().user.profile == profile)
  }

  @Test func theRejectionOfReplacedTokensSignsNobodyOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let gate = fixture.server.gate("lookup")
    let reload = Task { try await ada.reload() }
    await gate.arrival()
    fixture.server.state.withLock { $0.gates = [:] }
    try await ada.updatePassword(to: "analytical")
    fixture.server.fail("lookup", "TOKEN_EXPIRED")
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await reload.value }
    #expect(error?.code == .userTokenExpired)
    #expect(auth.currentUser === ada)
    #expect(auth.signOutReason == nil)
  }
}

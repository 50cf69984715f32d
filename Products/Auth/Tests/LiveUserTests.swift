import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonAuth

/// `LiveUser`: the signed-in user, observed on the main actor.
@MainActor @Suite(.limited) struct LiveUserTests {
  @Test func aViewIsInvalidatedByWhatItReads() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let live = LiveUser(auth)
    #expect(live.user == nil && live.uid == nil && live.error == nil && !live.isLoading)

    let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    await Invalidation.wait { live.uid != nil }
    #expect(live.uid == user.uid && live.user === user)
    // Further changes of the sign-in itself must have been delivered before.
    try await eventually { live.user?.email != nil }

    let (name, uid) = (Invalidation { _ = live.user?.displayName }, Invalidation { _ = live.uid })
    let request = try auth.user.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()
    try await eventually { name.hasHappened }
    #expect(live.user?.displayName == "Ada" && !uid.hasHappened)

    try await auth.signOut()
    await Invalidation.wait { live.uid == nil }
    #expect(uid.hasHappened && live.user == nil && live.error == nil)
  }

  @Test func theUserOfTheStoredSessionIsThereAtOnce() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let user = try await fixture.launch().signInAnonymously().user
    let live = LiveUser(try fixture.launch())
    #expect(live.uid == user.uid && live.user?.isAnonymous == true && !live.isLoading)
  }

  @Test func anUnreadableSessionIsAnErrorAsAValue() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    try FileManager.default.createDirectory(
      atPath: try fixture.sessionFile, withIntermediateDirectories: false)
    let auth = try fixture.launch()
    let live = LiveUser(auth)
    #expect(live.isLoading && live.uid == nil && live.error?.code == .sessionUnreadable)
    try await auth.signOut()
    await Invalidation.wait { !live.isLoading }
    #expect(live.error == nil && live.user == nil)
  }

  @Test func releasingItEndsItsStream() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var auth: Auth? = try fixture.launch()
    var live = auth.map { LiveUser($0) }
    weak let released = live
    weak let releasedAuth = auth
    #expect(live?.isLoading == false)
    (live, auth) = (nil, nil)
    #expect(released == nil)
    // The task that read the stream refers to `Auth` until it has ended.
    try await eventually { releasedAuth == nil }
  }
}

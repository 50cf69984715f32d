import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import TenonAuth

/// The current user as a view reads it, without waiting.
@Suite(.limited) struct CurrentUserTests {
  @Test func aStoredUserIsThereAsSoonAsAuthIsCreated() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    #expect(first.currentUser == nil && first.sessionProblem == nil)
    let user = try await first.createUser(withEmail: "ada@example.com", password: "lovelace").user
    // No suspension point lies between creation and use.
    let second = try fixture.launch()
    #expect(second.currentUser?.email == "ada@example.com" && second.currentUser == user)
  }

  @MainActor @Test func theMainActorReadsTheUserOfEachCallAtOnce() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    #expect(auth.currentUser === guest)
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    #expect(auth.currentUser === ada)
    try await auth.signOut()
    #expect(auth.currentUser == nil)
  }

  @Test func anUnreadableSessionIsNotSignedOut() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    try FileManager.default.createDirectory(
      atPath: try fixture.sessionFile, withIntermediateDirectories: false)
    let auth = try fixture.launch()
    #expect(auth.currentUser == nil && auth.sessionProblem?.code == .sessionUnreadable)
    let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect(error?.code == .sessionUnreadable)
    try await auth.signOut()
    #expect(auth.currentUser == nil && auth.sessionProblem == nil)
    #expect(try await auth.signInAnonymously().user === auth.currentUser)
  }
}

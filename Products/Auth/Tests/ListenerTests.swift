import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import TenonAuth

/// Changes by callback, on the main actor.
@Suite(.limited) @MainActor struct ListenerTests {
  /// Collects the calls of a listener.
  @MainActor final class Calls {
    private(set) var users: [String?] = []
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    func add(_ user: User?) {
      users.append(user?.uid)
      continuation.yield()
    }

    /// Waits for a number of calls since the beginning.
    func wait(for count: Int) async {
      var calls = stream.makeAsyncIterator()
      while users.count < count { _ = await calls.next(isolation: #isolation) }
    }
  }

  @Test func aStateListenerReceivesTheStateAndEachChangeOfTheUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let calls = Calls()
    auth.addStateDidChangeListener { sender, user in
      MainActor.assertIsolated()
      #expect(sender === auth)
      calls.add(user)
    }
    await calls.wait(for: 1)
    let guest = try await auth.signInAnonymously().user
    await calls.wait(for: 2)
    _ = try await guest.getIDToken(forcingRefresh: true)
    try await auth.signOut()
    await calls.wait(for: 3)
    #expect(calls.users == [nil, guest.uid, nil])
    await auth.session.close()
  }

  @Test func aTokenListenerReceivesEachToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let calls = Calls()
    auth.addIDTokenDidChangeListener { _, user in calls.add(user) }
    await calls.wait(for: 1)
    _ = try await guest.getIDToken(forcingRefresh: true)
    await calls.wait(for: 2)
    #expect(calls.users == [guest.uid, guest.uid])
    await auth.session.close()
  }

  @Test func aRemovedListenerIsNotCalledAgain() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let (removed, other) = (Calls(), Calls())
    let state = auth.addStateDidChangeListener { _, user in removed.add(user) }
    let token = auth.addIDTokenDidChangeListener { _, user in removed.add(user) }
    await removed.wait(for: 2)
    auth.addStateDidChangeListener { _, user in other.add(user) }
    await other.wait(for: 1)
    // The sign-in's notification is on its way when the listeners are removed.
    try await auth.signInAnonymously()
    auth.removeStateDidChangeListener(state)
    auth.removeIDTokenDidChangeListener(token)
    let before = removed.users.count
    await other.wait(for: 2)
    try await auth.signOut()
    await other.wait(for: 3)
    await state.task.value
    await token.task.value
    #expect(removed.users.count == before)
    await auth.session.close()
  }
}

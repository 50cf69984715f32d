import TenonDocuments
import TenonStoreInterop
import TenonTesting
import Testing

@testable import TenonStore

/// Each user has a queue of writes.
struct SyncUserTests {
  @Test func writesOfOneUserAreNeitherSeenNorSentByAnother() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").set(["of": "ann"])
    let snapshots = Snapshots(try store.collection("c").snapshots(source: .cache))
    #expect(try await snapshots.next()?.ids == ["d"])

    auth.signIn(userID: "bob")
    #expect(try await snapshots.next()?.story == "removed d")
    #expect(try await store.queuedWrites.isEmpty)
    try await store.enableNetwork()
    try await store.document("c/e").set(["of": "bob"]).confirmed()
    #expect(!write.isSettled)
    #expect(try await remote.fetch([ResourcePath(document: "c/d")], database: "(default)")[0].fields == nil)

    auth.signIn(userID: "ann")
    try await write.confirmed()
    #expect(
      try await remote.fetch([ResourcePath(document: "c/d")], database: "(default)")[0].fields == [
        "of": "ann"
      ])
    await store.terminate()
  }

  @Test func whoSignsInBeforeTheNextStartSeesNothingOfTheFormerUser() async throws {
    let (remote, directory, auth) = (FakeStoreRemote(), try TestDirectory(), FakeAuth())
    auth.signIn(userID: "ann")
    let first = makeStore(directory, remote: remote, auth: auth)
    try await first.disableNetwork()
    try await first.document("c/d").set(["of": "ann"])
    await first.terminate()
    auth.signIn(userID: "bob")
    let second = makeStore(directory, remote: remote, auth: auth)
    #expect(try await second.collection("c").get(source: .cache).isEmpty)
    try await second.document("c/e").set(["of": "bob"]).confirmed()
    await second.terminate()
    // Without a remote nobody has said who is signed in: it stays as it was.
    let without = makeStore(directory)
    #expect(try await without.collection("c").get().ids == ["e"])
    await without.terminate()
  }

  @Test func whoWaitsForTheWritesOfAUserIsToldWhenAnotherSignsIn() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    try await store.document("c/d").set(["n": 1])
    let waiting = Task { try await store.waitForPendingWrites() }
    while await !store.engine.hasWaiters { await Task.yield() }
    auth.signIn(userID: "bob")
    let thrown = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(thrown?.code == .cancelled)
    await store.terminate()
  }
}

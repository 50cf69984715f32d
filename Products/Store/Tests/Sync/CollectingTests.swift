import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The documents that garbage collection removes from this device, and those that it keeps.
@Suite(.limited) struct CollectingTests {
  private static func remote(_ count: Int) throws -> FakeStoreRemote {
    let remote = FakeStoreRemote()
    try remote.apply(
      (0..<count).map { DocumentWrite(try ResourcePath(document: "c/d\($0)"), .set(["n": .init($0)])) })
    return remote
  }

  @Test func leastRecentlyUsedDocumentsAreCollectedAndNeededOnesKept() async throws {
    let (remote, directory) = (try Self.remote(20), try TestDirectory())
    let store = makeStore(directory, remote: remote)
    _ = try await store.collection("c").getDocuments()
    try await store.disableNetwork()
    try await store.document("c/d1").updateData(["m": 1])
    let listening = Snapshots(store.document("c/d2").snapshots(source: .cache))
    #expect(try await listening.next()?.fields?["n"] == 2)

    let untouched = try await store.engine.use { try $0.local.collectGarbage(over: .max) }
    #expect(untouched == CollectionResult(), "the file is smaller")
    let result = try await store.engine.use { try $0.local.collectGarbage(over: 0, percent: 100) }
    #expect(result.targets >= 1)
    #expect(result.documents == 18)
    #expect(try await store.collection("c").getDocuments(source: .cache).ids == ["d1", "d2"])
    _ = listening
    await store.terminate()
  }

  @Test func eagerCollectionKeepsOnlyNeededDocuments() async throws {
    let remote = try Self.remote(3)
    let store = makeStore(remote: remote, settings: StoreSettings(garbageCollection: .eager))
    #expect(try await store.collection("c").getDocuments().count == 3)
    try await eventually { await !store.engine.isListened }
    #expect(try await store.collection("c").getDocuments(source: .cache).isEmpty)
    await store.terminate()
  }

  @Test func clearPersistenceRequiresATerminatedDatabase() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let store = makeStore(directory, remote: remote)
    try await store.disableNetwork()
    try await store.document("c/d").setData(["n": 1])
    let thrown = await #expect(throws: StoreError.self) { try await store.clearPersistence() }
    #expect(thrown?.code == .failedPrecondition)
    await store.terminate()
    let closed = await #expect(throws: StoreError.self) { try await store.document("c/d").getDocument() }
    #expect(closed?.code == .closed)
    try await store.clearPersistence()
    let later = makeStore(directory, remote: remote)
    #expect(try await later.queuedWrites.isEmpty)
    #expect(try await later.collection("c").getDocuments(source: .cache).isEmpty)
    await later.terminate()
  }

  @Test func oneOfTwoStoresSendsAndBothAreUpdated() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    // The database that writes first holds the lease of the queue.
    try await one.document("c/a").setData(["n": 1]).confirmed()
    try await other.document("c/b").setData(["n": 2]).confirmed()
    #expect(remote.batches.count == 2)
    await one.terminate()
    try await other.document("c/d").setData(["n": 3]).confirmed()
    #expect(remote.batches.count == 3)
    await other.terminate()
  }
}

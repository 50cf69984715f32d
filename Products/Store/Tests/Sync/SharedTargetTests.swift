import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

// The clock doesn't advance, so a read never times out.

/// Queries that share one target of the remote: mirror queries, and listeners that only read the cache.
@Suite(.limited) struct SharedTargetTests {
  private static func remote() throws -> FakeStoreRemote {
    let remote = FakeStoreRemote()
    try remote.apply(
      (1...4).map { DocumentWrite(try ResourcePath(document: "c/d\($0)"), .set(["k": .init($0)])) })
    return remote
  }

  /// The same two documents: the first two of an order, and the last two of the reverse order.
  private static func mirrors(_ store: Store) throws -> (first: Query, last: Query) {
    let collection = store.collection("c")
    return (
      collection.order(by: "k").limit(to: 2), collection.order(by: "k", descending: true).limit(toLast: 2)
    )
  }

  @Test(arguments: [FirestoreSource.default, .server])
  func aReadSucceedsBesideAListenerOfTheMirrorQuery(source: FirestoreSource) async throws {
    let store = makeStore(remote: try Self.remote(), time: TestTime())
    let (first, last) = try Self.mirrors(store)
    let listening = Snapshots(first.snapshots(includeMetadataChanges: true))
    _ = try await listening.next { !$0.metadata.isFromCache }
    let result = try await last.getDocuments(source: source)
    #expect(result.ids == ["d2", "d1"])
    #expect(!result.metadata.isFromCache)
    _ = listening
    await store.terminate()
  }

  @Test func aMirrorListenerReceivesACompleteResultAndChanges() async throws {
    let remote = try Self.remote()
    let store = makeStore(remote: remote, time: TestTime())
    let (first, last) = try Self.mirrors(store)
    let listening = Snapshots(first.snapshots(includeMetadataChanges: true))
    _ = try await listening.next { !$0.metadata.isFromCache }
    let mirror = Snapshots(last.snapshots(includeMetadataChanges: true))
    #expect(try await mirror.next()?.metadata.isFromCache == false)
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d0"), .set(["k": 0]))])
    #expect(try await mirror.next { $0.ids == ["d1", "d0"] && !$0.metadata.isFromCache } != nil)
    _ = listening
    await store.terminate()
  }

  /// The state of a target before its removal must not be used as its current state.
  @Test(arguments: [false, true])
  func aReadContactsTheRemoteBesideACacheListener(isMirror: Bool) async throws {
    let remote = try Self.remote()
    let store = makeStore(remote: remote, time: TestTime())
    let (first, last) = try Self.mirrors(store)
    let cached = Snapshots(first.snapshots(includeMetadataChanges: true, source: .cache))
    _ = try await cached.next()
    // The listener's view is complete during this read. A slow reader may miss that snapshot, so the test
    // doesn't check it.
    let complete = try await first.getDocuments()
    #expect(complete.ids == ["d1", "d2"])
    #expect(!complete.metadata.isFromCache)
    try await eventually { await store.engine.listenerCount <= 1 }
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d0"), .set(["k": 0]))])
    let again = try await (isMirror ? last : first).getDocuments(source: .server)
    #expect(Set(again.ids) == ["d0", "d1"])
    _ = cached
    await store.terminate()
  }

  @Test func aTargetIsRemovedWithItsLastListener() async throws {
    let remote = try Self.remote()
    let store = makeStore(remote: remote, time: TestTime())
    let (first, last) = try Self.mirrors(store)
    let cached = Snapshots(first.snapshots(source: .cache))
    _ = try await cached.next()
    #expect(try await last.getDocuments().ids == ["d2", "d1"])
    try await eventually { await store.engine.listenerCount <= 1 }
    let isWatched = try await store.engine.use { running in running.sync.remote?.targets.isEmpty == false }
    #expect(!isWatched, "the listener that is left reads the cache")
    _ = cached
    await store.terminate()
  }
}

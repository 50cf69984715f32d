import Foundation
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Deleting all documents of a collection.
@Suite(.limited) struct CollectionDeletionTests {
  /// Returns a database with documents in the collection `c`, and one in each of two others.
  private static func filled(_ count: Int, _ store: Store) async throws {
    for start in stride(from: 0, to: count, by: 500) {
      let batch = store.batch()
      for number in start..<min(start + 500, count) {
        try batch.setData(["n": number, "tags": ["a", number]], forDocument: store.document("c/d\(number)"))
      }
      try await batch.commit()
    }
    try await store.document("c/d1/c/below").setData(["n": 1])
    try await store.document("other/a").setData(["n": 1])
  }

  private static func count(_ path: String, _ store: Store) async throws -> Int? {
    try await store.collection(path).count.getAggregation(source: .cache).count
  }

  @Test func aCollectionIsDeletedInStepsWithProgress() async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    try await Self.filled(4_500, store)
    var snapshots = store.collection("c").limit(to: 1).snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.count == 1)
    let reports = Lock<[OperationProgress]>([])
    let deleted = try await store.deleteCollection("c") { report in reports.withLock { $0.append(report) } }
    #expect(deleted == 4_500)
    let steps = reports.withLock { $0 }
    #expect(steps.map(\.completedUnitCount) == [2_000, 4_000, 4_500])
    #expect(steps.allSatisfy { $0.totalUnitCount == 4_500 })
    #expect(try await Self.count("c", store) == 0)
    #expect(try await Self.count("c/d1/c", store) == 1)
    #expect(try await Self.count("other", store) == 1)
    while let next = try await snapshots.next(), !next.isEmpty {}
    // The index has the entries of the other two documents only.
    let entries = try await store.engine.useAsUser {
      try $0.connection.first("SELECT count(*) FROM entries") { $0.integer(0) }
    }
    #expect(entries == 2)
    #expect(try await store.deleteCollection("c") == 0)
    #expect(try await store.deleteCollection("unknown") == 0)
  }

  @Test func whatACancelledDeletionHasDeletedStaysDeleted() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await Self.filled(2_500, store)
    let deletion = Task {
      try await store.deleteCollection("c") { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await deletion.value }
    await store.terminate()
    let again = makeStore(directory)
    #expect(try await Self.count("c", again) == 500)
    #expect(try await again.deleteCollection("c") == 500)
    await again.terminate()
  }

  @Test func otherOperationsRunBetweenTheSteps() async throws {
    let store = makeStore()
    try await Self.filled(2_001, store)
    // The step is reported while the database is free for other operations.
    let (steps, continuation) = AsyncStream<Int64>.makeStream()
    async let deleted = store.deleteCollection("c") { continuation.yield($0.completedUnitCount) }
    _ = await steps.first { _ in true }
    try await store.document("other/b").setData(["n": 2])
    #expect(try await deleted == 2_001)
    #expect(try await Self.count("other", store) == 2)
  }

  @Test func withARemoteTheDocumentsOfThisDeviceAreDeletedByQueuedBatches() async throws {
    let remote = FakeStoreRemote()
    _ = try remote.apply([DocumentWrite(ResourcePath(document: "c/unknown"), .set(["n": 1]))])
    let store = makeStore(remote: remote)
    try await Self.filled(1_200, store)
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    #expect(try await store.deleteCollection("c") == 1_200)
    #expect(try await store.queuedWrites.map(\.writes.count) == [500, 500, 200])
    #expect(try await Self.count("c", store) == 0)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let left = try await remote.run(store.collection("c").query.structure, in: RemoteContext())
    #expect(left.map(\.path.id) == ["unknown"], "a document that this device doesn't know is kept")
    await store.terminate()
  }

  @Test func theDeletionsOfOneUserAreNotContinuedAsAnother() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let store = makeStore(remote: FakeStoreRemote(), auth: auth)
    try await Self.filled(600, store)
    try await store.waitForPendingWrites()
    await #expect {
      try await store.deleteCollection("c") { _ in auth.signIn(userID: "bob") }
    } throws: { ($0 as? StoreError)?.code == .cancelled }
    #expect(try await store.queuedWrites.isEmpty)
    await store.terminate()
  }

  @Test(arguments: ["c/d", "", "c//d", "__c__"])
  func anInvalidPathIsAnError(path: String) async throws {
    await #expect { try await makeStore().deleteCollection(path) } throws: {
      ($0 as? StoreError)?.code == .invalidArgument
    }
  }
}

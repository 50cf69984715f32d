import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Removing documents of the remote from this device.
@Suite(.limited) struct EvictionTests {
  private static func idle(_ store: Store) async throws {
    try await eventually { await !store.engine.isListened }
  }

  private static func requests(_ remote: FakeStoreRemote) -> [ListenTarget] {
    remote.listenRequests.compactMap { if case .add(let target) = $0 { target } else { nil } }
  }

  @Test func evictedDocumentsAreReadFromTheRemoteAgain() async throws {
    let remote = try PinTests.remote(20)
    let store = makeStore(remote: remote)
    let (all, few) = (store.collection("c").query, store.collection("c").whereField("n", isLessThan: 15))
    for query in [all, few] { _ = try await query.getDocuments() }
    try await Self.idle(store)
    let first = try await few.evict()
    #expect(first == EvictionResult(documentsEvicted: 5, documentsKept: 0))
    #expect(try await PinTests.cached(store) == (15..<30).map { "d\($0)" })
    #expect(try await all.evict() == EvictionResult(documentsEvicted: 15, documentsKept: 0))
    #expect(try await store.collectionSizes().isEmpty)
    let missing = await #expect(throws: StoreError.self) {
      try await store.document("c/d10").getDocument(source: .cache)
    }
    #expect(missing?.code == .unavailable)
    // Both queries contained evicted documents, so neither is resumed.
    for (query, count) in [(all, 20), (few, 5)] {
      #expect(try await query.getDocuments(source: .server).count == count)
      #expect(Self.requests(remote).last?.resumption == nil)
    }
    await store.terminate()
  }

  @Test func targetsWithoutEvictedDocumentsAreKept() async throws {
    let remote = try PinTests.remote(4)
    let store = makeStore(remote: remote)
    let (low, high) = (
      store.collection("c").whereField("n", isLessThan: 12),
      store.collection("c").whereField("n", isGreaterThan: 11)
    )
    for query in [low, high] { _ = try await query.getDocuments() }
    try await Self.idle(store)
    try await low.evict()
    #expect(try await high.getDocuments().count == 2)
    #expect(Self.requests(remote).last?.resumption != nil)
    await store.terminate()
  }

  @Test func documentsInUseAreKept() async throws {
    let remote = try PinTests.remote(8)
    let store = makeStore(remote: remote)
    let listened = Snapshots(store.document("c/d10").snapshots)
    _ = try await listened.next()
    let shown = Snapshots(store.collection("c").order(by: "n").limit(toLast: 2).snapshots)
    _ = try await shown.next { !$0.metadata.isFromCache }
    _ = try await store.collection("c").getDocuments()
    let cached = Snapshots(store.document("c/d11").snapshots(source: .cache))
    _ = try await cached.next()
    try await store.document("c/d12").pin()
    try await store.collection("c").whereField("n", isEqualTo: 13).pin()
    try await eventually { await store.engine.listenerCount <= 3 }
    try await store.disableNetwork()
    try await store.document("c/d14").updateData(["m": 1])
    try await store.document("c/d99").setData(["n": 99])

    let result = try await store.collection("c").evict()
    #expect(result == EvictionResult(documentsEvicted: 1, documentsKept: 8))
    #expect(
      try await PinTests.cached(store) == ["d10", "d11", "d12", "d13", "d14", "d16", "d17", "d99"])
    #expect(
      try await store.document("c/d14").evict() == EvictionResult(documentsEvicted: 0, documentsKept: 1))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let written = try await remote.fetch(
      ["c/d14", "c/d99"].map { try ResourcePath(document: $0) }, in: RemoteContext())
    #expect(written.map(\.fields) == [["n": 14, "m": 1], ["n": 99]])
    _ = (listened, shown, cached)
    await store.terminate()
  }

  @Test func pendingWritesOfOtherUsersAreKept() async throws {
    let (remote, auth) = (try PinTests.remote(2), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    _ = try await store.collection("c").getDocuments()
    try await Self.idle(store)
    try await store.disableNetwork()
    try await store.document("c/d10").updateData(["m": 1])
    auth.signIn(userID: "bob")
    #expect(
      try await store.collection("c").evict() == EvictionResult(documentsEvicted: 1, documentsKept: 1))
    auth.signIn(userID: "ann")
    #expect(try await store.document("c/d10").getDocument(source: .cache).fields == ["n": 10, "m": 1])
    await store.terminate()
  }

  @Test func aQueryWithALimitEvictsItsResult() async throws {
    let store = makeStore(remote: try PinTests.remote(10))
    _ = try await store.collection("c").getDocuments()
    try await Self.idle(store)
    let oldest = store.collection("c").order(by: "n").limit(to: 3)
    #expect(try await oldest.evict().documentsEvicted == 3)
    #expect(try await PinTests.cached(store) == (13..<20).map { "d\($0)" })
    await store.terminate()
  }

  @Test func aDocumentIsEvicted() async throws {
    let store = makeStore(remote: try PinTests.remote(2))
    let document = store.document("c/d10")
    #expect(try await document.evict() == EvictionResult(documentsEvicted: 0, documentsKept: 0))
    _ = try await document.getDocument(source: .server)
    #expect(try await document.evict() == EvictionResult(documentsEvicted: 1, documentsKept: 0))
    await #expect(throws: StoreError.self) { try await document.getDocument(source: .cache) }
    #expect(try await document.getDocument().fields?["n"] == 10)
    let thrown = await #expect(throws: StoreError.self) { try await store.document("c").evict() }
    #expect(thrown?.code == .invalidArgument)
    await store.terminate()
  }

  @Test func largeEvictionsTakeSteps() async throws {
    let store = makeStore(remote: try PinTests.remote(1_200))
    _ = try await store.collection("c").getDocuments()
    try await Self.idle(store)
    func transactions() async throws -> Int64? {
      try await store.engine.use { $0.local.transactions.lastNumber }
    }
    let before = try #require(try await transactions())
    #expect(try await store.collection("c").evict().documentsEvicted == 1_200)
    #expect(try await transactions() == before + 3)
    await store.terminate()
  }

  @Test func aCancelledEvictionEndsAfterAStep() async throws {
    let store = makeStore(remote: try PinTests.remote(501))
    _ = try await store.collection("c").getDocuments()
    try await Self.idle(store)
    let paths = try await store.engine.read {
      try $0.paths(of: try store.collection("c").query.runnable().run)
    }
    let eviction = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.engine.evict(paths)
    }
    await #expect(throws: CancellationError.self) { try await eviction.value }
    #expect(try await PinTests.cached(store).count == 501)
    await store.terminate()
  }

  @Test(arguments: [true, false])
  func theOnlyCopyIsNotEvicted(isLocalOnly: Bool) async throws {
    let store = makeStore(isLocalOnly: isLocalOnly)
    try await store.document("c/d").setData(["n": 1])
    for evict in [
      { try await store.collection("c").evict() }, { try await store.document("c/d").evict() },
    ] as [@Sendable () async throws -> EvictionResult] {
      let thrown = await #expect(throws: StoreError.self) { try await evict() }
      #expect(thrown?.code == .failedPrecondition)
    }
    #expect(try await PinTests.cached(store) == ["d"])
    await store.terminate()
  }

  // MARK: - Other processes

  @Test func listenersOfOtherProcessesReceiveEvictedDocumentsAgain() async throws {
    let (remote, directory) = (try PinTests.remote(3), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    let listening = Snapshots(one.collection("c").snapshots)
    _ = try await listening.next { $0.count == 3 && !$0.metadata.isFromCache }
    #expect(try await other.collection("c").evict().documentsEvicted == 3)
    try await eventually { try await PinTests.cached(other).count >= 3 }
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d9"), .set(["n": 9]))])
    let next = try await listening.next()
    #expect(next?.ids == ["d10", "d11", "d12", "d9"], "the listener still has its documents")
    await one.terminate()
    #expect(try await other.collection("c").getDocuments().count == 4)
    await other.terminate()
  }

  @Test func cacheListenersOfOtherProcessesNoLongerShowEvictedDocuments() async throws {
    let (remote, directory) = (try PinTests.remote(3), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    _ = try await other.collection("c").getDocuments()
    let cached = Snapshots(one.collection("c").snapshots(source: .cache))
    #expect(try await cached.next()?.count == 3)
    try await Self.idle(other)
    try await other.collection("c").evict()
    #expect(try await cached.next { $0.isEmpty } != nil)
    await one.terminate()
    await other.terminate()
  }

  /// Evicts the two documents of a driven engine on another connection.
  private static func evictBehind(_ driven: DrivenSync) throws {
    let connection = try Connection.open(
      driven.directory.file, migrations: LocalSchema.migrations, key: TestEncryption.key)
    let other = try LocalDatabase(connection, sharing: .remote, now: .zero)
    let paths = ["a", "b"].map { ResourcePath(segments: ["c", $0]) }
    #expect(try other.evict(paths) { _ in false }.result.documentsEvicted == 2)
  }

  @Test func aTargetThatAnotherProcessHasDeletedIsRequestedAgain() throws {
    let driven = try DrivenSync()
    var shown: [[String]] = []
    let listener = try driven.listen { shown.append($0) }
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1, ["a", "b"])
    try Self.evictBehind(driven)
    try driven.sync.readForeignChanges()
    #expect(driven.streams.targets.map(\.resumption) == [nil])
    #expect(shown == [["a", "b"]])
    let id = try #require(driven.streams.targets.first?.id)
    try driven.sync.remote?.receive(.target(TargetChange(.removed(nil), targets: [id])))
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 2, ["a", "b", "d"])
    #expect(shown.last == ["a", "b", "d"])
    #expect(try driven.savedTokens == ["2"])
    #expect(try driven.local.tables.targets.documents(of: id).count == 3)
    try driven.sync.unlisten(listener)
  }

  @Test func aTargetThatAnotherProcessHasDeletedIsNotSavedInPart() throws {
    let driven = try DrivenSync()
    let listener = try driven.listen()
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1, ["a", "b"])
    try Self.evictBehind(driven)
    // Before this process notices.
    try driven.sendSnapshot(at: 2, ["d"])
    #expect(try driven.savedTokens.isEmpty)
    let id = try #require(driven.streams.targets.first?.id)
    #expect(try driven.local.tables.targets.documents(of: id).isEmpty)
    try driven.sync.unlisten(listener)
    #expect(try driven.savedTokens.isEmpty)
  }
}

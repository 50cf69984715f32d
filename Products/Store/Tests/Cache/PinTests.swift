import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Pins, which protect documents and queries from garbage collection.
@Suite(.limited) struct PinTests {
  /// Returns a remote with the documents `d10`, `d11`, … of the collection `c`, whose field `n` is their
  /// number.
  static func remote(_ count: Int) throws -> FakeStoreRemote {
    let remote = FakeStoreRemote()
    try remote.apply(
      (10..<10 + count).map { DocumentWrite(try ResourcePath(document: "c/d\($0)"), .set(["n": .init($0)])) })
    return remote
  }

  /// Collects everything that nothing needs.
  @discardableResult
  static func collect(_ store: Store, percent: Int = 100) async throws -> CollectionResult {
    try await eventually { await !store.engine.isListened }
    return try await store.engine.use { try $0.local.collectGarbage(over: 0, percent: percent) }
  }

  static func cached(_ store: Store) async throws -> [String] {
    try await store.collection("c").getDocuments(source: .cache).ids
  }

  @Test func pinnedDocumentsAndResultsAreNotCollected() async throws {
    let store = makeStore(remote: try Self.remote(20))
    let collection = store.collection("c")
    try await store.document("c/d15").pin()
    try await collection.order(by: "n", descending: true).limit(to: 2).pin()
    try await collection.order(by: "n").limit(toLast: 3).pin()
    try await collection.whereField("n", isLessThan: 12).pin()
    try await store.collectionGroup("other").pin()
    _ = try await collection.getDocuments()
    let result = try await Self.collect(store)
    #expect(result.documents == 14)
    #expect(try await Self.cached(store) == ["d10", "d11", "d15", "d27", "d28", "d29"])

    try await collection.whereField("n", isLessThan: 12).unpin()
    try await store.document("c/d15").unpin()
    #expect(try await Self.cached(store).count == 6, "only a collection deletes")
    try await Self.collect(store)
    #expect(try await Self.cached(store) == ["d27", "d28", "d29"])
    await store.terminate()
  }

  /// A query and its mirror share a target, and are two pins.
  @Test func aPinnedQueryKeepsItsTarget() async throws {
    let remote = try Self.remote(4)
    let store = makeStore(remote: remote)
    let (pinned, other) = (
      store.collection("c").order(by: "n").limit(to: 2), store.collection("c").whereField("n", isLessThan: 99)
    )
    try await pinned.pin()
    for query in [pinned, other] { _ = try await query.getDocuments() }
    try await Self.collect(store)
    for (query, isResumed) in [(pinned, true), (other, false)] {
      _ = try await query.getDocuments()
      let request = remote.listenRequests.last { if case .add = $0 { true } else { false } }
      guard case .add(let target)? = request else { throw StoreError(.internal, "nothing was requested") }
      #expect((target.resumption != nil) == isResumed, "\(query)")
    }
    await store.terminate()
  }

  /// The target of a pinned query whose documents this device has changed or not received is kept, not only
  /// its result.
  @Test func theDocumentsOfAPinnedTargetAreKept() async throws {
    let remote = try Self.remote(3)
    let store = makeStore(remote: remote, settings: StoreSettings(garbageCollection: .eager))
    let query = store.collection("c").whereField("n", isLessThan: 12)
    try await query.pin()
    #expect(try await query.getDocuments().ids == ["d10", "d11"])
    try await eventually { await !store.engine.isListened }
    #expect(try await Self.cached(store) == ["d10", "d11"])
    _ = try await query.getDocuments()
    let requests = remote.listenRequests.compactMap { if case .add(let target) = $0 { target } else { nil } }
    #expect(requests.last?.resumption != nil)
    await store.terminate()
  }

  @Test func withEagerCollectionPinnedDocumentsAreKeptUntilTheyAreUnpinned() async throws {
    let store = makeStore(remote: try Self.remote(6), settings: StoreSettings(garbageCollection: .eager))
    let collection = store.collection("c")
    let newest = collection.order(by: "n", descending: true).limit(to: 2)
    let smallest = collection.whereField("n", isLessThan: 11)
    for query in [newest, smallest] { try await query.pin() }
    try await store.document("c/d12").pin()
    _ = try await collection.getDocuments()
    try await eventually { await !store.engine.isListened }
    #expect(try await Self.cached(store) == ["d10", "d12", "d14", "d15"])
    try await newest.unpin()
    #expect(try await Self.cached(store) == ["d10", "d12"])
    try await smallest.unpin()
    try await store.document("c/d12").unpin()
    #expect(try await Self.cached(store).isEmpty)
    await store.terminate()
  }

  @Test func withEagerCollectionADocumentDisplacedFromAPinnedResultIsReleased() async throws {
    let remote = try Self.remote(3)
    let store = makeStore(remote: remote, settings: StoreSettings(garbageCollection: .eager))
    try await store.collection("c").order(by: "n", descending: true).limit(to: 2).pin()
    _ = try await store.collection("c").getDocuments()
    try await eventually { await !store.engine.isListened }
    #expect(try await Self.cached(store) == ["d11", "d12"])
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d13"), .set(["n": 13]))])
    _ = try await store.document("c/d13").getDocument(source: .server)
    #expect(try await Self.cached(store) == ["d12", "d13"])
    await store.terminate()
  }

  @Test func othersAreCollectedInPlaceOfPinnedDocuments() async throws {
    let store = makeStore(remote: try Self.remote(20))
    // The oldest ones are pinned.
    for number in 10..<30 {
      let document = store.document("c/d\(number)")
      _ = try await document.getDocument(source: .server)
      if number < 20 { try await document.pin() }
    }
    let result = try await Self.collect(store, percent: 10)
    #expect(result.documents == 2)
    #expect(try await Self.cached(store) == (10..<30).filter { $0 != 20 && $0 != 21 }.map { "d\($0)" })
    await store.terminate()
  }

  @Test func aCollectionWithNothingButPinsEnds() async throws {
    let store = makeStore(remote: try Self.remote(5))
    try await store.collection("c").pin()
    _ = try await store.collection("c").getDocuments()
    #expect(try await Self.collect(store) == CollectionResult())
    #expect(try await Self.cached(store).count == 5)
    await store.terminate()
  }

  @Test func pinsSurviveRestartsAndApplyToOtherProcesses() async throws {
    let (remote, directory) = (try Self.remote(4), try TestDirectory())
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let (one, other) = (
      makeStore(directory, remote: remote, auth: auth), makeStore(directory, remote: remote)
    )
    _ = try await other.collection("c").getDocuments()
    #expect(try await other.pins().isEmpty)
    let query = one.collection("c").whereField("n", isLessThan: 12)
    try await query.pin()
    auth.signIn(userID: "bob")
    #expect(try await one.pins().map(\.description) == [query.description])
    try await Self.collect(other)
    #expect(try await Self.cached(other) == ["d10", "d11"])
    await one.terminate()
    await other.terminate()
    let reopened = makeStore(directory, remote: remote)
    #expect(try await reopened.pins().map(\.description) == [query.description])
    try await Self.collect(reopened)
    #expect(try await Self.cached(reopened) == ["d10", "d11"])
    try await reopened.collection("c").whereField("n", isLessThan: 12).unpin()
    try await Self.collect(reopened)
    #expect(try await Self.cached(reopened).isEmpty)
    await reopened.terminate()
  }

  @Test func pinsAreListedAsTheyWereMade() async throws {
    let store = makeStore()
    let queries: [Query] = [
      store.collection("rooms/den/messages").query,
      store.collectionGroup("messages").whereField("at", isGreaterThan: Timestamp(seconds: 5)),
      store.collection("c").order(by: "a.b", descending: true).limit(toLast: 3),
      store.collection("c").order(by: "a").start(at: [Double.nan]).end(before: ["x"]).limit(to: 7),
      store.collection("c").whereFilter(
        .orFilter([
          .whereField("a", in: [1, 2.5]),
          .andFilter([.whereField("b", arrayContains: ["k": 1]), .whereField("c", isNotEqualTo: "é\u{0}")]),
        ])),
    ]
    try await store.document("rooms/den").pin()
    for query in queries {
      try await query.pin()
      try await query.pin()
    }
    let pins = try await store.pins()
    #expect(pins.map(\.description) == ["rooms/den"] + queries.map(\.description))
    for (pin, query) in zip(pins.dropFirst(), queries) {
      guard case .query(let found) = pin else {
        Issue.record("\(pin)")
        continue
      }
      #expect(ListenQuery(try found.runnable()) == ListenQuery(try query.runnable()))
      try await found.unpin()
    }
    #expect(try await store.pins().map(\.description) == ["rooms/den"])
    try await store.document("rooms/den").unpin()
    try await store.document("rooms/den").unpin()
    #expect(try await store.pins().isEmpty)
  }

  @Test(.deep) func theNumberOfPinsIsLimited() async throws {
    let store = makeStore()
    for number in 0..<PinTable.limit { try await store.document("c/d\(number)").pin() }
    let thrown = await #expect(throws: StoreError.self) { try await store.document("c/more").pin() }
    #expect(thrown?.code == .resourceExhausted)
    try await store.document("c/d5").pin()
    try await store.document("c/d5").unpin()
    try await store.document("c/more").pin()
    #expect(try await store.pins().count == PinTable.limit)
  }

  @Test func whatIsInvalidCannotBePinned() async throws {
    let store = makeStore(remote: FakeStoreRemote())
    for pin in [
      { try await store.document("c").pin() }, { try await store.collection("c/d").pin() },
      { try await store.collection("c").limit(to: 0).pin() },
      { try await store.collection("c").limit(to: -1).unpin() }, { try await store.document("c//d").unpin() },
    ] as [@Sendable () async throws -> Void] {
      let thrown = await #expect(throws: StoreError.self) { try await pin() }
      #expect(thrown?.code == .invalidArgument)
    }
    #expect(try await store.pins().isEmpty)
    await store.terminate()
  }

  @Test func pinningRequestsNothing() async throws {
    let remote = try Self.remote(2)
    let store = makeStore(remote: remote)
    try await store.collection("c").pin()
    try await store.document("c/d10").pin()
    #expect(remote.listenRequests.isEmpty && remote.openStreams.listening == 0)
    #expect(try await Self.cached(store).isEmpty)
    await store.terminate()
  }

  @Test func aPinnedDocumentCanBeDeleted() async throws {
    let remote = try Self.remote(2)
    let store = makeStore(remote: remote)
    try await store.collection("c").pin()
    _ = try await store.collection("c").getDocuments()
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d10"), .delete)])
    #expect(try await store.collection("c").getDocuments().ids == ["d11"])
    try await store.document("c/d11").delete().confirmed()
    #expect(try await Self.cached(store).isEmpty)
    await store.terminate()
  }

  @Test func pinsOfALocalOnlyDatabaseApplyOnceItHasARemote() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let local = makeStore(directory)
    try await local.document("c/d").setData(["n": 1])
    try await local.document("c/d").pin()
    #expect(try await local.document("c/d").getDocument().fields?["n"] == 1)
    await local.terminate()
    let shared = makeStore(directory, remote: remote)
    try await shared.document("c/e").setData(["n": 2])
    try await shared.waitForPendingWrites()
    try await Self.collect(shared)
    #expect(try await Self.cached(shared) == ["d"])
    await shared.terminate()
  }
}

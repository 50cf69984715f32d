import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Transactions that read documents with pending writes: they are sent on the condition that nobody has
/// changed the documents after these writes.
@Suite(.limited) struct OfflineTransactionTests {
  private static let path = ResourcePath(segments: ["c", "d"])

  private static let other = ResourcePath(segments: ["c", "other"])

  /// Writes the number that the first of several documents has into another one, in a transaction.
  private static func transaction(_ store: Store, reading paths: [String], writing target: String)
    async throws
  {
    try await store.runTransaction { transaction in
      var numbers: [Value] = []
      for path in paths {
        numbers.append(try await transaction.getDocument(store.document(path)).fields?["n"] ?? .null)
      }
      try transaction.setData(["saw": numbers[0]], forDocument: store.document(target))
    }
  }

  private static func number(_ remote: any StoreRemote) async throws -> Value? {
    try await remote.fetch([path], in: RemoteContext()).first?.fields?["n"]
  }

  /// Adds 1 to the field `n` in a transaction.
  private static func increment(_ store: Store) async throws {
    let document = store.document("c/d")
    try await store.runTransaction(maximumAttempts: 50) { transaction in
      let number = try await transaction.getDocument(document).fields?["n"]?.int64Value ?? 0
      try transaction.setData(["n": number + 1], forDocument: document, merge: true)
    }
  }

  /// Returns a database without a network, with the document `c/d` in its cache, whose field `n` is 1.
  private static func offlineStore(
    _ remote: any StoreRemote, _ directory: TestDirectory? = nil
  ) async throws -> Store {
    let store = makeStore(directory, remote: remote)
    try await store.document("c/d").setData(["n": 1]).confirmed()
    try await store.disableNetwork()
    return store
  }

  /// Returns a remote at which others change the document `c/d` directly after it has committed a write to
  /// the field `title`, before that write is answered.
  ///
  /// - Parameter change: their write; `nil` to change nothing.
  private static func remote(changedBy change: DocumentWrite?) -> InterveningRemote {
    let next = Lock(change)
    return InterveningRemote(FakeStoreRemote()) { fake in
      guard case .update(let fields, _) = fake.batches.last?.writes.first?.operation, fields["title"] != nil
      else {
        return
      }
      let change = next.withLock { next in
        defer { next = nil }
        return next
      }
      do { try fake.apply(change.map { [$0] } ?? []) } catch { Issue.record(error) }
    }
  }

  private static let changedNumber = DocumentWrite(path, .update(["n": 10], mask: ["n"]))

  @Test func transactionsOnResultsOfEachOtherAreAppliedInTurn() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    for _ in 0..<5 { try await Self.increment(store) }
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 6)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 6)
    #expect(try await store.rejectedWrites.isEmpty)
    await store.terminate()
  }

  @Test func aChangeByOthersRejectsAllTransactionsOnResultsOfEachOther() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    for _ in 0..<3 { try await Self.increment(store) }
    try remote.apply([DocumentWrite(Self.path, .set(["n": 10]))])
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 10)
    #expect(
      try await store.rejectedWrites.map(\.error.code) == Array(repeating: .failedPrecondition, count: 3))
    await store.terminate()
  }

  @Test(arguments: [false, true]) func aChangeByOthersAfterThePendingWriteRejectsTheTransaction(
    isChanged: Bool
  ) async throws {
    let remote = Self.remote(changedBy: isChanged ? Self.changedNumber : nil)
    let store = try await Self.offlineStore(remote)
    try await store.document("c/d").updateData(["title": "Tea"])
    try await Self.increment(store)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let fields = try await remote.fetch([Self.path], in: RemoteContext()).first?.fields
    #expect(fields == ["n": isChanged ? 10 : 2, "title": "Tea"])
    #expect(try await store.rejectedWrites.map(\.error.code) == (isChanged ? [.failedPrecondition] : []))
    await store.terminate()
  }

  @Test func aTransactionOnTheResultOfARefusedWriteIsRejected() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    let document = store.document("c/d")
    try await document.updateData(["n": 100])
    // It overwrites nothing that the transaction has read from the first one.
    try await document.updateData(["title": "Tea"])
    try await Self.increment(store)
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(
      try await remote.fetch([Self.path], in: RemoteContext()).first?.fields == ["n": 1, "title": "Tea"])
    #expect(
      try await store.rejectedWrites.map(\.error.code) == [.permissionDenied, .failedPrecondition])
    #expect(try await document.getDocument(source: .cache).fields?["n"] == 1)
    await store.terminate()
  }

  @Test func aTransactionOnTheResultOfACancelledWriteIsRejected() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    try await store.document("c/d").updateData(["n": 100])
    try await Self.increment(store)
    let first = try #require(try await store.queuedWrites.first)
    #expect(try await store.cancelQueuedWrite(first.id))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 1)
    #expect(try await store.rejectedWrites.map(\.error.code) == [.failedPrecondition])
    await store.terminate()
  }

  @Test func aTransactionBeforeACancelledWriteIsApplied() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    try await store.document("c/d").updateData(["title": "Tea"])
    try await Self.increment(store)
    try await store.document("c/d").updateData(["title": "Milk"])
    let last = try #require(try await store.queuedWrites.last)
    #expect(try await store.cancelQueuedWrite(last.id))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(
      try await remote.fetch([Self.path], in: RemoteContext()).first?.fields == ["n": 2, "title": "Tea"])
    #expect(try await store.rejectedWrites.isEmpty)
    await store.terminate()
  }

  @Test(arguments: [false, true]) func aTransactionThatReadADeletionCreatesTheDocumentOnlyIfItIsDeleted(
    isRefused: Bool
  ) async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    let document = store.document("c/d")
    try await document.delete()
    try await store.runTransaction { transaction in
      let exists = try await transaction.getDocument(document).exists
      try transaction.setData(["n": exists ? 0 : 50], forDocument: document)
    }
    if isRefused { remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No."))) }
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == (isRefused ? 1 : 50))
    #expect(try await store.rejectedWrites.count == (isRefused ? 2 : 0))
    await store.terminate()
  }

  @Test(arguments: [false, true]) func aDocumentThatWasOnlyReadIsVerifiedAfterItsPendingWrite(
    isChanged: Bool
  ) async throws {
    let remote = Self.remote(
      changedBy: isChanged ? DocumentWrite(Self.path, .update(["open": false], mask: ["open"])) : nil)
    let store = try await Self.offlineStore(remote)
    let (guardian, target) = (store.document("c/d"), store.document("c/target"))
    try await guardian.updateData(["title": "Tea", "open": true])
    try await store.runTransaction { transaction in
      let isOpen = try await transaction.getDocument(guardian).fields?["open"]?.boolValue ?? false
      try transaction.setData(["sawOpen": isOpen], forDocument: target)
    }
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let found = try await remote.fetch([target.resourcePath, Self.path], in: RemoteContext())
    #expect(found[0].fields == (isChanged ? nil : ["sawOpen": true]))
    #expect(found[1].fields == ["n": 1, "title": "Tea", "open": .boolean(!isChanged)])
    await store.terminate()
  }

  @Test func theConditionSurvivesARestart() async throws {
    let (remote, directory) = (Self.remote(changedBy: Self.changedNumber), try TestDirectory())
    let first = try await Self.offlineStore(remote, directory)
    try await first.document("c/d").updateData(["title": "Tea"])
    try await Self.increment(first)
    await first.terminate()
    let second = makeStore(directory, remote: remote)
    try await second.waitForPendingWrites()
    #expect(try await Self.number(remote) == 10)
    #expect(try await second.rejectedWrites.map(\.error.code) == [.failedPrecondition])
    await second.terminate()
  }

  @Test func aTransactionWhosePendingWriteWasLostIsRejected() throws {
    let write = DocumentWrite(Self.path, .set(["n": 2]))
    var content = BatchContent([write], reads: [ReadCondition(document: Self.other)])
    content[note: 0].awaitsVersion = true
    let stored = try WriteCoding.decode(WriteCoding.encode(content))
    #expect(stored.awaitsVersions && stored.writes[0].precondition == nil)
    #expect(stored.sent.map(\.document) == [Self.other, Self.path])
    #expect(stored.sent.map(\.precondition) == [.updated(.zero), .updated(.zero)])
  }

  @Test(arguments: [.exists(false), .updated(Timestamp(seconds: 3))] as [WritePrecondition])
  func aConditionOfAReadIsStoredAndSent(precondition: WritePrecondition) throws {
    let write = DocumentWrite(Self.path, .set(["n": 2]))
    let read = ReadCondition(document: Self.other, precondition: precondition)
    let content = BatchContent([write], reads: [read])
    let stored = try WriteCoding.decode(WriteCoding.encode(content))
    #expect(!stored.awaitsVersions)
    #expect(stored.sent.map(\.precondition) == [precondition, nil])
    #expect(stored.sent[1] == write)
  }

  /// The transactions that only read `c/d` don't depend on the first one, which has read it too.
  @Test func aRefusedTransactionRefusesNoOtherThatReadTheSameDocument() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    try remote.apply([DocumentWrite(Self.other, .set(["n": 0]))])
    try await store.enableNetwork()
    for path in ["c/d", "c/other"] { _ = try await store.document(path).getDocument(source: .server) }
    try await store.disableNetwork()
    try await Self.transaction(store, reading: ["c/d", "c/other"], writing: "c/0")
    for number in 1...5 { try await Self.transaction(store, reading: ["c/d"], writing: "c/\(number)") }
    #expect(try await !store.document("c/d").getDocument(source: .cache).metadata.hasPendingWrites)
    #expect(try await store.queuedWrites.map(\.writes.count) == Array(repeating: 1, count: 6))
    try remote.apply([DocumentWrite(Self.other, .set(["n": 9]))])
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let rejected = try await store.rejectedWrites
    #expect(rejected.map { $0.writes.map(\.document.text) } == [["c/0"]])
    let paths = (0...5).map { ResourcePath(segments: ["c", "\($0)"]) }
    let found = try await remote.fetch(paths, in: RemoteContext())
    #expect(found.map(\.fields) == [nil] + Array(repeating: ["saw": 1], count: 5))
    await store.terminate()
  }

  /// Several transactions that only read the result of one pending write await its version.
  @Test(arguments: [false, true]) func allThatReadAPendingWriteAwaitItsVersion(isRefused: Bool) async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    try await store.document("c/d").updateData(["n": 2])
    for number in 0..<3 { try await Self.transaction(store, reading: ["c/d"], writing: "c/\(number)") }
    // It follows them, and doesn't change what they have read.
    try await store.document("c/d").updateData(["n": 3])
    try await Self.transaction(store, reading: ["c/d"], writing: "c/3")
    if isRefused { remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No."))) }
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let paths = (0...3).map { ResourcePath(segments: ["c", "\($0)"]) }
    let found = try await remote.fetch(paths, in: RemoteContext())
    #expect(
      found.map(\.fields)
        == (isRefused ? [nil, nil, nil, nil] : [["saw": 2], ["saw": 2], ["saw": 2], ["saw": 3]]))
    let rejected = try await store.rejectedWrites
    #expect(rejected.count == (isRefused ? 5 : 0))
    #expect(
      rejected.dropFirst().allSatisfy {
        $0.error.code == .failedPrecondition
          && $0.error.message
            == "The transaction has read c/d with the result of a write that was rejected. Run it again."
      })
    await store.terminate()
  }

  @Test func whatDependsOnACancelledWriteIsRefusedAsAWholeAtOnce() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    var store = try await Self.offlineStore(remote, directory)
    let document = store.document("c/d")
    try await document.setData(["n": 100])
    try await store.runTransaction { transaction in
      let n = try await transaction.getDocument(document).fields?["n"] ?? 0
      try transaction.setData(["n": 101], forDocument: document)
      try transaction.setData(["saw": n], forDocument: store.document("c/1"))
    }
    try await Self.transaction(store, reading: ["c/1"], writing: "c/2")
    // It depends on none of them.
    try await store.document("c/3").setData(["n": 3])
    let rejections = Snapshots(store.writeRejections)
    let first = try #require(try await store.queuedWrites.first)
    #expect(try await store.cancelQueuedWrite(first.id))

    func check() async throws {
      #expect(try await store.queuedWrites.map { $0.writes.map(\.document.text) } == [["c/3"]])
      let rejected = try await store.rejectedWrites
      #expect(rejected.map { $0.writes.map(\.document.text) } == [["c/d", "c/1"], ["c/2"]])
      #expect(
        rejected.first?.error.message
          == "The transaction has read c/d with the result of a write that was cancelled. Run it again.")
      let seen = try await store.collection("c").getDocuments(source: .cache).documents
      #expect(seen.map(\.documentID) == ["3", "d"])
      #expect(seen.last?.fields == ["n": 1])
    }
    try await check()
    #expect(try await rejections.next()?.writes.map(\.document.text) == ["c/d", "c/1"])
    await store.terminate()
    store = makeStore(directory, remote: remote)
    try await store.disableNetwork()
    try await check()
    // A new transaction reads what is left, and is applied.
    try await Self.increment(store)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 2)
    await store.terminate()
  }

  @Test func anIncrementAfterACancelledWriteIsShownOverWhatIsLeft() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.offlineStore(remote)
    let document = store.document("c/d")
    try await document.setData(["n": 100])
    try await document.updateData(["n": .increment(1)])
    try await document.updateData(["n": .increment(1)])
    #expect(try await document.getDocument(source: .cache).fields?["n"] == 102)
    let first = try #require(try await store.queuedWrites.first)
    #expect(try await store.cancelQueuedWrite(first.id))
    #expect(try await document.getDocument(source: .cache).fields?["n"] == 3)
    // The number stays while the remote has the increments and hasn't answered.
    try remote.apply([DocumentWrite(Self.path, .update(["title": "Tea"], mask: ["title"]))])
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 3)
    await store.terminate()
  }

  @Test func anIncrementOfAnUnknownDocumentIsAnEstimateUntilItIsKnown() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    try remote.apply([DocumentWrite(Self.path, .set(["n": 40, "title": "Tea"]))])
    var store = makeStore(directory, remote: remote)
    try await store.disableNetwork()
    for _ in 0..<2 { try await store.document("c/d").setData(["n": .increment(1)], merge: true) }
    await store.terminate()
    store = makeStore(directory, remote: remote)
    try await store.disableNetwork()
    let estimate = try await store.document("c/d").getDocument(source: .cache)
    #expect(estimate.fields == ["n": 2])
    #expect(estimate.metadata.isEstimate)
    #expect(estimate.metadata.description == "pending writes, from cache, estimate")
    let all = try await store.collection("c").getDocuments(source: .cache).documents
    #expect(all.map(\.metadata.isEstimate) == [true])
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let known = try await store.document("c/d").getDocument()
    #expect(known.fields == ["n": 42, "title": "Tea"] && !known.metadata.isEstimate)
    await store.terminate()
  }

  @Test func aReplacedDocumentIsNoEstimate() async throws {
    let store = makeStore(remote: FakeStoreRemote())
    try await store.disableNetwork()
    let document = store.document("c/d")
    try await document.setData(["title": "Tea"], merge: true)
    #expect(try await document.getDocument(source: .cache).metadata.isEstimate)
    try await document.setData(["n": 5])
    try await document.updateData(["n": .increment(1)])
    let snapshot = try await document.getDocument(source: .cache)
    #expect(snapshot.fields == ["n": 6] && !snapshot.metadata.isEstimate)
    await store.terminate()
  }

  /// Devices that lose the network at random count with transactions. Each of these is either part of the
  /// result, or among the rejected writes.
  @Test(arguments: TestSeeds.seeds("TENON_SIMULATIONS", count: DeepTests.count(8, deep: 20)))
  func everyTransactionIsAppliedOrListed(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let remote = FakeStoreRemote()
    let stores = (0..<3).map { _ in makeStore(remote: remote) }
    var transactions = 0
    for _ in 0..<60 {
      let store = stores[Int.random(in: 0..<3, using: &random)]
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try await store.disableNetwork()
      case 1: try await store.enableNetwork()
      default:
        try await Self.increment(store)
        transactions += 1
      }
    }
    var rejected = 0
    for store in stores {
      try await store.enableNetwork()
      try await store.waitForPendingWrites()
      rejected += try await store.rejectedWrites.count
    }
    #expect(try await Self.number(remote) == Value(transactions - rejected))
    #expect(transactions > rejected)
    for store in stores { await store.terminate() }
  }
}

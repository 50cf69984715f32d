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
    let write = PendingWrite(write: DocumentWrite(Self.path, .set(["n": 2])), awaitsVersion: true)
    let stored = try #require(try WriteCoding.decode(WriteCoding.encode([write])).first)
    #expect(stored.awaitsVersion && stored.write.precondition == nil)
    #expect(stored.sent.precondition == .updated(.zero))
    #expect(
      try WriteCoding.decode(WriteCoding.encode([PendingWrite(write: write.write)]))[0].sent == write.write)
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

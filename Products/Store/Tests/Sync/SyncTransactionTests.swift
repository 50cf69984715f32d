import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Transactions with a remote.
@Suite(.limited) struct SyncTransactionTests {
  private static func number(_ remote: FakeStoreRemote) async throws -> Value? {
    try await remote.fetch([ResourcePath(document: "c/d")], in: RemoteContext()).first?.fields?[
      "n"]
  }

  private static func increment(_ store: Store, attempts: Int = 50) async throws {
    let document = store.document("c/d")
    try await store.runTransaction(maximumAttempts: attempts) { transaction in
      let number = try await transaction.getDocument(document)["n"]?.int64Value ?? 0
      try transaction.setData(["n": number + 1], forDocument: document)
    }
  }

  @Test func transactionsOfSeveralDevicesThatCollideAreTriedAgain() async throws {
    let remote = FakeStoreRemote()
    let stores = (0..<4).map { _ in makeStore(remote: remote) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        group.addTask { for _ in 0..<5 { try await Self.increment(store) } }
      }
      try await group.waitForAll()
    }
    #expect(try await Self.number(remote) == 20)
    for store in stores {
      #expect(try await store.rejectedWrites.isEmpty, "who tried again has nothing to be told")
      await store.terminate()
    }
  }

  @Test func aTransactionReadsWhatTheRemoteHasNow() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/d").setData(["n": 1]).confirmed()
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 41]))])
    try await Self.increment(store)
    #expect(try await Self.number(remote) == 42)
    #expect(try await store.document("c/d").getDocument(source: .cache)["n"] == 42)
    await store.terminate()
  }

  @Test func documentsOnlyReadByATransactionAreVerified() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let (guardian, target) = (store.document("c/guard"), store.document("c/target"))
    try await guardian.setData(["open": true]).confirmed()
    var attempts = 0
    try await store.runTransaction { transaction in
      attempts += 1
      let isOpen = try await transaction.getDocument(guardian)["open"]?.boolValue ?? false
      if attempts == 1 { try remote.apply([DocumentWrite(guardian.resourcePath, .set(["open": false]))]) }
      try transaction.setData(["sawOpen": isOpen], forDocument: target)
    }
    #expect(attempts == 2)
    #expect(
      try await remote.fetch([target.resourcePath], in: RemoteContext())[0].fields == ["sawOpen": false])
    #expect(
      try await remote.fetch([guardian.resourcePath], in: RemoteContext())[0].fields == ["open": false],
      "it was only read")
    await store.terminate()
  }

  @Test func anOfflineTransactionIsQueuedAndRejectedOnConflict() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/d").setData(["n": 1]).confirmed()
    try await store.disableNetwork()
    try await Self.increment(store)
    #expect(try await store.document("c/d").getDocument(source: .cache)["n"] == 2)
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 10]))])
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 10)
    #expect(try await store.rejectedWrites.first?.error.code == .failedPrecondition)
    await store.terminate()
  }

  @Test func aTransactionCancelledWhileWaitingIsStillSent() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = store.document("c/d")
    try await document.setData(["n": 1]).confirmed()
    let transaction = Task {
      try await store.runTransaction { transaction in
        _ = try await transaction.getDocument(document)
        // The remote doesn't respond from now on.
        remote.delayResponses()
        try transaction.setData(["n": 2], forDocument: document)
      }
    }
    try await eventually { remote.batches.count >= 2 }
    transaction.cancel()
    await #expect(throws: CancellationError.self) { try await transaction.value }
    remote.deliverDelayedResponses()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 2)
    await store.terminate()
  }

  @Test func aRejectedTransactionThrowsTheReason() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    let thrown = await #expect(throws: StoreError.self) { try await Self.increment(store) }
    #expect(thrown?.code == .permissionDenied)
    #expect(try await store.rejectedWrites.isEmpty)
    await store.terminate()
  }

  @Test func updatingAMissingDocumentInATransactionCreatesNothing() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = store.document("c/none")
    let thrown = await #expect(throws: StoreError.self) {
      try await store.runTransaction { transaction in
        _ = try await transaction.getDocument(document)
        try transaction.updateData(["n": 1], forDocument: document)
      }
    }
    #expect(thrown?.code == .notFound)
    #expect(try await remote.fetch([document.resourcePath], in: RemoteContext())[0].fields == nil)
    await store.terminate()
  }
}

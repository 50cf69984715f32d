import TenonDocuments
import TenonStoreInterop
import TenonTesting
import Testing

@testable import TenonStore

/// Transactions with a remote.
struct SyncTransactionTests {
  private static func number(_ remote: FakeStoreRemote) async throws -> Value? {
    try await remote.fetch([ResourcePath(document: "c/d")], in: RemoteContext()).first?.fields?[
      "n"]
  }

  private static func increment(_ store: Store, attempts: Int = 50) async throws {
    let document = try store.document("c/d")
    try await store.transaction(maximumAttempts: attempts) { transaction in
      let number = try await transaction.get(document)["n"]?.integerValue ?? 0
      try transaction.set(["n": .value(.integer(number + 1))], at: document)
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
    try await store.document("c/d").set(["n": 1]).confirmed()
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 41]))])
    try await Self.increment(store)
    #expect(try await Self.number(remote) == 42)
    #expect(try await store.document("c/d").get(source: .cache)["n"] == 42)
    await store.terminate()
  }

  @Test func whatWasOnlyReadMustBeSoAsWell() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let (guardian, target) = (try store.document("c/guard"), try store.document("c/target"))
    try await guardian.set(["open": true]).confirmed()
    var attempts = 0
    try await store.transaction { transaction in
      attempts += 1
      let isOpen = try await transaction.get(guardian)["open"]?.booleanValue ?? false
      if attempts == 1 { try remote.apply([DocumentWrite(guardian.path, .set(["open": false]))]) }
      try transaction.set(["sawOpen": .value(.boolean(isOpen))], at: target)
    }
    #expect(attempts == 2)
    #expect(try await remote.fetch([target.path], in: RemoteContext())[0].fields == ["sawOpen": false])
    #expect(
      try await remote.fetch([guardian.path], in: RemoteContext())[0].fields == ["open": false],
      "it was only read")
    await store.terminate()
  }

  @Test func offlineATransactionIsQueuedAndRefusedIfOthersCameFirst() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/d").set(["n": 1]).confirmed()
    try await store.disableNetwork()
    try await Self.increment(store)
    #expect(try await store.document("c/d").get(source: .cache)["n"] == 2)
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 10]))])
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 10)
    #expect(try await store.rejectedWrites.first?.error.code == .failedPrecondition)
    await store.terminate()
  }

  @Test func aTransactionThatIsCancelledWhileItWaitsIsQueuedAndSentAllTheSame() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = try store.document("c/d")
    try await document.set(["n": 1]).confirmed()
    let transaction = Task {
      try await store.transaction { transaction in
        _ = try await transaction.get(document)
        // From here on nothing is answered.
        remote.holdAnswersBack()
        try transaction.set(["n": 2], at: document)
      }
    }
    while remote.batches.count < 2 { await Task.yield() }
    transaction.cancel()
    await #expect(throws: CancellationError.self) { try await transaction.value }
    remote.letAnswersGo()
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 2)
    await store.terminate()
  }

  @Test func aRefusedTransactionThrowsTheReason() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    let thrown = await #expect(throws: StoreError.self) { try await Self.increment(store) }
    #expect(thrown?.code == .permissionDenied)
    #expect(try await store.rejectedWrites.isEmpty)
    await store.terminate()
  }

  @Test func updatingWhatIsNotThereIsAnErrorAndCreatesNothing() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = try store.document("c/none")
    let thrown = await #expect(throws: StoreError.self) {
      try await store.transaction { transaction in
        _ = try await transaction.get(document)
        try transaction.update(["n": 1], at: document)
      }
    }
    #expect(thrown?.code == .notFound)
    #expect(try await remote.fetch([document.path], in: RemoteContext())[0].fields == nil)
    await store.terminate()
  }
}

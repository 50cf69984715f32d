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
      let number = try await transaction.getDocument(document).fields?["n"]?.int64Value ?? 0
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
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 42)
    await store.terminate()
  }

  @Test(arguments: [false, true])
  func theAcknowledgementOfWhatThisDeviceHasWrittenIsNoChangeByOthers(byQuery: Bool) async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = store.document("c/d")
    try await store.disableNetwork()
    let write = try await document.setData(["n": 1])
    try await store.runTransaction(maximumAttempts: 1) { transaction in
      let read =
        byQuery
        ? try await transaction.getDocuments(store.collection("c")).documents[0].documentSnapshot
        : try await transaction.getDocument(document)
      #expect(read.metadata.hasPendingWrites)
      let n = read.fields?["n"]?.intValue ?? 0
      try await store.enableNetwork()
      try await write.confirmed()
      try transaction.updateData(["n": n + 1], forDocument: document)
    }
    try await store.waitForPendingWrites()
    #expect(try await Self.number(remote) == 2)
    #expect(try await store.rejectedWrites.isEmpty)
    await store.terminate()
  }

  @Test func aValueThatTheRemoteHasComputedIsAChangeOfItsEstimate() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(now: Timestamp(seconds: 1000), remote: remote)
    let document = store.document("c/d")
    try await store.disableNetwork()
    let write = try await document.setData(["at": .serverTimestamp()])
    var seen: [Value?] = []
    try await store.runTransaction { transaction in
      let read = try await transaction.getDocument(document)
      seen.append(read.fields?["at"])
      if seen.count == 1 {
        try await store.enableNetwork()
        try await write.confirmed()
      }
      try transaction.updateData(["kept": read.fields?["at"] ?? .null], forDocument: document)
    }
    try await store.waitForPendingWrites()
    #expect(seen.count == 2 && seen[0] == .timestamp(Timestamp(seconds: 1000)) && seen[1] != seen[0])
    #expect(try await document.getDocument(source: .cache).fields?["kept"] == seen[1])
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
      let isOpen = try await transaction.getDocument(guardian).fields?["open"]?.boolValue ?? false
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
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 2)
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

  // MARK: - Why a commit was rejected

  /// Runs a transaction on a database that has seen no document, at a remote with the document `c/there`.
  ///
  /// - Parameter body: the body; it is called once.
  /// - Returns: the error of the transaction; `nil` if it has succeeded.
  private static func rejection(_ body: (Transaction, Store) async throws -> Void) async throws -> StoreError?
  {
    let remote = FakeStoreRemote()
    try remote.apply([DocumentWrite(ResourcePath(document: "c/there"), .set(["n": 1]))])
    let store = makeStore(remote: remote)
    var runs = 0
    var thrown: StoreError?
    do {
      try await store.runTransaction { transaction in
        runs += 1
        try await body(transaction, store)
      }
    } catch let error as StoreError { thrown = error }
    #expect(runs == 1)
    #expect(try await store.rejectedWrites.isEmpty, "the caller has received the error")
    #expect(try await remote.fetch([ResourcePath(document: "c/none")], in: RemoteContext())[0].fields == nil)
    await store.terminate()
    return thrown
  }

  @Test func updatingADocumentThatNobodyHasIsNotFound() async throws {
    let thrown = try await Self.rejection { transaction, store in
      try transaction.updateData(["n": 1], forDocument: store.document("c/none"))
    }
    #expect(thrown?.code == .notFound)
  }

  @Test func updatingAMissingDocumentIsNotFoundAlsoIfAnotherOneWasRead() async throws {
    let thrown = try await Self.rejection { transaction, store in
      #expect(try await transaction.getDocument(store.document("c/there")).fields?["n"] == 1)
      _ = try await transaction.getDocuments(store.collection("c"))
      try transaction.setData(["n": 2], forDocument: store.document("c/there"))
      try transaction.updateData(["n": 1], forDocument: store.document("c/none"))
    }
    #expect(thrown?.code == .notFound)
  }

  @Test func creatingADocumentThatOthersHaveAlreadyExists() async throws {
    let thrown = try await Self.rejection { transaction, store in
      try transaction.create(["n": 2], forDocument: store.document("c/there"))
    }
    #expect(thrown?.code == .alreadyExists)
  }

  @Test func aVersionThatTheDocumentDoesNotHaveIsAFailedPrecondition() async throws {
    let thrown = try await Self.rejection { transaction, store in
      _ = try await transaction.getDocument(store.document("c/none"))
      try transaction.deleteDocument(store.document("c/there"), if: .updated(Timestamp(seconds: 0)))
    }
    #expect(thrown?.code == .failedPrecondition)
  }

  @Test func aRejectedConditionIsTriedAgainIfSomethingThatWasReadHasChanged() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([DocumentWrite(ResourcePath(document: "c/there"), .set(["n": 1]))])
    let store = makeStore(remote: remote)
    let (there, late) = (store.document("c/there"), store.document("c/late"))
    var runs = 0
    try await store.runTransaction { transaction in
      runs += 1
      let number = try await transaction.getDocument(there).fields?["n"]?.int64Value ?? 0
      if runs == 1 {
        try remote.apply([
          DocumentWrite(there.resourcePath, .set(["n": 10])), DocumentWrite(late.resourcePath, .set([:])),
        ])
      }
      // The document to update exists by now, so only what was read is a reason to reject the commit.
      try transaction.updateData(["n": number], forDocument: late)
    }
    #expect(runs == 2)
    #expect(try await remote.fetch([late.resourcePath], in: RemoteContext())[0].fields == ["n": 10])
    await store.terminate()
  }

  @Test func aDocumentThatWasReadAndThatOthersDeleteIsTriedAgain() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = store.document("c/d")
    try await document.setData(["n": 1]).confirmed()
    var runs = 0
    try await store.runTransaction { transaction in
      runs += 1
      let exists = try await transaction.getDocument(document).exists
      if runs == 1 { try remote.apply([DocumentWrite(document.resourcePath, .delete)]) }
      try transaction.setData(["existed": exists], forDocument: document)
    }
    #expect(runs == 2)
    #expect(
      try await remote.fetch([document.resourcePath], in: RemoteContext())[0].fields == ["existed": false])
    await store.terminate()
  }

  @Test func whoIsAlwaysOvertakenIsAborted() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let document = store.document("c/d")
    var runs = 0
    let thrown = await #expect(throws: StoreError.self) {
      try await store.runTransaction(maximumAttempts: 3) { transaction in
        runs += 1
        _ = try await transaction.getDocument(document)
        try remote.apply([DocumentWrite(document.resourcePath, .set(["n": Value(runs)]))])
        try transaction.setData(["never": true], forDocument: document)
      }
    }
    #expect(runs == 3)
    #expect(thrown?.code == .aborted)
    #expect(thrown?.message.contains("others changed what it read") == true)
    await store.terminate()
  }

  @Test func aCommitThatTheRemoteAbortsIsSentAgain() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    remote.decideNextBatches(.refused(StoreRemoteError(.aborted, "Too much contention.")))
    try await Self.increment(store)
    #expect(try await Self.number(remote) == 1)
    await store.terminate()
  }
}

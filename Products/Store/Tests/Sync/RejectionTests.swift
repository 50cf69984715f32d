import TenonCore
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// A rejected write is always reported (P2).
@Suite(.limited) struct RejectionTests {
  private static let refusal = StoreRemoteError(.permissionDenied, "You may not write c/d.")

  @Test func p2ARejectionThatACallerWaitsForIsListedDeliveredAndThrown() async throws {
    let (remote, log) = (FakeStoreRemote(), LogRecorder())
    let store = makeStore(remote: remote, logger: log.logger)
    var rejections = store.writeRejections.makeAsyncIterator()
    remote.decideNextBatches(.refused(Self.refusal))
    let write = try await store.document("c/d").setData(["n": 2])
    let thrown = await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(thrown?.code == .permissionDenied)
    let listed = try #require(try await store.rejectedWrites.first)
    let delivered = try #require(try await rejections.next())
    #expect(delivered.id == listed.id && delivered.error.code == .permissionDenied)
    #expect(delivered.writes.map(\.document.text) == ["c/d"])
    #expect(log.messages(.warning).isEmpty)
    await store.terminate()
    #expect(try await rejections.next() == nil)
  }

  @Test func p2ARejectionThatNobodyWaitsForIsLoggedOnce() async throws {
    let (remote, log) = (FakeStoreRemote(), LogRecorder())
    let store = makeStore(remote: remote, logger: log.logger)
    remote.decideNextBatches(.refused(Self.refusal))
    try await store.document("c/d").setData(["n": 2])
    try await store.waitForPendingWrites()
    try await eventually { log.messages(.warning).count == 1 }
    let logged = try #require(log.messages(.warning).first)
    for part in ["c/d", "You may not write c/d.", "permission-denied", "confirmed()", "onRejectedWrite"] {
      #expect(logged.contains(part), "\(part)")
    }
    #expect(try await store.rejectedWrites.count == 1)
    await store.terminate()
  }

  @Test func p2TheHandlerReceivesRejectionsThatNobodyWaitsForInOrder() async throws {
    let (remote, log) = (FakeStoreRemote(), LogRecorder())
    let store = makeStore(remote: remote, logger: log.logger)
    let (handled, handler) = AsyncStream<String>.makeStream()
    store.onRejectedWrite = { @MainActor rejected in
      MainActor.assertIsolated()
      await Task.yield()
      handler.yield(rejected.writes.map(\.document.text).joined(separator: "+"))
    }
    remote.decideNextBatches(.refused(Self.refusal), .refused(Self.refusal), .refused(Self.refusal))
    try await store.document("c/one").setData(["n": 1])
    let awaited = try await store.document("c/awaited").setData(["n": 1])
    let batch = store.batch()
    for id in ["two", "three"] { try batch.setData(["n": 1], forDocument: store.document("c/\(id)")) }
    try await batch.commit()
    try await store.waitForPendingWrites()
    // The caller still has the confirmation, so it may wait after the answer.
    await #expect(throws: StoreError.self) { try await awaited.confirmed() }
    var iterator = handled.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil) == "c/one")
    #expect(await iterator.next(isolation: nil) == "c/two+c/three")
    #expect(log.messages(.warning).isEmpty)
    #expect(try await store.rejectedWrites.count == 3)
    await store.terminate()
  }

  @Test func p2TheHandlerReceivesRejectionsOfWritesOfAnEarlierLaunch() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let first = makeStore(directory, remote: remote)
    try await first.disableNetwork()
    try await first.document("c/d").setData(["n": 2])
    await first.terminate()
    let second = makeStore(directory, remote: remote)
    let (handled, handler) = AsyncStream<RejectedWrite>.makeStream()
    second.onRejectedWrite = { handler.yield($0) }
    remote.decideNextBatches(.refused(Self.refusal))
    try await second.waitForPendingWrites()
    let rejected = await handled.first { _ in true }
    #expect(try await second.rejectedWrites.map(\.id) == [rejected?.id])
    await second.terminate()
  }

  @Test func p2TheHandlerReceivesARejectionWhoseCallerWasCancelled() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let (handled, handler) = AsyncStream<RejectedWrite>.makeStream()
    store.onRejectedWrite = { handler.yield($0) }
    try await store.disableNetwork()
    let waiting = Task { try await store.document("c/d").setData(["n": 2]).confirmed() }
    try await eventually { try await store.queuedWrites.count == 1 }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    remote.decideNextBatches(.refused(Self.refusal))
    try await store.enableNetwork()
    #expect(await handled.first { _ in true }?.error.code == .permissionDenied)
    await store.terminate()
  }

  @Test func p2RejectionsOfAnEarlierLaunchAreDeliveredOnce() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let first = makeStore(directory, remote: remote)
    remote.decideNextBatches(.refused(Self.refusal))
    let write = try await first.document("c/d").setData(["n": 2])
    await #expect(throws: StoreError.self) { try await write.confirmed() }
    await first.terminate()

    let second = makeStore(directory, remote: remote)
    var rejections = second.writeRejections.makeAsyncIterator()
    let old = try #require(try await rejections.next())
    remote.decideNextBatches(.refused(Self.refusal))
    let other = try await second.document("c/e").setData(["n": 2])
    await #expect(throws: StoreError.self) { try await other.confirmed() }
    let new = try #require(try await rejections.next())
    #expect(old.writes[0].document.text == "c/d" && new.writes[0].document.text == "c/e")
    try await second.dismissRejectedWrite(old.id)
    #expect(try await second.rejectedWrites.map(\.id) == [new.id])
    await second.terminate()
  }

  /// One process sends the write, and another one listens.
  @Test func p2RejectionsOfAnotherProcessAreDelivered() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    var rejections = other.writeRejections.makeAsyncIterator()
    remote.decideNextBatches(.refused(Self.refusal))
    let write = try await one.document("c/d").setData(["n": 2])
    await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(try await rejections.next()?.error.code == .permissionDenied)
    await one.terminate()
    await other.terminate()
  }

  @Test func p2ARetriedOrRejectedTransactionIsReportedOnlyToItsCaller() async throws {
    let (remote, log) = (FakeStoreRemote(), LogRecorder())
    let store = makeStore(remote: remote, logger: log.logger)
    let document = store.document("c/d")
    remote.decideNextBatches(.refused(StoreRemoteError(.aborted, "Others were first.")))
    try await store.runTransaction { try $0.setData(["n": 1], forDocument: document) }
    remote.decideNextBatches(.refused(Self.refusal))
    let thrown = await #expect(throws: StoreError.self) {
      try await store.runTransaction { try $0.setData(["n": 2], forDocument: document) }
    }
    #expect(thrown?.code == .permissionDenied)
    #expect(try await store.rejectedWrites.isEmpty && log.messages(.warning).isEmpty)
    await store.terminate()
  }

  /// No caller waits for the transaction any longer, so its rejection is reported as for any other write.
  @Test func p2TheRejectionOfACancelledTransactionIsReported() async throws {
    let (remote, log) = (FakeStoreRemote(), LogRecorder())
    let store = makeStore(remote: remote, logger: log.logger)
    let document = store.document("c/d")
    try await document.setData(["n": 1]).confirmed()
    remote.decideNextBatches(.refused(Self.refusal))
    let transaction = Task {
      try await store.runTransaction { transaction in
        _ = try await transaction.getDocument(document)
        remote.delayResponses()
        try transaction.setData(["n": 2], forDocument: document)
      }
    }
    try await eventually { remote.batches.count >= 2 }
    transaction.cancel()
    await #expect(throws: CancellationError.self) { try await transaction.value }
    remote.deliverDelayedResponses()
    try await store.waitForPendingWrites()
    #expect(try await store.rejectedWrites.count == 1 && log.messages(.warning).count == 1)
    await store.terminate()
  }
}

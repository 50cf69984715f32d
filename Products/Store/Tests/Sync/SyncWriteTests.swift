import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Writes on this device, and their results at the remote.
@Suite(.limited) struct SyncWriteTests {
  private static func fields(_ path: String, _ remote: FakeStoreRemote) async throws -> Fields? {
    try await remote.fetch([ResourcePath(document: path)], in: RemoteContext()).first?.fields
  }

  @Test func aWriteIsDurableLocallyAndConfirmedByTheRemoteLater() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["n": 1])
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 1)
    #expect(!write.isSettled)
    #expect(try await store.queuedWrites.count == 1)
    #expect(try await Self.fields("c/d", remote) == nil)

    try await store.enableNetwork()
    #expect(try await write.confirmed() != nil)
    #expect(try await Self.fields("c/d", remote) == ["n": 1])
    #expect(try await store.queuedWrites.isEmpty)
    await store.terminate()
  }

  /// Reads would wait for a remote that doesn't answer, whenever a pending write is tried again.
  @Test func aWriteStreamThatOpensIsNotAnAnswerOfTheRemote() throws {
    let driven = try DrivenSync()
    let before = driven.answers
    try driven.sync.write([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 1]))]) { _ in }
    try driven.sync.remote?.receive(WriteEvent.opened(token: nil))
    #expect(driven.answers == before)
    try driven.sync.remote?.receive(
      WriteEvent.committed(RemoteCommit(time: .zero, results: [.init()]), token: nil))
    #expect(driven.answers == before + 1)
  }

  @Test func inALocalOnlyDatabaseAWriteIsConfirmedAtOnce() async throws {
    let write = try await makeStore().document("c/d").setData(["n": 1])
    #expect(write.isSettled)
    #expect(try await write.confirmed() == nil)
  }

  @Test func pendingWritesAreSentInOrderAfterARestart() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let first = makeStore(directory, remote: remote)
    try await first.disableNetwork()
    for number in 1...25 { try await first.document("c/d").setData(["n": number]) }
    try await first.document("c/e").setData(["n": 1])
    await first.terminate()

    let second = makeStore(directory, remote: remote)
    try await second.waitForPendingWrites()
    #expect(try await Self.fields("c/d", remote) == ["n": 25])
    #expect(try await Self.fields("c/e", remote) == ["n": 1])
    #expect(try await second.queuedWrites.isEmpty)
    await second.terminate()
  }

  @Test func aRejectedWriteIsUndoneAndKeptWithItsReasonUntilAcknowledged() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let first = makeStore(directory, remote: remote)
    try await first.document("c/d").setData(["n": 1]).confirmed()
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "You may not write c/d.")))
    let write = try await first.document("c/d").setData(["n": 2])
    let thrown = await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(thrown?.code == .permissionDenied)
    #expect(try await first.document("c/d").getDocument(source: .cache).fields?["n"] == 1)
    await first.terminate()

    let second = makeStore(directory, remote: remote)
    let rejected = try #require(try await second.rejectedWrites.first)
    #expect(rejected.error.code == .permissionDenied)
    #expect(rejected.writes.first?.document.text == "c/d")
    try await second.dismissRejectedWrite(rejected.id)
    #expect(try await second.rejectedWrites.isEmpty)
    await second.terminate()
  }

  @Test func aRejectedWriteKeepsLaterWritesOfTheDocument() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/d").setData(["a": 0, "b": 0]).confirmed()
    try await store.disableNetwork()
    try await store.document("c/d").updateData(["a": 1])
    try await store.document("c/d").updateData(["b": 1])
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await store.document("c/d").getDocument(source: .cache).fields == ["a": 0, "b": 1])
    #expect(try await Self.fields("c/d", remote) == ["a": 0, "b": 1])
    await store.terminate()
  }

  @Test func anIncrementIsAppliedOnceDespiteALostAcknowledgement() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/d").setData(["n": 1]).confirmed()
    remote.decideNextBatches(.unanswered(StoreRemoteError(.unavailable, "The connection was lost.")))
    let write = try await store.document("c/d").updateData(["n": .increment(1)])
    try await write.confirmed()
    #expect(try await Self.fields("c/d", remote) == ["n": 2])
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 2)
    await store.terminate()
  }

  @Test func anUnsentWriteCanBeCancelled() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.disableNetwork()
    let first = try await store.document("c/d").setData(["n": 1])
    let second = try await store.document("c/d").updateData(["m": 2])
    let queued = try await store.queuedWrites
    #expect(queued.map(\.isSent) == [false, false])
    #expect(try await store.cancelQueuedWrite(queued[1].id))
    #expect(try await !store.cancelQueuedWrite(queued[1].id), "once")
    #expect(try await store.document("c/d").getDocument(source: .cache).fields == ["n": 1])
    await #expect(throws: CancellationError.self) { try await second.confirmed() }
    try await store.enableNetwork()
    try await first.confirmed()
    #expect(try await Self.fields("c/d", remote) == ["n": 1])
    await store.terminate()
  }

  @Test func cancellingTheNewestWriteDoesNotCountAsAnAnswerToOlderOnes() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.disableNetwork()
    let first = try await store.document("c/a").setData(["n": 1])
    try await store.document("c/b").setData(["n": 2])
    let waiting = Task {
      try await store.waitForPendingWrites()
      return first.isSettled
    }
    try await eventually { await store.engine.hasWaiters }
    #expect(try await store.cancelQueuedWrite(store.queuedWrites[1].id))
    #expect(await store.engine.hasWaiters)
    try await store.enableNetwork()
    #expect(try await waiting.value, "the first write had been answered")
    await store.terminate()
  }

  @Test func waitingForAConfirmationThrowsWhenTheDatabaseIsClosed() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let store = makeStore(directory, remote: remote)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["n": 1])
    let confirming = Task { try await write.confirmed() }
    let waiting = Task { try await store.waitForPendingWrites() }
    try await eventually { await store.engine.hasWaiters }
    await store.terminate()
    let first = await #expect(throws: StoreError.self) { try await confirming.value }
    let second = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(first?.code == .closed && second?.code == .closed)
    let later = makeStore(directory, remote: remote)
    try await later.waitForPendingWrites()
    #expect(try await Self.fields("c/d", remote) == ["n": 1])
    await later.terminate()
  }

  @Test func aWriteThatMayHaveReachedTheRemoteCannotBeCancelled() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    // Opens the stream.
    try await store.document("c/a").setData(["n": 0]).confirmed()
    remote.delayResponses()
    let write = try await store.document("c/d").setData(["n": 1])
    let queued = try #require(try await store.queuedWrites.first)
    #expect(queued.isSent)
    #expect(try await !store.cancelQueuedWrite(queued.id))
    remote.deliverDelayedResponses()
    try await write.confirmed()
    await store.terminate()
  }

  @Test func cancellingAWaitForAConfirmationKeepsTheWrite() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["n": 1])
    let waiting = Task { try await write.confirmed() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await store.enableNetwork()
    try await write.confirmed()
    #expect(try await Self.fields("c/d", remote) == ["n": 1])
    await store.terminate()
  }

  @Test func documentsWrittenBeforeARemoteWasLinkedAreSent() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let alone = makeStore(directory)
    // More writes than are read from the queue in one step.
    let batch = alone.batch()
    for number in 1...1200 { try batch.setData(["n": number], forDocument: alone.document("c/d\(number)")) }
    try await batch.commit()
    await alone.terminate()
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d3"), .set(["other": true]))])

    let shared = makeStore(directory, remote: remote)
    try await shared.disableNetwork()
    #expect(try await shared.collection("c").getDocuments(source: .cache).count == 1200)
    #expect(try await shared.queuedWrites.count == 1200)
    try await shared.enableNetwork()
    try await shared.waitForPendingWrites()
    for number in 1...3 { #expect(try await Self.fields("c/d\(number)", remote) == ["n": .init(number)]) }
    await shared.terminate()

    // A shared database without a remote keeps its writes pending.
    let without = makeStore(directory, isLocalOnly: false)
    let write = try await without.document("c/d4").setData(["n": 4])
    #expect(!write.isSettled)
    await without.terminate()
    let again = makeStore(directory, remote: remote)
    try await again.waitForPendingWrites()
    #expect(try await Self.fields("c/d4", remote) == ["n": 4])
    await again.terminate()
  }

  @Test func serverTimestampsAreEstimatedUntilConfirmed() async throws {
    let remote = FakeStoreRemote()
    let moment = Timestamp(seconds: 1000)
    let store = makeStore(now: moment, remote: remote)
    try await store.document("c/d").setData(["seen": "before"]).confirmed()
    try await store.disableNetwork()
    let write = try await store.document("c/d").updateData(["seen": .serverTimestamp()])
    let pending = try await store.document("c/d").getDocument(source: .cache)
    #expect(pending.fields?["seen"] == .timestamp(moment))
    #expect(pending.fields(with: .previous)?["seen"] == "before")
    #expect(pending.fields(with: .none)?["seen"] == .null)
    #expect(pending.metadata.hasPendingWrites)
    try await store.enableNetwork()
    try await write.confirmed()
    let confirmed = try await store.document("c/d").getDocument(source: .cache)
    #expect(confirmed.fields?["seen"] != .timestamp(moment))
    #expect(confirmed.fields(with: .none)?["seen"] == confirmed.fields?["seen"])
    await store.terminate()
  }

  @Test func anIncrementDoesNotJumpWhenTheRemoteSendsTheDocumentFirst() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/d").setData(["n": 10]).confirmed()
    let snapshots = Snapshots(store.document("c/d").snapshots)
    #expect(try await snapshots.next()?.fields?["n"] == 10)
    // The response is lost, and the remote sends the document with the increment applied.
    remote.decideNextBatches(.unanswered(StoreRemoteError(.unavailable, "The connection was lost.")))
    try await store.document("c/d").updateData(["n": .increment(1)])
    #expect(try await snapshots.next()?.fields?["n"] == 11)
    try await store.waitForPendingWrites()
    try await store.document("c/d").updateData(["end": true]).confirmed()
    #expect(try await snapshots.next()?.fields == ["n": 11, "end": true], "nothing was told in between")
    await store.terminate()
  }
}

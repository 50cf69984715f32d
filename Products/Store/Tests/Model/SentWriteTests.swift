import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// A write that the server may have applied can't be cancelled: its effect on this device would be undone,
/// and remain at the server.
@Suite(.limited) struct SentWriteTests {
  /// Whether nothing was received is known if no connection could be opened.
  @Test func aWriteThatReachedNobodyIsCancelled() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.document("c/other").setData(["n": 1]).confirmed()
    var unreachable = StoreRemoteError(.unavailable, "There is no network.")
    unreachable.isUnsent = true
    for _ in 0..<100 { remote.decideNextBatches(.refused(unreachable)) }
    try await store.document("c/d").setData(["n": 1])
    let queued = try #require(try await store.queuedWrites.first)
    try await eventually { remote.batches.count >= 2 }
    // Between two attempts.
    try await eventually { try await store.cancelQueuedWrite(queued.id) }
    #expect(try await store.queuedWrites.isEmpty)
    await store.terminate()
  }

  /// What happens between sending a write and cancelling it.
  enum Interruption: CaseIterable, Sendable { case none, disabledNetwork, restart }

  @Test(arguments: Interruption.allCases) func aWriteThatTheServerMayHaveIsNotCancelled(
    after interruption: Interruption
  ) async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    var store = makeStore(directory, remote: remote)
    try await store.document("c/other").setData(["n": 1]).confirmed()
    remote.delayResponses()
    try await store.document("c/d").setData(["n": 1])
    try await eventually { remote.batches.count == 2 }
    switch interruption {
    case .none: break
    case .disabledNetwork: try await store.disableNetwork()
    case .restart:
      await store.terminate()
      store = makeStore(directory, remote: remote)
      try await store.disableNetwork()
    }
    let queued = try #require(try await store.queuedWrites.first)
    let isCancelled = try await store.cancelQueuedWrite(queued.id)
    #expect(queued.isSent)
    #expect(!isCancelled)
    remote.deliverDelayedResponses()
    await store.terminate()
  }
}

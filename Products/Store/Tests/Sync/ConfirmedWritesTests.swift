import TenonCore
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Write calls that return when the remote has answered, as those of Firebase do.
@Suite(.limited) struct ConfirmedWritesTests {
  private static let refusal = StoreRemoteError(.permissionDenied, "You may not write c/d.")
  private static let settings = StoreSettings(writes: .confirmed)

  private final class Counter: Sendable { let count = Lock(0) }

  private struct Model: Codable { var n = 1 }

  /// Every call that writes, by name.
  private static let calls: [(String, @Sendable (Store) async throws -> Void)] = [
    ("setData", { try await $0.document("c/d").setData(["n": 1]) }),
    ("setData(from:)", { try await $0.document("c/d").setData(from: Model()) }),
    ("create", { try await $0.document("c/d").create(["n": 1]) }),
    ("updateData", { try await $0.document("c/d").updateData(["n": 1]) }),
    ("delete", { try await $0.document("c/d").delete() }),
    ("addDocument", { try await $0.collection("c").addDocument(data: ["n": 1]) }),
    ("a typed document", { try await $0.document("c/d", of: Model.self).setData(Model()) }),
    ("a typed collection", { try await $0.collection("c", of: Model.self).addDocument(Model()) }),
    ("a batch", { try await $0.batch().setData(["n": 1], forDocument: $0.document("c/d")).commit() }),
    (
      "a transaction",
      { store in
        try await store.runTransaction { try $0.setData(["n": 1], forDocument: store.document("c/d")) }
      }
    ),
  ]

  @Test(arguments: calls.indices) func aCallThrowsTheRejectionAndNothingElseReportsIt(index: Int) async throws
  {
    let (remote, log) = (FakeStoreRemote(), LogRecorder())
    let handled = Lock(0)
    let store = makeStore(remote: remote, settings: Self.settings, logger: log.logger)
    store.onRejectedWrite = { _ in handled.withLock { $0 += 1 } }
    remote.decideNextBatches(.refused(Self.refusal))
    let thrown = await #expect(throws: StoreError.self) { try await Self.calls[index].1(store) }
    #expect(thrown?.code == .permissionDenied)
    #expect(try await store.rejectedWrites.isEmpty)
    #expect(try await store.queuedWrites.isEmpty)
    #expect(try await store.collection("c").getDocuments().isEmpty)
    #expect(handled.withLock { $0 } == 0 && log.messages(.warning).isEmpty)
    await store.terminate()
  }

  @Test func aCallReturnsWhenTheRemoteHasTheWrite() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    let write = try await store.document("c/d").setData(["n": 1])
    #expect(remote.batches.count == 1 && write.isSettled)
    #expect(try await write.confirmed() != nil)
    #expect(try await store.queuedWrites.isEmpty)
    #expect(try await store.deleteCollection("c") == 1)
    #expect(try await store.queuedWrites.isEmpty && remote.batches.count == 2)
    await store.terminate()
  }

  @Test func withoutANetworkACallWaitsAndTheWriteIsVisible() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    try await store.disableNetwork()
    let (setting, running) = (Self.calls[0].1, Self.calls[9].1)
    let returned = Counter()
    let writes = [
      Task {
        try await setting(store)
        returned.count.withLock { $0 += 1 }
      },
      Task {
        try await running(store)
        returned.count.withLock { $0 += 1 }
      },
    ]
    try await eventually { try await store.queuedWrites.count == 2 }
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 1)
    #expect(returned.count.withLock { $0 } == 0)
    try await store.enableNetwork()
    for write in writes { try await write.value }
    #expect(remote.batches.count == 2)
    await store.terminate()
  }

  @Test func aCancelledCallEndsAndItsWriteIsSentAndReported() async throws {
    let (remote, rejections) = (FakeStoreRemote(), AsyncStream<RejectedWrite>.makeStream())
    let store = makeStore(remote: remote, settings: Self.settings)
    store.onRejectedWrite = { rejections.continuation.yield($0) }
    try await store.disableNetwork()
    let write = Task { try await store.document("c/d").setData(["n": 1]) }
    try await eventually { try await store.queuedWrites.count == 1 }
    write.cancel()
    await #expect(throws: CancellationError.self) { try await write.value }
    #expect(try await store.queuedWrites.count == 1)
    remote.decideNextBatches(.refused(Self.refusal))
    try await store.enableNetwork()
    let rejected = await rejections.stream.first { _ in true }
    #expect(rejected?.writes.map(\.document.text) == ["c/d"])
    #expect(try await store.rejectedWrites.map(\.id) == [rejected?.id])
    await store.terminate()
  }

  /// A call that is cancelled when its write is rejected either throws the rejection, or it is listed.
  @Test(arguments: 0..<20) func aRejectionThatMeetsACancellationIsNotLost(attempt: Int) async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    // The stream of writes is open before its responses are delayed.
    try await store.document("c/first").setData(["n": 1])
    remote.decideNextBatches(.refused(Self.refusal))
    remote.delayResponses()
    let write = Task { try await store.document("c/d").setData(["n": 1]) }
    try await eventually { remote.batches.count == 2 }
    async let delivery: Void = remote.deliverDelayedResponses()
    for _ in 0..<attempt { await Task.yield() }
    write.cancel()
    await delivery
    let outcome = await write.result
    try await store.waitForPendingWrites()
    let isListed = try await store.rejectedWrites.count == 1
    #expect(throws: (any Error).self) { try outcome.get() }
    if case .failure(let error) = outcome { #expect(isListed == (error is CancellationError)) }
    await store.terminate()
  }

  @Test func aCallOfAFormerUserEndsAndTheWriteWaitsForThatUser() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ada")
    let rejections = AsyncStream<RejectedWrite>.makeStream()
    let store = makeStore(remote: remote, auth: auth, settings: Self.settings)
    store.onRejectedWrite = { rejections.continuation.yield($0) }
    try await store.disableNetwork()
    let write = Task { try await store.document("c/d").setData(["n": 1]) }
    try await eventually { try await store.queuedWrites.count == 1 }
    auth.signIn(userID: "bob")
    let thrown = await #expect(throws: StoreError.self) { try await write.value }
    #expect(thrown?.code == .cancelled)
    remote.decideNextBatches(.refused(Self.refusal))
    auth.signIn(userID: "ada")
    try await store.enableNetwork()
    #expect(await rejections.stream.first { _ in true }?.error.code == .permissionDenied)
    await store.terminate()
  }

  @Test func nothingIsWrittenWithoutARemote() async throws {
    let store = makeStore(settings: Self.settings, isLocalOnly: false)
    for (name, call) in Self.calls where name != "updateData" {
      let thrown = await #expect(throws: StoreError.self, "\(name)") { try await call(store) }
      #expect(thrown?.code == .unavailable, "\(name)")
    }
    #expect(try await store.queuedWrites.isEmpty)
    await store.terminate()
  }

  @Test func aCallEndsWhenTheDatabaseIsClosed() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: Self.settings)
    try await store.disableNetwork()
    let write = Task { try await store.document("c/d").setData(["n": 1]) }
    try await eventually { try await store.queuedWrites.count == 1 }
    await store.terminate()
    let thrown = await #expect(throws: StoreError.self) { try await write.value }
    #expect(thrown?.code == .closed)
  }

  @Test func aLocalOnlyDatabaseDoesNotWait() async throws {
    let store = makeStore(settings: Self.settings)
    #expect(try await store.document("c/d").setData(["n": 1]).isSettled)
    await store.terminate()
  }
}

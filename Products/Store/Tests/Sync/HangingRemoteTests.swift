import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Reads while the remote doesn't respond. The tests control the clock, so a read that waits never returns.
@Suite(.limited)
struct HangingRemoteTests {
  private let time = TestTime()
  private let remote = UnansweredRemote()

  /// Returns a database with `c/a` in its cache and a remote that no longer responds to reads.
  private func store() async throws -> Store {
    let store = makeStore(remote: remote, time: time)
    try await store.document("c/a").setData(["n": 1]).confirmed()
    remote.fake.delayResponses()
    return store
  }

  /// Reads until the time limit of the remote has passed.
  private func readInVain(_ store: Store) async throws -> DocumentSnapshot {
    let document = store.document("c/a")
    let reading = Task { try await document.getDocument() }
    await time.wait(for: 10)
    time.advance(by: 10)
    return try await reading.value
  }

  private func untilReadsAsk(_ store: Store) async throws {
    try await eventually { await store.engine.readsAsk }
  }

  @Test func onlyTheFirstReadWaitsForAnUnresponsiveRemote() async throws {
    let store = try await store()
    let first = try await readInVain(store)
    #expect(first.fields?["n"] == 1 && first.metadata.isFromCache)
    let second = try await store.document("c/a").getDocument()
    #expect(second.fields?["n"] == 1 && second.metadata.isFromCache)
    #expect(try await store.collection("c").count.getAggregation().count == 1)
    #expect(try await store.collection("c").getDocuments().metadata.isFromCache)
    #expect(remote.questions == 1)
    await store.terminate()
  }

  @Test func serverReadsOfAnUnresponsiveRemoteFailAtOnceAndNameTheDocument() async throws {
    let store = try await store()
    _ = try await readInVain(store)
    for (path, source) in [("c/a", FirestoreSource.server), ("c/z", .default)] {
      let thrown = await #expect(throws: StoreError.self) {
        try await store.document(path).getDocument(source: source)
      }
      #expect(thrown?.code == .unavailable)
      #expect(thrown?.message.contains(path) == true, "\(thrown?.message ?? "")")
    }
    let counted = await #expect(throws: StoreError.self) {
      try await store.collection("c").count.getAggregation(source: .server).count
    }
    #expect(counted?.code == .unavailable)
    let listed = await #expect(throws: StoreError.self) {
      try await store.collection("c").getDocuments(source: .server)
    }
    #expect(listed?.code == .unavailable)
    await store.terminate()
  }

  @Test func aTransactionUsesTheCacheAfterARemoteDidNotRespond() async throws {
    let store = try await store()
    let document = store.document("c/a")
    _ = try await readInVain(store)
    try await store.runTransaction { transaction in
      let n = try await transaction.getDocument(document).fields?["n"]?.int64Value ?? 0
      try transaction.setData(["n": n + 1], forDocument: document)
    }
    #expect(try await document.getDocument().fields?["n"] == 2)
    await store.terminate()
  }

  @Test func aTransactionWaitsOnceForAnUnresponsiveRemote() async throws {
    let store = try await store()
    let document = store.document("c/a")
    let transaction = Task {
      try await store.runTransaction { transaction in
        let n = try await transaction.getDocument(document).fields?["n"]?.int64Value ?? 0
        _ = try await transaction.getDocuments(store.collection("c").limit(to: 1))
        try transaction.setData(["n": n + 1], forDocument: document)
      }
    }
    await time.wait(for: 10)
    time.advance(by: 10)
    try await transaction.value
    #expect(try await document.getDocument().fields?["n"] == 2)
    await store.terminate()
  }

  @Test func readsDoNotRetryAFailedConnection() async throws {
    let store = try await store()
    remote.fake.fail(with: StoreRemoteError(.unavailable, "There is no network."))
    for _ in 0..<5 { #expect(try await store.document("c/a").getDocument().metadata.isFromCache) }
    #expect(remote.questions == 1)
    await store.terminate()
  }

  @Test func oneReadAtATimeProbesTheRemoteInTheBackground() async throws {
    let store = try await store()
    _ = try await readInVain(store)
    await time.wait(for: 0)
    for _ in 0..<5 { #expect(try await store.document("c/a").getDocument().metadata.isFromCache) }
    time.advance(by: 0)
    await time.wait(for: 10)
    for _ in 0..<5 { #expect(try await store.document("c/a").getDocument().metadata.isFromCache) }
    #expect(remote.questions == 2)

    try remote.fake.apply([DocumentWrite(ResourcePath(document: "c/a"), .set(["n": 2]))])
    remote.fake.deliverDelayedResponses()
    try await untilReadsAsk(store)
    let snapshot = try await store.document("c/a").getDocument(source: .server)
    #expect(snapshot.fields?["n"] == 2 && !snapshot.metadata.isFromCache)
    #expect(try await !store.collection("c").getDocuments().metadata.isFromCache)
    await store.terminate()
  }

  @Test func eachFailedProbeDelaysTheNextOne() async throws {
    let store = try await store()
    _ = try await readInVain(store)
    await time.wait(for: 0)
    _ = try await store.document("c/a").getDocument()
    time.advance(by: 0)
    await time.wait(for: 10)
    time.advance(by: 10)
    #expect((0.5..<1.5).contains(try #require(await time.nextWait())))
    await store.terminate()
  }

  @Test func theFirstReadAfterAMinuteContactsTheRemote() async throws {
    let store = try await store()
    _ = try await readInVain(store)
    await time.wait(for: 0)
    time.advance(by: 0)
    await time.wait(for: 60)
    remote.fake.deliverDelayedResponses()
    time.advance(by: 60)
    try await untilReadsAsk(store)
    #expect(try await !store.document("c/a").getDocument().metadata.isFromCache)
    #expect(remote.questions == 2, "nobody else asked")
    await store.terminate()
  }

  @Test func aRespondingStreamLetsReadsContactTheRemote() async throws {
    let store = try await store()
    _ = try await readInVain(store)
    let snapshots = Snapshots(store.document("c/a").snapshots(includeMetadataChanges: true))
    #expect(try await snapshots.next()?.metadata.isFromCache == true)
    remote.fake.deliverDelayedResponses()
    #expect(try await snapshots.next { !$0.metadata.isFromCache } != nil)
    #expect(try await !store.document("c/a").getDocument().metadata.isFromCache)
    await store.terminate()
  }

  @Test func anUnansweredReadDoesNotAffectConnectedListeners() async throws {
    let store = try await store()
    remote.fake.deliverDelayedResponses()
    let snapshots = Snapshots(store.collection("c").snapshots(includeMetadataChanges: true))
    #expect(try await snapshots.next { !$0.metadata.isFromCache } != nil)
    remote.fake.delayResponses()
    // The stream also waits on the clock, so the wait of the read can't be identified.
    let isOver = Lock(false)
    let document = store.document("c/a")
    let reading = Task {
      defer { isOver.withLock { $0 = true } }
      return try await document.getDocument()
    }
    try await eventually {
      time.advance(by: 1)
      return isOver.withLock { $0 }
    }
    #expect(try await reading.value.metadata.isFromCache)
    remote.fake.deliverDelayedResponses()
    try remote.fake.apply([DocumentWrite(ResourcePath(document: "c/b"), .set(["n": 1]))])
    let next = try #require(try await snapshots.next())
    #expect(next.story == "added b" && !next.metadata.isFromCache)
    try await untilReadsAsk(store)
    await store.terminate()
  }

  @Test func enablingTheNetworkContactsTheRemote() async throws {
    let store = try await store()
    _ = try await readInVain(store)
    try await store.disableNetwork()
    remote.fake.deliverDelayedResponses()
    try await store.enableNetwork()
    #expect(try await !store.document("c/a").getDocument().metadata.isFromCache)
    await store.terminate()
  }

  @Test func foreignErrorsOfARemoteBecomeStoreErrors() async throws {
    let store = try await store()
    remote.breakReads()
    let document = store.document("c/a")
    let thrown = await #expect(throws: StoreError.self) { try await document.getDocument() }
    #expect(thrown?.code == .unknown)
    #expect(thrown?.message.contains("Broken") == true, "\(thrown?.message ?? "")")
    await store.terminate()
  }

  @Test func aCancelledReadEndsAtOnceEvenIfTheRemoteIgnoresIt() async throws {
    let store = try await store()
    let document = store.document("c/a")
    let reading = Task { try await document.getDocument() }
    await time.wait(for: 10)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(await store.engine.readsAsk, "a cancellation says nothing about the remote")
    remote.fake.deliverDelayedResponses()
    #expect(try await !document.getDocument().metadata.isFromCache)
    await store.terminate()
  }
}

extension TestTime {
  /// Waits until a task sleeps for a duration.
  fileprivate func wait(for seconds: TimeInterval) async {
    for await wait in waits where wait == seconds { return }
  }

  /// The duration of the next wait.
  fileprivate func nextWait() async -> TimeInterval? { await waits.first { _ in true } }
}

/// A remote that counts reads, and ignores their cancellation.
private final class UnansweredRemote: StoreRemote {
  let pipelineDepth = 10
  let fake = FakeStoreRemote()
  private let count = Lock(0)
  private let isBroken = Lock(false)

  private struct Broken: Error {}

  /// Makes reads throw an error that no remote should throw.
  func breakReads() { isBroken.withLock { $0 = true } }

  /// The number of reads so far.
  var questions: Int { count.withLock { $0 } }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> { fake.listen(requests, in: context) }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> { fake.write(batches, token: token, in: context) }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await fake.commit(batch, in: context)
  }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await read { try await $0.fetch(documents, in: context) }
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await read { try await $0.run(query, in: context) }
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] {
    try await read { try await $0.aggregate(query, aggregations, in: context) }
  }

  private func read<Answer: Sendable>(
    _ body: @escaping @Sendable (FakeStoreRemote) async throws -> Answer
  ) async throws -> Answer {
    count.withLock { $0 += 1 }
    if isBroken.withLock({ $0 }) { throw Broken() }
    // An unstructured task isn't cancelled with the caller.
    return try await Task { [fake] in try await body(fake) }.value
  }
}

import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// A remote that fails permanently, as opposed to one that is unreachable.
@Suite(.limited)
struct FailedRemoteTests {
  private let remote = FakeStoreRemote()
  private let damage = StoreRemoteError(.dataLoss, "The backend's documents are damaged.")

  @Test func aFailedRemoteIsReportedToEveryWaitingCaller() async throws {
    remote.fail(with: damage)
    let store = makeStore(remote: remote)
    let write = try await store.document("c/a").setData(["n": 1])
    let waiting = await #expect(throws: StoreError.self) { try await store.waitForPendingWrites() }
    #expect(waiting?.code == .dataLoss)
    let confirming = await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(confirming?.code == .dataLoss)
    let listening = await #expect(throws: StoreError.self) {
      for try await _ in store.collection("c").snapshots {}
    }
    #expect(listening?.code == .dataLoss)
    let reading = await #expect(throws: StoreError.self) {
      try await store.document("c/a").getDocument(source: .server)
    }
    #expect(reading?.code == .dataLoss)
    await store.terminate()
  }

  @Test func theWritesStayInTheQueueAndAreSentOnceTheRemoteWorks() async throws {
    remote.fail(with: damage)
    let store = makeStore(remote: remote)
    try await store.document("c/a").setData(["n": 1])
    await #expect(throws: StoreError.self) { try await store.waitForPendingWrites() }
    #expect(try await store.queuedWrites.count == 1)
    #expect(try await store.rejectedWrites.isEmpty)
    #expect(try await store.document("c/a").getDocument(source: .cache).fields?["n"] == 1)
    remote.fail(with: nil)
    try await store.waitForPendingWrites()
    #expect(try await store.queuedWrites.isEmpty)
    let path = try ResourcePath(document: "c/a")
    #expect(try await remote.fetch([path], in: RemoteContext()).first?.fields == ["n": 1])
    // Listeners work again, too.
    let snapshots = store.collection("c").snapshots(includeMetadataChanges: true)
    let snapshot = try await snapshots.first { !$0.metadata.isFromCache }
    #expect(snapshot?.ids == ["a"])
    await store.terminate()
  }

  @Test func aFailedRemoteIsNotContactedUntilItIsNeeded() async throws {
    let time = TestTime()
    let counting = CountingRemote(remote)
    remote.fail(with: damage)
    let store = makeStore(remote: counting, time: time)
    for number in 1...3 {
      try await store.document("c/a").setData(["n": number])
      await #expect(throws: StoreError.self) { try await store.waitForPendingWrites() }
      let asked = counting.count
      for _ in 0..<5 {
        time.advance(by: 100)
        for _ in 0..<20 { await Task.yield() }
      }
      #expect(counting.count == asked)
    }
    await store.terminate()
  }

  @Test func aTransactionIsQueuedWhileTheRemoteHasFailed() async throws {
    remote.fail(with: damage)
    let store = makeStore(remote: remote)
    let document = store.document("c/a")
    try await document.setData(["n": 1])
    await #expect(throws: StoreError.self) { try await store.waitForPendingWrites() }
    let batch = store.batch()
    try batch.setData(["n": 2], forDocument: document)
    let confirmation = try await batch.commit()
    let thrown = await #expect(throws: StoreError.self) { try await confirmation.confirmed() }
    #expect(thrown?.code == .dataLoss)
    #expect(try await store.queuedWrites.count == 2)
    await store.terminate()
  }
}

/// A remote that counts the streams and calls that it receives.
private final class CountingRemote: StoreRemote {
  let pipelineDepth = 10
  private let remote: any StoreRemote
  private let asked = Lock(0)

  init(_ remote: any StoreRemote) { self.remote = remote }

  var count: Int { asked.withLock { $0 } }

  private func note() { asked.withLock { $0 += 1 } }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    note()
    return remote.listen(requests, in: context)
  }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    note()
    return remote.write(batches, token: token, in: context)
  }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    note()
    return try await remote.commit(batch, in: context)
  }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    note()
    return try await remote.fetch(documents, in: context)
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    note()
    return try await remote.run(query, in: context)
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] {
    note()
    return try await remote.aggregate(query, aggregations, in: context)
  }
}

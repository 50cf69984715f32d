import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Reads while the remote answers requests, but each stream ends with an error, as behind a proxy that cuts
/// responses that last. The tests control the clock, so a read that waits for a stream never returns.
@Suite(.limited) struct FailingStreamTests {
  private let time = TestTime()
  private let remote = StreamlessRemote()
  private let path = ResourcePath(unchecked: "c/a")

  private func write(_ n: Int64) throws {
    _ = try remote.fake.apply([DocumentWrite(path, .set(["n": .integer(n)]))])
  }

  @Test func aQueryIsAnsweredByTheRemote() async throws {
    let store = makeStore(remote: remote, time: time)
    for n in 1...5 as ClosedRange<Int64> {
      try write(n)
      for source in [FirestoreSource.default, .server] {
        let result = try await store.collection("c").getDocuments(source: source)
        #expect(result.documents.map { $0.fields["n"] } == [.integer(n)] && !result.metadata.isFromCache)
      }
    }
    await store.terminate()
  }

  @Test func aQueryIsAnsweredByTheRemoteWhileAListenerWaits() async throws {
    let store = makeStore(remote: remote, time: time)
    let snapshots = Snapshots(store.collection("c").snapshots)
    #expect(try await snapshots.next()?.metadata.isFromCache == true)
    // That the stream has failed is known, so the first read is answered by the cache, and probes the remote.
    try await eventually { try await !store.collection("c").getDocuments().metadata.isFromCache }
    for n in 1...5 as ClosedRange<Int64> {
      try write(n)
      let result = try await store.collection("c").getDocuments()
      #expect(result.documents.map { $0.fields["n"] } == [.integer(n)] && !result.metadata.isFromCache)
    }
    await store.terminate()
  }

  @Test func pendingWritesAreAppliedToTheAnswer() async throws {
    let store = makeStore(remote: remote, time: time)
    try write(1)
    try await store.document("c/b").setData(["n": 2])
    let query = store.collection("c").order(by: "n").limit(toLast: 2)
    let result = try await query.getDocuments()
    #expect(result.documents.map(\.documentID) == ["a", "b"] && !result.metadata.isFromCache)
    #expect(result.documents.map(\.metadata.hasPendingWrites) == [false, true])
    await store.terminate()
  }

  @Test func withoutAnswersTheCacheIsReadAndTheRemoteIsAskedOnce() async throws {
    let store = makeStore(remote: remote, time: time)
    try write(1)
    #expect(try await store.collection("c").getDocuments().count == 1)
    remote.fake.fail(with: StoreRemoteError(.unavailable, "There is no network."))
    let asked = remote.questions
    for _ in 0..<5 {
      let result = try await store.collection("c").getDocuments()
      #expect(result.count == 1 && result.metadata.isFromCache)
    }
    #expect(remote.questions == asked + 1)
    let error = await #expect(throws: StoreError.self) {
      try await store.collection("c").getDocuments(source: .server)
    }
    #expect(error?.code == .unavailable)
    await store.terminate()
  }
}

/// A remote whose streams end with an error.
private final class StreamlessRemote: StoreRemote {
  let pipelineDepth = 10
  let fake = FakeStoreRemote()
  private let count = Lock(0)
  private static let cut = StoreRemoteError(.unavailable, "The connection was cut.")

  /// The number of reads so far.
  var questions: Int { count.withLock { $0 } }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> { AsyncThrowingStream { throw Self.cut } }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> { AsyncThrowingStream { throw Self.cut } }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await fake.commit(batch, in: context)
  }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    count.withLock { $0 += 1 }
    return try await fake.fetch(documents, in: context)
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    count.withLock { $0 += 1 }
    return try await fake.run(query, in: context)
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] { try await fake.aggregate(query, aggregations, in: context) }
}

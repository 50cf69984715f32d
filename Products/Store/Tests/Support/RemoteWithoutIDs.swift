import Foundation
import TenonStoreInterop
import TenonTesting

/// A remote that, like Cloud Firestore, can't determine whether it has already applied a batch.
final class RemoteWithoutIDs: StoreRemote {
  let pipelineDepth = 10
  let fake = FakeStoreRemote()

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (renamed, continuation) = AsyncStream<RemoteBatch>.makeStream()
    let renaming = Task {
      for await batch in batches { continuation.yield(RemoteBatch(id: UUID(), writes: batch.writes)) }
      continuation.finish()
    }
    continuation.onTermination = { _ in renaming.cancel() }
    return fake.write(renamed, token: token, in: context)
  }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> { fake.listen(requests, in: context) }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await fake.commit(RemoteBatch(id: UUID(), writes: batch.writes), in: context)
  }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await fake.fetch(documents, in: context)
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await fake.run(query, in: context)
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] { try await fake.aggregate(query, aggregations, in: context) }
}

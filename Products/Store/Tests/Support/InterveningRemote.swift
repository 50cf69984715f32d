import Foundation
import TenonStoreInterop
import TenonTesting

/// A ``FakeStoreRemote`` that others change after it has committed a batch, and before the client receives
/// the answer.
final class InterveningRemote: StoreRemote {
  let pipelineDepth = 10
  let fake: FakeStoreRemote
  private let intervene: @Sendable (FakeStoreRemote) -> Void

  /// - Parameter intervene: called with each answer of a write stream before it is delivered.
  init(_ fake: FakeStoreRemote, _ intervene: @escaping @Sendable (FakeStoreRemote) -> Void) {
    (self.fake, self.intervene) = (fake, intervene)
  }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let events = fake.write(batches, token: token, in: context)
    let (delivered, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let delivery = Task { [fake, intervene] in
      do {
        for try await event in events {
          if case .committed = event { intervene(fake) }
          continuation.yield(event)
        }
        continuation.finish()
      } catch { continuation.finish(throwing: error) }
    }
    continuation.onTermination = { _ in delivery.cancel() }
    return delivered
  }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> { fake.listen(requests, in: context) }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await fake.commit(batch, in: context)
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

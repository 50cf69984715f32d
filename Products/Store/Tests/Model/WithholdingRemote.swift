import Foundation
import TenonFoundation
import TenonStoreInterop
import TenonTesting

/// A ``FakeStoreRemote`` whose answers and events can be lost, as on a connection that breaks without notice.
final class WithholdingRemote: StoreRemote {
  let pipelineDepth = 10
  let fake = FakeStoreRemote()
  private let withholds = Lock(false)

  /// Loses all answers to writes and all events of listeners, or stops doing so. Streams that were open in
  /// between must be closed by the client.
  func withhold(_ isWithholding: Bool) { withholds.withLock { $0 = isWithholding } }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    forwarding(fake.write(batches, token: token, in: context)) { event in
      if case .committed = event { true } else { false }
    }
  }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    forwarding(fake.listen(requests, in: context)) { _ in true }
  }

  /// Returns the events of a stream without those that are lost.
  private func forwarding<Event: Sendable>(
    _ events: AsyncThrowingStream<Event, any Error>, _ mayBeLost: @escaping @Sendable (Event) -> Bool
  ) -> AsyncThrowingStream<Event, any Error> {
    let (delivered, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
    let delivery = Task { [self] in
      do {
        for try await event in events where !(withholds.withLock { $0 } && mayBeLost(event)) {
          continuation.yield(event)
        }
        if !withholds.withLock({ $0 }) { continuation.finish() }
      } catch {
        if !withholds.withLock({ $0 }) { continuation.finish(throwing: error) }
      }
    }
    continuation.onTermination = { _ in delivery.cancel() }
    return delivered
  }

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

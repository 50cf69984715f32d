import TenonStoreInterop

extension SyncedStore {
  /// Listens to targets over its own channel; see ``ListenStream``.
  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    let session = ListenStream(requests, in: context, over: connection, memory: memory)
    return AsyncThrowingStream { try await session.next() }
  }
}

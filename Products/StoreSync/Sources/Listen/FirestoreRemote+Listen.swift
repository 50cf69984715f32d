import TenonStoreInterop

extension FirestoreRemote {
  /// Listens to targets over its own channel; see ``ListenStream``.
  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    let stream = ListenStream(requests, in: context, over: client, memory: memory)
    return AsyncThrowingStream { try await stream.next() }
  }
}

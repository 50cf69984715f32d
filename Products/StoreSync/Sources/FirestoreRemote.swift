import TenonCore
import TenonFoundation
import TenonStoreInterop

/// The remote through which Store uses Cloud Firestore, for one app and its user: WebChannel for
/// ``listen(_:in:)``, and REST for everything else
/// (https://firebase.google.com/docs/firestore/reference/rest).
struct FirestoreRemote: StoreRemote {
  /// Sends the requests.
  let client: FirestoreClient
  /// What listen streams learn about the server.
  let memory = ListenMemory()
  /// Receives warnings; `nil` for none.
  let logger: AppLogger?

  /// 1,000, because batches that wait go out together.
  var pipelineDepth: Int { 1_000 }

  /// Creates a remote.
  ///
  /// - Parameters:
  ///   - client: sends the requests.
  ///   - logger: receives warnings; none by default.
  init(_ client: FirestoreClient, logger: AppLogger? = nil) {
    self.client = client
    self.logger = logger
  }

  /// Applies a stream of batches in their order; see ``WriteStream``.
  ///
  /// - Parameters:
  ///   - batches: the batches.
  ///   - token: the last token of an earlier stream, which lists the records that can be deleted.
  ///   - context: the database and the user.
  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let writing = Task {
      var stream = WriteStream(self, token: token, in: context, logger: logger, events: continuation)
      do {
        try await stream.run(batches)
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in writing.cancel() }
    return events
  }
}

import TenonFoundation
import TenonStoreInterop

/// The listen and write streams of an engine over a ``StoreRemote``. Events of closed streams are ignored.
///
/// Each stream has a task that passes its events to the receiver: the next event is requested when the engine
/// has processed the previous one, so events of one stream keep their order. Those of the write stream that
/// arrive in between are passed on together; there are at most as many as unanswered batches. The two streams
/// are independent of each other.
///
/// A stream has a number, which increases when it is opened and when it is closed. The engine processes an
/// event only if its number is the current one, so an event that was already on its way when the stream was
/// closed has no effect. Confined to the engine's executor; its lifetime is that of the open database.
final class EngineStreams: RemoteStreams {
  /// Receives the events of the streams in order, with the number of the stream. Its functions return when
  /// the event was processed.
  struct Receiver: Sendable {
    /// Called with each event of a listen stream.
    let listen: @Sendable (ListenEvent, Int) async -> Void
    /// Called when the remote has ended a listen stream; with `nil` if it reported no error.
    let listenClosed: @Sendable (StoreRemoteError?, Int) async -> Void
    /// Called with the events of a write stream that have arrived since the last call, at least one.
    let write: @Sendable ([WriteEvent], Int) async -> Void
    /// Called when the remote has ended a write stream; with `nil` if it reported no error.
    let writeClosed: @Sendable (StoreRemoteError?, Int) async -> Void
  }

  private let remote: any StoreRemote
  private let isAdministrators: Bool
  private let database: String
  private let receiver: Receiver
  /// The requests of the listen stream; `nil` while it is closed.
  private var requests: AsyncStream<ListenRequest>.Continuation?
  /// The batches of the write stream; `nil` while it is closed.
  private var batches: AsyncStream<RemoteBatch>.Continuation?
  private var listening: Task<Void, Never>?
  private var writing: Task<Void, Never>?
  /// The number of the current listen stream, or of the last one.
  private(set) var listenNumber = 0
  /// The number of the current write stream, or of the last one.
  private(set) var writeNumber = 0

  /// The remote's depth, within limits, because any library may provide a remote.
  var pipelineDepth: Int { min(max(remote.pipelineDepth, 1), 1_000) }

  /// Creates a connection whose streams are closed.
  ///
  /// - Parameters:
  ///   - remote: the remote.
  ///   - isAdministrators: whether the streams are those of an administrator; `false` by default.
  ///   - database: the ID of the database, for the context of each stream.
  ///   - receiver: receives the events of the streams.
  init(_ remote: any StoreRemote, isAdministrators: Bool = false, database: String, receiver: Receiver) {
    self.remote = remote
    self.isAdministrators = isAdministrators
    self.database = database
    self.receiver = receiver
  }

  /// Returns the context of a stream.
  private func context(of user: String?) -> RemoteContext {
    RemoteContext(database: database, user: user, isAdministrator: isAdministrators)
  }

  /// Opens the listen stream on behalf of a user, closing the previous one.
  ///
  /// - Parameter user: the user's ID; `nil` if no user is signed in. The stream keeps that user's
  ///   credentials.
  func openListen(for user: String?) {
    closeListen()
    let (stream, requests) = AsyncStream<ListenRequest>.makeStream()
    self.requests = requests
    let number = listenNumber
    listening = Task { [remote, receiver, context = context(of: user)] in
      var end: StoreRemoteError?
      do {
        for try await event in remote.listen(stream, in: context) {
          await receiver.listen(event, number)
        }
      } catch {
        end = StoreRemoteError(wrapping: error)
      }
      if !Task.isCancelled { await receiver.listenClosed(end, number) }
    }
  }

  /// Sends a request on the listen stream; no effect while it is closed. Requests are buffered without a
  /// limit until the remote takes them.
  func send(_ request: ListenRequest) { requests?.yield(request) }

  /// Closes the listen stream. Its pending events are ignored, because the stream number changes.
  func closeListen() {
    listenNumber += 1
    requests?.finish()
    requests = nil
    listening?.cancel()
    listening = nil
  }

  /// Opens the write stream on behalf of a user, closing the previous one.
  ///
  /// - Parameters:
  ///   - token: the last stream token; `nil` if there is none.
  ///   - user: the user's ID; `nil` if no user is signed in.
  func openWrite(token: Data?, for user: String?) {
    closeWrite()
    let (stream, batches) = AsyncStream<RemoteBatch>.makeStream()
    self.batches = batches
    let number = writeNumber
    writing = Task { [remote, receiver, context = context(of: user)] in
      let arrivals = ArrivalQueue<WriteEvent>()
      async let end = arrivals.fill(from: remote.write(stream, token: token, in: context))
      for await _ in arrivals.signals { await receiver.write(arrivals.removeAll(), number) }
      let error = await end
      if !Task.isCancelled { await receiver.writeClosed(error, number) }
    }
  }

  /// Sends a batch on the write stream; no effect while it is closed.
  func send(_ batch: RemoteBatch) { batches?.yield(batch) }

  /// Closes the write stream. Its pending events are ignored, because the stream number changes.
  func closeWrite() {
    writeNumber += 1
    batches?.finish()
    batches = nil
    writing?.cancel()
    writing = nil
  }
}

extension ArrivalQueue {
  /// Adds the elements of a stream until it ends, and ends the queue.
  ///
  /// - Returns: the error with which the stream has ended; `nil` for none.
  fileprivate func fill(from stream: AsyncThrowingStream<Element, any Error>) async -> StoreRemoteError? {
    defer { end() }
    do {
      for try await element in stream { add(element) }
      return nil
    } catch {
      return StoreRemoteError(wrapping: error)
    }
  }
}

extension StoreRemoteError {
  /// Wraps an error that a remote threw. Cancellation becomes ``Code/cancelled``, and any other error
  /// ``Code/unknown``; streams are reopened after both.
  init(wrapping error: any Error) {
    if let error = error as? StoreRemoteError {
      self = error
    } else if error is CancellationError {
      self.init(.cancelled, "The remote cancelled the call.", underlying: error)
    } else {
      self.init(.unknown, "The remote failed: \(error).", underlying: error)
    }
  }
}

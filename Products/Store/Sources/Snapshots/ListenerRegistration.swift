import TenonFoundation

/// The registration of a snapshot listener.
///
/// The listener is called on the main actor with one snapshot after the other. It lasts until ``remove()`` is
/// called, it has received an error, or the database is closed, even if the registration is released. A
/// listener that is slower than the changes skips states and receives the newest.
///
/// In a process whose main actor never runs, for example because the main thread is blocked by a semaphore, a
/// listener isn't called. A program whose `main` is `async`, or whose main thread runs `dispatchMain()` or
/// the main run loop, isn't affected. Code that runs elsewhere, such as the handlers of a server, reads a
/// stream: `for try await snapshot in query.snapshots`.
public final class ListenerRegistration: Sendable {
  /// The task that reads the snapshots and calls the listener.
  private let task: Task<Void, Never>

  /// Starts a task that passes the snapshots of a stream to a listener, and finally the stream's error if
  /// there is one.
  ///
  /// - Parameters:
  ///   - snapshots: the stream, of which the task is the only reader.
  ///   - listener: called on the main actor; the next snapshot waits until it has returned.
  init<Snapshot: Sendable>(
    _ snapshots: AsyncThrowingStream<Snapshot, any Error>,
    _ listener: @escaping @MainActor @Sendable (Result<Snapshot, any Error>) -> Void
  ) {
    // The task keeps the listener alive without the registration, until the database is closed.
    task = MainActorReader.read(
      snapshots, receive: { listener(.success($0)) },
      end: { error in if let error { listener(.failure(error)) } })
  }

  /// Starts a task that passes the snapshots of a stream to a listener, and finally `nil` and the stream's
  /// error if there is one; otherwise as the other initializer.
  convenience init<Snapshot: Sendable>(
    _ snapshots: AsyncThrowingStream<Snapshot, any Error>,
    _ listener: @escaping @MainActor @Sendable (Snapshot?, (any Error)?) -> Void
  ) {
    self.init(snapshots) { (result: Result<Snapshot, any Error>) in
      switch result {
      case .success(let snapshot): listener(snapshot, nil)
      case .failure(let error): listener(nil, error)
      }
    }
  }

  /// Ends the listener. Calling it again has no effect.
  ///
  /// Once this has returned on the main actor, the listener isn't called again; it may call this itself. On
  /// another thread, a call that has begun, or is about to begin, at the same time isn't prevented and not
  /// waited for: that would block the calling thread for as long as the listener runs.
  public func remove() { task.cancel() }
}

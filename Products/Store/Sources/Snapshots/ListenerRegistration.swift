import TenonFoundation

/// The registration of a snapshot listener.
///
/// The listener is called with one snapshot after the other, never concurrently, on no particular thread. It
/// lasts until ``remove()`` is called, it has received an error, or the database is closed, even if the
/// registration is released.
public final class ListenerRegistration: Sendable {
  /// Whether ``remove()`` was called.
  private let isRemoved = Lock(false)
  /// The task that calls the listener.
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Starts a task that passes the snapshots of a stream to a listener, and finally the stream's error if
  /// there is one.
  ///
  /// - Parameters:
  ///   - snapshots: the stream, of which the task is the only reader.
  ///   - listener: called by the task, so the next snapshot waits until it has returned.
  init<Snapshot: Sendable>(
    _ snapshots: AsyncThrowingStream<Snapshot, any Error>,
    _ listener: @escaping @Sendable (Result<Snapshot, any Error>) -> Void
  ) {
    // The task keeps the listener alive without the registration, until the database is closed.
    let listening = Task {
      do {
        for try await snapshot in snapshots {
          if self.isRemoved.withLock({ $0 }) { return }
          listener(.success(snapshot))
        }
      } catch {
        if !self.isRemoved.withLock({ $0 }) { listener(.failure(error)) }
      }
    }
    task.withLock { $0 = listening }
  }

  /// Ends the listener. Calling it again has no effect.
  ///
  /// No snapshot that arrives after this has returned is passed to the listener, and a listener that calls
  /// this itself isn't called again. A call that another thread has begun, or is about to begin, at the same
  /// time isn't prevented and not waited for: that would block the calling thread for as long as the listener
  /// runs.
  public func remove() {
    isRemoved.withLock { $0 = true }
    task.withLock { $0 }?.cancel()
  }
}

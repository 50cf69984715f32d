import TenonCore

/// The registration of a snapshot listener.
public final class ListenerRegistration: Sendable {
  private let isRemoved = Lock(false)
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Starts a task that passes the snapshots of a stream to a listener, and finally the stream's error if there is one.
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

  /// Ends the listener. No call begins after this has returned. Calling it again has no effect.
  public func remove() {
    isRemoved.withLock { $0 = true }
    task.withLock { $0 }?.cancel()
  }
}

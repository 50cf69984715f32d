import TenonCore

/// A listening by callback.
public final class ListenerRegistration: Sendable {
  private let isRemoved = Lock(false)
  private let task = Lock<Task<Void, Never>?>(nil)

  init<Snapshot: Sendable>(
    _ snapshots: AsyncThrowingStream<Snapshot, any Error>,
    _ callback: @escaping @Sendable (Result<Snapshot, any Error>) -> Void
  ) {
    // The listening goes on when nobody keeps the registration, until its database is closed.
    let listening = Task {
      do {
        for try await snapshot in snapshots {
          if self.isRemoved.withLock({ $0 }) { return }
          callback(.success(snapshot))
        }
      } catch {
        if !self.isRemoved.withLock({ $0 }) { callback(.failure(error)) }
      }
    }
    task.withLock { $0 = listening }
  }

  /// Ends the listening. No call begins after this has returned. It may be called several times.
  public func remove() {
    isRemoved.withLock { $0 = true }
    task.withLock { $0 }?.cancel()
  }
}

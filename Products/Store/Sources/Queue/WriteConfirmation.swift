import TenonCore
import TenonStoreInterop

/// What becomes of a write at the remote.
///
/// The operation that returns it has made the write durable on this device. When the remote has it is a second thing, for
/// which may be waited:
///
/// ```swift
/// let write = try await note.set(["title": "Tea"])
/// try await write.confirmed()
/// ```
///
/// Without a remote, a write is confirmed at once.
public final class WriteConfirmation: Sendable {
  private struct State {
    var result: Result<RemoteCommit?, any Error>?
    var waiters: [Int: CheckedContinuation<RemoteCommit?, any Error>] = [:]
    var lastWaiter = 0
  }

  private let state = Lock(State())

  init() {}

  /// A write that nobody has to confirm.
  static var confirmed: WriteConfirmation {
    let confirmation = WriteConfirmation()
    confirmation.state.withLock { $0.result = .success(nil) }
    return confirmation
  }

  /// Whether the remote has answered, in one way or the other.
  public var isSettled: Bool { state.withLock { $0.result != nil } }

  /// Waits until the remote has applied the write. It doesn't end while the remote can't be reached; the write isn't lost
  /// if nobody waits.
  ///
  /// - Returns: the moment of the remote's commit; `nil` when there is no remote, or another process got its answer.
  /// - Throws: ``StoreError`` with the remote's reason when it refused the write, whose effect is undone then; with
  ///   ``StoreError/Code/closed`` when the database is closed meanwhile, in whose file the write goes on waiting;
  ///   `CancellationError` when the waiting task was cancelled, or the write was taken out of the queue.
  @discardableResult
  public func confirmed() async throws -> Timestamp? {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<RemoteCommit?, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.result == nil { state.waiters[id] = continuation }
          return state.result
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }?.time
  }

  func settle(_ result: Result<RemoteCommit?, any Error>) {
    let result = result.mapError(StoreError.wrapping)
    let waiters = state.withLock { state in
      state.result = result
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(with: result) }
  }
}

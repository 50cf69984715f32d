import TenonCore

/// Work that any number of callers wait for. A caller that is cancelled stops waiting; when no caller is left, the
/// work is cancelled.
final class SharedTask<Value: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var outcome: Result<Value, any Error>?
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    /// Callers that were cancelled before they waited.
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Lock(State())

  /// Whether the work has been given up, or has ended.
  var isOver: Bool { state.withLock { $0.outcome != nil } }

  /// Begins the work, which runs until it ends or nobody waits any more.
  init(_ work: @escaping @Sendable () async throws -> Value) {
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      self.finish(outcome)
    }
    state.withLock { $0.task = task }
  }

  /// The outcome of the work.
  ///
  /// - Throws: what the work throws; `CancellationError` when the calling task is cancelled.
  func value() async throws -> Value {
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait(id, $0) }
    } onCancel: {
      cancel(id)
    }
  }

  private func wait(_ id: Int, _ continuation: CheckedContinuation<Value, any Error>) {
    let outcome: Result<Value, any Error>? = state.withLock { state in
      if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
      if let outcome = state.outcome { return outcome }
      state.waiters[id] = continuation
      return nil
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  private func cancel(_ id: Int) {
    let (continuation, abandoned) = state.withLock { state in
      guard let continuation = state.waiters.removeValue(forKey: id) else {
        state.cancelled.insert(id)
        return (CheckedContinuation<Value, any Error>?.none, Task<Void, Never>?.none)
      }
      guard state.waiters.isEmpty, state.outcome == nil else { return (continuation, nil) }
      state.outcome = .failure(CancellationError())
      return (continuation, state.task)
    }
    abandoned?.cancel()
    continuation?.resume(throwing: CancellationError())
  }

  private func finish(_ outcome: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      state.outcome = state.outcome ?? outcome
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(with: outcome) }
  }
}

/// An operation that runs once and whose result any number of callers await (single flight). Thread-safe.
///
/// A caller whose task is cancelled stops waiting; the others are unaffected. When the last caller has left,
/// the operation is cancelled, unless it was started with `runsToCompletion`. A caller that comes after the
/// end receives the same outcome immediately; nothing runs again.
///
/// ```swift
/// let refresh = SharedTask { try await fetchToken() }
/// async let first = refresh.value()
/// async let second = refresh.value()   // waits for the same call of fetchToken
/// ```
package final class SharedTask<Value: Sendable>: Sendable {
  /// The operation and its callers, guarded by the lock. The outcome is set once.
  private struct State {
    /// The task that runs the operation; `nil` only during initialization.
    var task: Task<Void, Never>?
    /// What ``value()`` returns or throws; `nil` while the operation runs and hasn't been abandoned.
    var outcome: Result<Value, any Error>?
    /// The waiting callers. A caller is added before its continuation exists.
    var callers: [Int: CheckedContinuation<Value, any Error>?] = [:]
    /// The number of callers so far, from which they are numbered.
    var count = 0
  }

  private let state = Lock(State())
  /// Whether the operation continues without callers.
  private let runsToCompletion: Bool

  /// Whether the operation has ended or was cancelled. A later call of ``value()`` then returns immediately.
  package var isOver: Bool { state.withLock { $0.outcome != nil } }

  /// Starts an operation.
  ///
  /// - Parameters:
  ///   - runsToCompletion: whether the operation continues after its last caller has left; `false` by
  ///     default.
  ///   - operation: runs in a separate task, which inherits task-local values and the priority.
  package init(runsToCompletion: Bool = false, _ operation: @escaping @Sendable () async throws -> Value) {
    self.runsToCompletion = runsToCompletion
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
      self.finish(outcome)
    }
    state.withLock { $0.task = task }
  }

  /// Waits for the operation and returns its result.
  ///
  /// - Returns: the result of the operation.
  /// - Throws: what the operation throws; `CancellationError` as soon as the calling task is cancelled, even
  ///   if the operation ignores its cancellation.
  package func value() async throws -> Value {
    let id = state.withLock { state in
      state.count += 1
      state.callers[state.count] = .some(nil)
      return state.count
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait(id, $0) }
    } onCancel: {
      cancel(id)
    }
  }

  /// Stores the continuation of a caller, or resumes it immediately if the operation has ended or the caller
  /// was cancelled.
  ///
  /// - Parameters:
  ///   - id: the number of the caller.
  ///   - continuation: resumed exactly once: here, by `cancel` or by `finish`.
  private func wait(_ id: Int, _ continuation: CheckedContinuation<Value, any Error>) {
    let outcome: Result<Value, any Error>? = state.withLock { state in
      if let outcome = state.outcome { return outcome }
      guard state.callers[id] != nil else { return .failure(CancellationError()) }
      state.callers[id] = .some(continuation)
      return nil
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  /// Removes a caller, and cancels the operation if it was the last one. May be called before `wait`, which
  /// then doesn't wait.
  ///
  /// - Parameter id: the number of the caller.
  private func cancel(_ id: Int) {
    let (caller, abandoned) = state.withLock { state in
      let caller = state.callers.removeValue(forKey: id) ?? nil
      guard state.callers.isEmpty, state.outcome == nil, !runsToCompletion else {
        return (caller, Task<Void, Never>?.none)
      }
      state.outcome = .failure(CancellationError())
      return (caller, state.task)
    }
    abandoned?.cancel()
    caller?.resume(throwing: CancellationError())
  }

  /// Stores the outcome and resumes all callers, outside the lock. The outcome of an operation that was
  /// abandoned is discarded: it stays a `CancellationError`.
  ///
  /// - Parameter outcome: what the operation returned or threw.
  private func finish(_ outcome: Result<Value, any Error>) {
    let callers = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      defer { state.callers = [:] }
      return state.callers.values.compactMap(\.self)
    }
    for caller in callers { caller.resume(with: outcome) }
  }
}

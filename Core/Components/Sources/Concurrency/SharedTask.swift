/// Work that any number of callers wait for. A caller that is cancelled stops waiting; when no caller is left, the
/// work is cancelled, unless it is such as must come to its end.
package final class SharedTask<Value: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var outcome: Result<Value, any Error>?
    /// The callers that wait, from the moment when they ask; a continuation follows a little later.
    var callers: [Int: CheckedContinuation<Value, any Error>?] = [:]
    var count = 0
  }

  private let state = Lock(State())
  private let goesOnAlone: Bool

  /// Whether the work has ended, or was given up.
  package var isOver: Bool { state.withLock { $0.outcome != nil } }

  /// Begins the work.
  ///
  /// - Parameter goesOnAlone: whether it goes on when nobody waits any more.
  package init(goesOnAlone: Bool = false, _ work: @escaping @Sendable () async throws -> Value) {
    self.goesOnAlone = goesOnAlone
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

  private func wait(_ id: Int, _ continuation: CheckedContinuation<Value, any Error>) {
    let outcome: Result<Value, any Error>? = state.withLock { state in
      if let outcome = state.outcome { return outcome }
      guard state.callers[id] != nil else { return .failure(CancellationError()) }
      state.callers[id] = .some(continuation)
      return nil
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  private func cancel(_ id: Int) {
    let (caller, abandoned) = state.withLock { state in
      let caller = state.callers.removeValue(forKey: id) ?? nil
      guard state.callers.isEmpty, state.outcome == nil, !goesOnAlone else {
        return (caller, Task<Void, Never>?.none)
      }
      state.outcome = .failure(CancellationError())
      return (caller, state.task)
    }
    abandoned?.cancel()
    caller?.resume(throwing: CancellationError())
  }

  private func finish(_ outcome: Result<Value, any Error>) {
    let callers = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      defer { state.callers = [:] }
      return state.callers.values.compactMap(\.self)
    }
    for caller in callers { caller.resume(with: outcome) }
  }
}

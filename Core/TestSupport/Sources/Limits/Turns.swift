import TenonFoundation

/// Lets a limited number of operations run at a time. The others wait; the first to come is the first to run.
final class Turns: Sendable {
  /// The operations that may run and those that wait.
  private struct State {
    /// How many more operations may run.
    var free: Int
    /// The waiting operations, each resumed when it may run. Those before `first` have been resumed.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var first = 0
  }

  private let state: Lock<State>

  /// Creates turns.
  ///
  /// - Parameter count: how many operations run at a time; at least 1.
  init(count: Int) { state = Lock(State(free: max(1, count))) }

  /// The number of operations that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count - $0.first } }

  /// Runs an operation when it is its turn.
  ///
  /// Cancelling the task doesn't end the wait, because the operations before it end in a limited time, and
  /// the operation has to see its cancellation itself.
  @concurrent func run(_ operation: @concurrent @Sendable () async throws -> Void) async throws {
    await begin()
    defer { end() }
    try await operation()
  }

  private func begin() async {
    await withCheckedContinuation { continuation in
      let mayRun = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if mayRun { continuation.resume() }
    }
  }

  private func end() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.first < state.waiting.count else {
        state.free += 1
        return nil
      }
      defer { state.first += 1 }
      return state.waiting[state.first]
    }
    next?.resume()
  }
}

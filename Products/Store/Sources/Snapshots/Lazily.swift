import TenonFoundation

/// A value that is computed when it is first read, once for all copies of its container. Thread-safe.
///
/// ``QuerySnapshot`` uses it, so that a listener that reads only the number of documents doesn't pay for
/// creating them. What the computation captures is released when the value is known.
final class Lazily<Value: Sendable>: Sendable {
  /// The state, guarded by the lock. It changes once.
  private enum State {
    case unmade(@Sendable () -> Value)
    case made(Value)
  }

  private let state: Lock<State>

  /// Creates a value that `make` computes when it is first read.
  ///
  /// - Parameter make: runs in a task that reads the value, without a lock. It may run more than once if
  ///   several tasks read concurrently, so it must have no side effects.
  init(_ make: @escaping @Sendable () -> Value) { state = Lock(.unmade(make)) }

  /// Creates a value that is already computed.
  init(value: Value) { state = Lock(.made(value)) }

  /// The value. Tasks that read it concurrently for the first time may each compute it; all get the same
  /// value.
  var value: Value {
    switch state.withLock({ $0 }) {
    case .made(let value): return value
    case .unmade(let make):
      // Computed outside the lock, so that no task waits for another.
      let made = make()
      return state.withLock { state in
        if case .made(let value) = state { return value }
        state = .made(made)
        return made
      }
    }
  }
}

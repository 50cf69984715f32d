import TenonCore

/// A value that is computed when it is first read, once for all copies of its container.
final class Lazily<Value: Sendable>: Sendable {
  private enum State {
    case unmade(@Sendable () -> Value)
    case made(Value)
  }

  private let state: Lock<State>

  /// Creates a value that `make` computes when it is first read. `make` may run more than once if several tasks read
  /// concurrently.
  init(_ make: @escaping @Sendable () -> Value) { state = Lock(.unmade(make)) }

  /// Creates a value that is already computed.
  init(value: Value) { state = Lock(.made(value)) }

  /// The value. Tasks that read it concurrently for the first time may each compute it; all get the same value.
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

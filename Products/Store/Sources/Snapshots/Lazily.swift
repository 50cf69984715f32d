import TenonCore

/// A value that is made when it is first read, once for all copies of what holds it.
final class Lazily<Value: Sendable>: Sendable {
  private enum State {
    case unmade(@Sendable () -> Value)
    case made(Value)
  }

  private let state: Lock<State>

  init(_ make: @escaping @Sendable () -> Value) { state = Lock(.unmade(make)) }

  init(value: Value) { state = Lock(.made(value)) }

  /// The value. Tasks that read it for the first time at once may each make it; all get the same one.
  var value: Value {
    switch state.withLock({ $0 }) {
    case .made(let value): return value
    case .unmade(let make):
      // Not under the lock: nobody waits for another task's work.
      let made = make()
      return state.withLock { state in
        if case .made(let value) = state { return value }
        state = .made(made)
        return made
      }
    }
  }
}

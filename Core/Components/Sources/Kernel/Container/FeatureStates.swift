/// The state that features keep with a container, one object per type. Thread-safe.
final class FeatureStates: Sendable {
  private let states = Lock<[any AnyObject & Sendable]>([])

  /// Returns the state of a type, or `nil` if none has been kept.
  ///
  /// Complexity: O(*n*) in the number of features that keep a state.
  func existing<State: AnyObject & Sendable>(_ type: State.Type) -> State? {
    states.withLock { $0.lazy.compactMap { $0 as? State }.first }
  }

  /// Returns the state of a type, and stores a new one if there is none.
  ///
  /// Complexity: O(*n*) in the number of features that keep a state.
  ///
  /// - Parameter make: creates the state. Called with the lock held.
  func state<State: AnyObject & Sendable>(_ make: @autoclosure () -> State) -> State {
    states.withLock { states in
      if let state = states.lazy.compactMap({ $0 as? State }).first { return state }
      let new = make()
      states.append(new)
      return new
    }
  }
}

/// A function that creates an instance on the calling thread.
///
/// The function and its state are stored separately, because a closure that captured the state would add an
/// indirection at each level of a creation.
@usableFromInline
struct Make<Value: Sendable>: Sendable {
  @usableFromInline typealias Function = @Sendable (any AnyObject & Sendable, CurrentThread) throws -> Value

  /// The function, which receives `state`.
  @usableFromInline let state: any AnyObject & Sendable
  @usableFromInline let function: Function

  /// - Parameters:
  ///   - state: the state of the function.
  ///   - function: the function, which captures nothing and receives `state`.
  @export(implementation) init(_ state: any AnyObject & Sendable, _ function: @escaping Function) {
    self.state = state
    self.function = function
  }

  /// Creates a function from a closure, with the indirection that the other initializer avoids.
  @export(implementation) init(_ closure: @escaping @Sendable (CurrentThread) throws -> Value) {
    self.init(NoState.shared) { _, thread in try closure(thread) }
  }

  /// Creates an instance.
  ///
  /// - Parameter thread: the calling thread.
  /// - Throws: what the function throws.
  @export(implementation) @inline(__always)
  func callAsFunction(_ thread: CurrentThread) throws -> Value { try function(state, thread) }
}

/// The state of a function that needs none.
@usableFromInline
final class NoState: Sendable {
  @usableFromInline static let shared = NoState()
}

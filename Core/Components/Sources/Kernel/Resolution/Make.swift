/// Makes an instance for the calling thread.
///
/// A function and what it works on, apart: calling a closure that captured the same would take one more step, and that a
/// creation has ten levels is nothing special.
@usableFromInline
struct Make<Value: Sendable>: Sendable {
  @usableFromInline typealias Function = @Sendable (any AnyObject & Sendable, CurrentThread) throws -> Value

  @usableFromInline let state: any AnyObject & Sendable
  @usableFromInline let function: Function

  /// - Parameter function: captures nothing; it gets `state`.
  @inlinable init(_ state: any AnyObject & Sendable, _ function: @escaping Function) {
    self.state = state
    self.function = function
  }

  @inlinable init(_ closure: @escaping @Sendable (CurrentThread) throws -> Value) {
    self.init(NoState.shared) { _, thread in try closure(thread) }
  }

  @inlinable @inline(__always)
  func callAsFunction(_ thread: CurrentThread) throws -> Value { try function(state, thread) }
}

@usableFromInline
final class NoState: Sendable {
  @usableFromInline static let shared = NoState()
}

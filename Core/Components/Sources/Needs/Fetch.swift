/// Fetches what a component needs for a creation. Bound once per version of the graph, and called for each
/// creation, possibly by several threads at the same time.
@usableFromInline
enum Fetch<Value: Sendable>: Sendable {
  /// Requests the instance of a slot: a required need, by far the most common form. A separate case because
  /// it avoids a closure call.
  case slot(Slot<Value>)
  /// Calls a function.
  case made(Make<Value>)

  /// The same operation as a function, for code that treats all forms alike.
  @export(implementation) var make: Make<Value> {
    switch self {
    case .slot(let slot): Make { thread in try slot.value(thread) }
    case .made(let make): make
    }
  }

  /// Returns the value for a creation on the calling thread.
  ///
  /// - Parameter thread: the calling thread, which is creating the component that declares the need.
  /// - Throws: what the creation of the value throws.
  @export(implementation) @inline(__always)
  func callAsFunction(_ thread: CurrentThread) throws -> Value {
    switch self {
    case .slot(let slot): try slot.value(thread)
    case .made(let make): try make(thread)
    }
  }
}

/// Fetches what a component needs for a creation.
@usableFromInline
enum Fetch<Value: Sendable>: Sendable {
  /// Requests the instance of a slot: a required need, by far the most common form. A case of its own because it avoids a
  /// closure call.
  case slot(Slot<Value>)
  /// Calls a function.
  case made(Make<Value>)

  /// The same operation as a function, for code that treats all forms alike.
  @inlinable var make: Make<Value> {
    switch self {
    case .slot(let slot): Make { thread in try slot.value(thread) }
    case .made(let make): make
    }
  }

  /// Returns the value for a creation on the calling thread.
  ///
  /// - Throws: what the creation of the value throws.
  @inlinable @inline(__always)
  func callAsFunction(_ thread: CurrentThread) throws -> Value {
    switch self {
    case .slot(let slot): try slot.value(thread)
    case .made(let make): try make(thread)
    }
  }
}

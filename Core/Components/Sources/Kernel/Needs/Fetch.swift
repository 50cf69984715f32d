/// What fetches a need for a creation.
@usableFromInline
enum Fetch<Value: Sendable>: Sendable {
  /// Takes the instance of a slot: a required need, by far the most common form.
  case slot(Slot<Value>)
  /// Calls a function.
  case made(Make<Value>)

  /// The fetch as a function.
  @inlinable var make: Make<Value> {
    switch self {
    case .slot(let slot): Make { thread in try slot.value(thread) }
    case .made(let make): make
    }
  }

  @inlinable @inline(__always)
  func callAsFunction(_ thread: CurrentThread) throws -> Value {
    switch self {
    case .slot(let slot): try slot.value(thread)
    case .made(let make): try make(thread)
    }
  }
}

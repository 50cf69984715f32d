/// What fetches a need for a creation.
@usableFromInline
enum Fetch<Value: Sendable>: Sendable {
  /// The instance of a slot.
  case slot(Slot<Value>)
  /// Something else.
  case made(Make<Value>)

  /// The same as a closure.
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

/// Where the instance of one key, or of one contribution, is kept. It outlives the slots around it: an update makes new
/// slots for components that stand, and leaves them their cells.
@usableFromInline
protocol AnyCell: AnyObject, Sendable {
  /// Takes the instance out. Whoever calls this retires the result.
  func take() -> (any AnyObject & Sendable)?
}

/// The cell of a key whose type is `Value`.
@usableFromInline
final class InstanceCell<Value: Sendable>: AnyCell {
  /// The instance that everybody shares.
  @usableFromInline let box = AtomicReference<Box<Value>>()
  /// The instance of a `.weak` component while somebody else holds it.
  private let weakInstance: WeakInstance?

  init(scope: Scope) { weakInstance = scope == .weak ? WeakInstance() : nil }

  /// The published instance.
  @inlinable func load(_ thread: CurrentThread, domain: UInt) -> Value? {
    let reads = thread.enter(domain)
    defer { thread.leave(reads) }
    return box.borrow { $0.value }
  }

  /// Publishes an instance in an empty cell.
  func publish(_ instance: Box<Value>) { _ = box.exchange(instance) }

  @usableFromInline func take() -> (any AnyObject & Sendable)? {
    weakInstance?.reference.withLock { $0.object = nil }
    return box.exchange(nil)
  }

  /// The instance that somebody else still holds.
  var weakly: Value? { weakInstance?.reference.withLock { $0.object as? Value } }

  /// Remembers an object without holding it.
  func keepWeakly(_ object: Value) { weakInstance?.reference.withLock { $0.object = object as AnyObject } }

  /// Whether a value can be kept weakly.
  static func isObject(_ value: Value) -> Bool { type(of: value as Any) is AnyClass }
}

/// Holds an object without keeping it alive.
private final class WeakInstance: Sendable {
  struct Reference { weak var object: AnyObject? }
  let reference = Lock(Reference())
}

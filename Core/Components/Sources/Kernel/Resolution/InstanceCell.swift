public import Synchronization

/// Where the instance of one key, or of one contribution, is kept. It outlives the slots around it: an update makes new
/// slots for components that stand, and leaves them their cells.
@usableFromInline
final class InstanceCell: Sendable {
  /// The address of the instance that everybody shares, in a retained `Box`; 0 when there is none. What the functions of
  /// `SharedInstances.swift` do with it is theirs alone.
  @usableFromInline let address = Atomic<UInt>(0)
  /// The instance of a `.weak` component while somebody else holds it.
  private let weakInstance: WeakInstance?

  init(scope: Scope) { weakInstance = scope == .weak ? WeakInstance() : nil }

  /// The published instance.
  @inlinable func load<Value: Sendable>(_ type: Value.Type, _ thread: CurrentThread, domain: UInt) -> Value? {
    let reading = thread.enter(domain)
    if let instance = instance(of: type) { return thread.leave(reading, copying: instance) }
    thread.leave(reading)
    return nil
  }

  /// The published instance in its box.
  func box(_ thread: CurrentThread, domain: UInt) -> (any AnyObject & Sendable)? {
    let reading = thread.enter(domain)
    return thread.leave(reading, returning: anyBox)
  }

  /// Takes the instance out. Whoever calls this retires the result.
  func take() -> (any AnyObject & Sendable)? {
    weakInstance?.reference.withLock { $0.object = nil }
    return exchange(nil)
  }

  /// The object that somebody else still holds.
  var weakly: (any AnyObject & Sendable)? { weakInstance?.reference.withLock { $0.object } }

  /// Remembers an object without holding it.
  func keepWeakly(_ object: any AnyObject & Sendable) {
    weakInstance?.reference.withLock { $0.object = object }
  }

  deinit { _ = exchange(nil) }
}

/// Holds an object without keeping it alive.
private final class WeakInstance: Sendable {
  struct Reference { weak var object: (any AnyObject & Sendable)? }
  let reference = Lock(Reference())
}

public import Synchronization

/// The place of the instance of one key or contribution. It outlives the slots that refer to it: an update
/// creates new slots for the components that remain, and they keep their cells.
@usableFromInline
final class InstanceCell: Sendable {
  /// The address of the shared instance, in a retained `Box`; 0 if there is none. Only the functions in
  /// `SharedInstances.swift` use it.
  @usableFromInline let address = Atomic<UInt>(0)
  /// The instance of a `.weak` component, for as long as something else holds it.
  private let weakInstance: WeakInstance?

  init(scope: Scope) { weakInstance = scope == .weak ? WeakInstance() : nil }

  /// Returns the published instance.
  @inlinable func load<Value: Sendable>(_ type: Value.Type, _ thread: CurrentThread, domain: UInt) -> Value? {
    let reading = thread.enter(domain)
    if let instance = instance(of: type) { return thread.leave(reading, copying: instance) }
    thread.leave(reading)
    return nil
  }

  /// Returns the published instance in its box.
  func box(_ thread: CurrentThread, domain: UInt) -> (any AnyObject & Sendable)? {
    let reading = thread.enter(domain)
    return thread.leave(reading, returning: anyBox)
  }

  /// Removes the instance. The caller must retire the result.
  func take() -> (any AnyObject & Sendable)? {
    weakInstance?.reference.withLock { $0.object = nil }
    return exchange(nil)
  }

  /// The object, if something still holds it.
  var weakly: (any AnyObject & Sendable)? { weakInstance?.reference.withLock { $0.object } }

  /// Remembers an object without retaining it.
  func keepWeakly(_ object: any AnyObject & Sendable) {
    weakInstance?.reference.withLock { $0.object = object }
  }

  deinit { _ = exchange(nil) }
}

/// A weak reference that can be shared among threads.
private final class WeakInstance: Sendable {
  struct Reference { weak var object: (any AnyObject & Sendable)? }
  let reference = Lock(Reference())
}

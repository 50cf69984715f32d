public import Synchronization

/// Stores the instance of one key or contribution. A cell outlives the slots that refer to it: an update creates new slots
/// for the components that remain, and they keep their cells.
@usableFromInline
final class InstanceCell: Sendable {
  /// The address of the shared instance, in a retained `Box`; 0 if there is none. Only the functions in
  /// `SharedInstances.swift` use it.
  @usableFromInline let address = Atomic<UInt>(0)
  /// The instance of a `.weak` component, for as long as something else holds it.
  private let weakInstance: WeakInstance?

  init(scope: Scope) { weakInstance = scope == .weak ? WeakInstance() : nil }

  /// Returns the published instance, or `nil`. Takes no lock.
  ///
  /// - Parameters:
  ///   - type: the type of the cell's key.
  ///   - thread: the calling thread.
  ///   - domain: the domain of the container.
  @inlinable func load<Value: Sendable>(_ type: Value.Type, _ thread: CurrentThread, domain: UInt) -> Value? {
    let reading = thread.enter(domain)
    if let instance = instance(of: type) { return thread.leave(reading, copying: instance) }
    thread.leave(reading)
    return nil
  }

  /// Returns the published instance in its box, or `nil`. Takes no lock.
  func box(_ thread: CurrentThread, domain: UInt) -> (any AnyObject & Sendable)? {
    let reading = thread.enter(domain)
    return thread.leave(reading, returning: anyBox)
  }

  /// Removes the instance and returns its box, which the caller must pass to `Features.retire`.
  func take() -> (any AnyObject & Sendable)? {
    weakInstance?.reference.withLock { $0.object = nil }
    return exchange(nil)
  }

  /// The instance of a `.weak` component, if something else still holds it.
  var weakly: (any AnyObject & Sendable)? { weakInstance?.reference.withLock { $0.object } }

  /// Stores an object without retaining it. Does nothing for other scopes than `.weak`.
  func keepWeakly(_ object: any AnyObject & Sendable) {
    weakInstance?.reference.withLock { $0.object = object }
  }

  deinit { _ = exchange(nil) }
}

/// A weak reference that threads can share.
private final class WeakInstance: Sendable {
  struct Reference { weak var object: (any AnyObject & Sendable)? }
  let reference = Lock(Reference())
}

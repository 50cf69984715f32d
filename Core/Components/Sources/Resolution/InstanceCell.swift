public import Synchronization

/// Stores the instance of one key or contribution. A cell outlives the slots that refer to it: an update
/// creates new slots for the components that remain, and they keep their cells.
///
/// A cell belongs to an ``InstalledComponent``. It is written under the lock of the container's
/// ``ContainerLife``, and read without a lock, between `enter` and `leave`. It stays empty for the scopes
/// `.unique` and `.graph`.
@usableFromInline
final class InstanceCell: Sendable {
  /// The address of the shared instance, in a retained `Box`; 0 if there is none. Only the functions in
  /// `SharedInstances.swift` use it.
  @usableFromInline let address = Atomic<UInt>(0)
  /// The instance of a `.weak` component, for as long as something else holds it.
  @usableFromInline let weakly = AtomicReference<WeakInstance>()

  /// Creates an empty cell.
  init() {}

  /// Returns the published instance, or that of a `.weak` component if something still holds it; otherwise
  /// `nil`. Takes no lock.
  ///
  /// - Parameters:
  ///   - type: the type of the cell's key.
  ///   - thread: the calling thread.
  ///   - domain: the domain of the container.
  @export(implementation)
  func load<Value: Sendable>(_ type: Value.Type, _ thread: CurrentThread, domain: UInt) -> Value? {
    let reading = thread.enter(domain)
    if let instance = instance(of: type) { return thread.leave(reading, copying: instance) }
    return thread.leave(reading, returning: weakInstance(of: type))
  }

  /// Returns the published instance in its box, retained, or `nil`. Takes no lock.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - domain: the domain of the container.
  func box(_ thread: CurrentThread, domain: UInt) -> (any AnyObject & Sendable)? {
    let reading = thread.enter(domain)
    return thread.leave(reading, returning: anyBox)
  }

  /// Removes the instance.
  ///
  /// - Returns: the box, which the caller must pass to `Reclamation.retire`; `nil` if there is none, as for a
  ///   `.weak` component, whose instance isn't retained.
  func take() -> (any AnyObject & Sendable)? { exchange(nil) }

  deinit { _ = exchange(nil) }
}

public import Synchronization

// Unsafe code; see `SharedInstances.swift`.

/// An instance that is set at most once, and retained as long as this exists. Thread-safe.
///
/// Unlike `AtomicReference`, it needs no announcement by readers: the box is released only with this, which a
/// reader holds.
@usableFromInline
struct OnceInstance<Value: Sendable>: ~Copyable, Sendable {
  /// The address of a retained `Box`; 0 while nothing is set. It changes at most once, so the object is valid
  /// for as long as this is.
  @usableFromInline let address = Atomic<UInt>(0)

  /// Creates an instance that isn't set.
  init() {}

  /// Creates an instance that is set.
  ///
  /// - Parameter value: the instance.
  init(_ value: Value) { _ = keep(value) }

  /// The instance, retained, or `nil` if it isn't set. Takes no lock.
  @export(implementation) @inline(__always) var value: Value? {
    guard let box = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
    return BorrowedInstance<Value>(box: .fromOpaque(box)).value
  }

  /// Sets the instance, unless it is set. Of concurrent calls, one succeeds.
  ///
  /// - Parameter value: the instance to set. It is released if another one is set already.
  /// - Returns: the instance that is set.
  func keep(_ value: Value) -> Value {
    let box = Unmanaged.passRetained(Box(value))
    let (isSet, other) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: box.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isSet, let set = UnsafeRawPointer(bitPattern: other) else { return value }
    box.release()
    return BorrowedInstance<Value>(box: .fromOpaque(set)).value
  }

  deinit {
    guard let box = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<Box<Value>>.fromOpaque(box).release()
  }
}

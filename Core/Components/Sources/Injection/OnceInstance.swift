public import Synchronization

// Part of the corner with unsafe lines; see `SharedInstances.swift`.

/// An instance that is set once, and lives as long as this.
@usableFromInline
struct OnceInstance<Value: Sendable>: ~Copyable, Sendable {
  /// The address of a retained `Box`; 0 when nothing is set. It changes once, so whoever holds this may read it.
  @usableFromInline let address = Atomic<UInt>(0)

  init() {}

  init(_ value: Value) { _ = keep(value) }

  /// The instance, retained, if it is set.
  @inlinable @inline(__always) var value: Value? {
    guard let box = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
    return BorrowedInstance<Value>(box: .fromOpaque(box)).value
  }

  /// Sets the instance, unless it is set.
  ///
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

// Unsafe code; see `SharedInstances.swift`. This file copies an instance bit by bit, and uses the copy only
// while it holds the object to which the bits refer.

/// Refers to the instance of a `.weak` component without keeping it alive. Immutable, so that any thread can
/// read it: a new instance gets a new `WeakInstance`.
@usableFromInline
final class WeakInstance: Sendable {
  /// The instance as an object, for as long as something holds it.
  @usableFromInline weak let object: (any AnyObject & Sendable)?
  /// The address of a copy of the instance in its type, of which the reference isn't counted; 0 for a type
  /// whose values aren't references to the object, such as `any Error`, which refers to a box.
  @usableFromInline let copy: UInt

  /// Creates a reference to an instance.
  ///
  /// - Parameter instance: the instance, which must be an object.
  init<Value: Sendable>(_ instance: Value) {
    let object = sendableObject(instance)
    self.object = object
    let address = UInt(bitPattern: Unmanaged.passUnretained(object as AnyObject).toOpaque())
    copy = withUnsafeBytes(of: instance) { bytes in
      // A class, or an existential: its first word is the reference, the others are constants of the type.
      guard bytes.count >= MemoryLayout<UInt>.size, bytes.load(as: UInt.self) == address else { return 0 }
      let copy = UnsafeMutableRawBufferPointer.allocate(
        byteCount: bytes.count, alignment: MemoryLayout<Value>.alignment)
      copy.copyMemory(from: bytes)
      return UInt(bitPattern: copy.baseAddress)
    }
  }

  /// Returns the instance, retained; `nil` if nothing holds it any more.
  ///
  /// - Parameter type: the type with which this was created, which isn't checked.
  @export(implementation) @inline(__always) func instance<Value: Sendable>(of type: Value.Type) -> Value? {
    guard let object else { return nil }
    guard let copy = UnsafeMutablePointer<Value>(bitPattern: copy) else { return cast(object) }
    // The object exists, so the reference in the copy is valid. Reading `object` has counted one; it becomes
    // that of the result, which is taken without counting another.
    _ = Unmanaged.passRetained(object as AnyObject)
    return copy.move()
  }

  /// Returns an object in the type of the instance that it is.
  @usableFromInline func cast<Value>(_ object: any AnyObject & Sendable) -> Value? { object as? Value }

  deinit { UnsafeMutableRawPointer(bitPattern: copy)?.deallocate() }
}

extension InstanceCell {
  /// Returns the instance of a `.weak` component, retained; `nil` if nothing holds it any more, and for other
  /// scopes. Call it between `enter` and `leave`.
  ///
  /// - Parameter type: the type of the cell's key.
  @export(implementation) @inline(__always)
  func weakInstance<Value: Sendable>(of type: Value.Type) -> Value? {
    guard let weakly = weakly.unretained else { return nil }
    return weakly._withUnsafeGuaranteedRef { $0.instance(of: type) }
  }
}

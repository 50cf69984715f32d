/// A key of a container, looked up once, that lends the shared instance without counting references.
///
/// ```swift
/// let clock = container.handle((any Clock).self)
/// let now = try clock.with { $0.now }
/// ```
///
/// A handle is for places that use an instance very often or from many threads. It keeps its container alive, but not
/// the instance, and it follows updates and resets.
public final class ComponentHandle<Value: Sendable>: Sendable {
  @usableFromInline let domain: UInt
  @usableFromInline let cell = AtomicReference<InstanceCell>()
  private let container: ComponentContainer
  private let key: ComponentKey

  init(_ key: ComponentKey, in container: ComponentContainer) {
    self.key = key
    self.container = container
    domain = container.domain
  }

  /// Lends the instance, created if need be, to `body`.
  ///
  /// What is lent must not leave `body`; assign it to something outside and it is retained as usual. Deleting the
  /// container waits for `body` to return.
  ///
  /// - Throws: as ``ComponentContainer/resolve(_:named:)``, and what `body` throws.
  @inlinable @inline(__always)
  public func with<Result>(_ body: (Value) throws -> Result) throws -> Result {
    if !Overrides.areInUse {
      let thread = CurrentThread.current
      let reads = thread.enter(domain)
      defer { thread.leave(reads) }
      if let box = cell.unretained?._withUnsafeGuaranteedRef({ $0.box(of: Value.self) }) {
        return try box._withUnsafeGuaranteedRef { try body($0.value) }
      }
    }
    return try withResolved(body)
  }

  /// Lends an instance that isn't published yet, or not where this handle looked last.
  @usableFromInline func withResolved<Result>(_ body: (Value) throws -> Result) throws -> Result {
    let thread = CurrentThread.current
    guard let slot = try container.slot(key, thread)?.typed(Value.self) else {
      return try body(try container.resolve(key, as: Value.self))
    }
    let instance = try slot.request(thread)
    if !Overrides.areInUse, let old = cell.exchange(slot.cell) { Reclamation.retire([old], domain: domain) }
    return try body(instance)
  }
}

extension ComponentContainer {
  /// A handle of `type`, which looks it up when it is first used.
  ///
  /// - Parameters:
  ///   - type: what the component provides.
  ///   - name: the component's name; `nil` for the one without.
  public func handle<Value: Sendable>(
    _ type: Value.Type = Value.self, named name: String? = nil
  ) -> ComponentHandle<Value> {
    ComponentHandle(ComponentKey(type, named: name), in: self)
  }
}

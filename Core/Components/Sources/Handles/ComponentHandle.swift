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
    // What is common is here, so that it is short where it is inlined.
    if !Redirection.isInUse, let thread = CurrentThread.idle {
      let reading = thread.enterIdle(domain)
      if let instance = cell.borrow({ $0.instance(of: Value.self) }) ?? nil {
        return try thread.lend(instance, reading, to: body)
      }
      thread.leave(reading)
    }
    return try withAnywhere(body)
  }

  /// The same within a read, on a thread's first call, or where something is overridden.
  @inlinable @inline(never)
  func withAnywhere<Result>(_ body: (Value) throws -> Result) throws -> Result {
    if !Redirection.isInUse {
      let thread = CurrentThread.current
      let reading = thread.enter(domain)
      if let instance = cell.borrow({ $0.instance(of: Value.self) }) ?? nil {
        return try thread.lend(instance, reading, to: body)
      }
      thread.leave(reading)
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
    if !Redirection.isInUse {
      if let old = cell.exchange(slot.cell) { Features.retire([old], domain: domain) }
      // An update may have come between.
      follow(container.currentWiring)
    }
    // Deletion waits for who reads; it may have begun before it could know of this thread.
    let reading = thread.enter(domain)
    defer { thread.leave(reading) }
    try container.checkAlive(key)
    // Not published: a `.unique` one, one that a reset has just taken away, or one whose `onCreate` asks for it. Then
    // everything in the domain waits for `body`.
    guard let published = slot.cell.instance(of: Value.self) else { return try body(instance) }
    thread.narrow(reading, to: published)
    return try body(published.value)
  }
}

extension ComponentHandle: InstanceFollower {
  func follow(_ wiring: Wiring) {
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    let isElsewhere = cell.borrow { $0 !== wiring.slot(key)?.cell } ?? false
    thread.leave(reading)
    if isElsewhere, let old = cell.exchange(nil) { Features.retire([old], domain: domain) }
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
    let handle = ComponentHandle<Value>(ComponentKey(type, named: name), in: self)
    followers.withLock { $0.add(handle) }
    return handle
  }
}

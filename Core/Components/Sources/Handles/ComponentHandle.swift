/// A key of a container, looked up once, that lends the shared instance without reference counting.
///
/// ```swift
/// let clock = container.handle((any Clock).self)
/// let now = try clock.with { $0.now }
/// ```
///
/// Use a handle where an instance is used very often or from many threads. A handle keeps its container
/// alive, but not the instance, and it follows updates and resets.
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

  /// Lends the instance, created if necessary, to a closure.
  ///
  /// The instance should not leave the closure; a reference that is stored outside is retained as usual.
  /// Deleting the container waits for the closure to return.
  ///
  /// - Parameter body: receives the instance.
  /// - Returns: what `body` returns.
  /// - Throws: as ``ComponentContainer/resolve(_:named:)``; what `body` throws.
  @inlinable @inline(__always)
  public func with<Result>(_ body: (Value) throws -> Result) throws -> Result {
    // The common case is here, so that it is short where it is inlined.
    if !Redirection.isInUse, let thread = CurrentThread.idle {
      let reading = thread.enterIdle(domain)
      if let instance = cell.borrow({ $0.instance(of: Value.self) }) ?? nil {
        return try thread.lend(instance, reading, to: body)
      }
      thread.leave(reading)
    }
    return try withAnywhere(body)
  }

  /// The general form of `with`: within a read, on a thread's first call, or while requests are redirected.
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

  /// Lends an instance that isn't published yet, or not in the cell that this handle remembers.
  @usableFromInline func withResolved<Result>(_ body: (Value) throws -> Result) throws -> Result {
    let thread = CurrentThread.current
    guard let slot = try container.slot(key, thread)?.typed(Value.self) else {
      return try body(try container.resolve(key, as: Value.self))
    }
    let instance = try slot.request(thread)
    if !Redirection.isInUse {
      if let old = cell.exchange(slot.cell) { Features.retire([old], domain: domain) }
      // An update may have taken effect in between.
      follow(container.currentWiring)
    }
    // Deletion waits for readers; it may have begun before it could see this one.
    let reading = thread.enter(domain)
    defer { thread.leave(reading) }
    try container.checkAlive(key)
    // Not published: a `.unique` instance, one that a reset has just taken away, or one whose `onCreate`
    // action requests it. Everything in the domain then waits for `body`.
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
  /// Returns a handle of a type, which looks the instance up when it is first used.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  public func handle<Value: Sendable>(
    _ type: Value.Type = Value.self, named name: String? = nil
  ) -> ComponentHandle<Value> {
    let handle = ComponentHandle<Value>(ComponentKey(type, named: name), in: self)
    followers.withLock { $0.add(handle) }
    return handle
  }
}

import TenonBasics

/// A key of a container that is looked up once, for borrowing the shared instance without reference counting.
///
/// ```swift
/// let clock = container.handle((any Clock).self)
/// let now = try clock.with { $0.now }
/// ```
///
/// Use a handle for an instance that is used very often or from many threads. A handle keeps its container
/// alive, but not the instance, and it follows updates and resets. It may be used on any thread.
public final class ComponentHandle<Value: Sendable>: Sendable {
  /// The domain of the container; see `ThreadState.held`.
  @usableFromInline let domain: UInt
  /// The cell in which the container keeps the instance, once it is known.
  @usableFromInline let cell = AtomicReference<InstanceCell>()
  /// The container, which the handle keeps alive.
  private let container: ComponentContainer
  /// The key that is looked up.
  private let key: ComponentKey

  /// Creates a handle that has looked nothing up. The caller adds it to the container's followers.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - container: the container.
  init(_ key: ComponentKey, in container: ComponentContainer) {
    self.key = key
    self.container = container
    domain = container.domain
  }

  /// Lends the instance, created if necessary, to a closure.
  ///
  /// The instance shouldn't leave the closure; a reference that is stored outside is retained as usual. The
  /// release of the instance, and with it the deletion of the container, waits for the closure to return, so
  /// the closure should be short. Lending a published instance takes no lock.
  ///
  /// - Parameter body: receives the instance.
  /// - Returns: what `body` returns.
  /// - Throws: as ``ComponentContainer/resolve(_:named:)``; what `body` throws.
  @export(implementation) @inline(__always)
  public func with<Result>(_ body: (Value) throws -> Result) throws -> Result {
    // The common case is kept short, because it is inlined into the caller.
    if !Redirection.isInUse, let thread = CurrentThread.idle {
      let reading = thread.enterIdle(domain)
      if let instance = cell.borrow({ $0.instance(of: Value.self) }) ?? nil {
        return try thread.lend(instance, reading, to: body)
      }
      thread.leave(reading)
    }
    return try withAnywhere(body)
  }

  /// The general form of `with`: in a nested read, on a thread's first call, or while overrides are in
  /// effect.
  ///
  /// - Parameter body: receives the instance.
  /// - Returns: what `body` returns.
  /// - Throws: as `with`.
  @export(implementation) @inline(never)
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
  ///
  /// Remembers the cell in which the container keeps the instance, unless overrides are in effect.
  ///
  /// - Parameter body: receives the instance.
  /// - Returns: what `body` returns.
  /// - Throws: as `with`.
  @usableFromInline func withResolved<Result>(_ body: (Value) throws -> Result) throws -> Result {
    let thread = CurrentThread.current
    guard let slot = try container.slot(key, thread)?.typed(Value.self) else {
      return try body(try container.resolve(key, as: Value.self))
    }
    let instance = try slot.request(thread)
    if !Redirection.isInUse {
      if let old = cell.exchange(slot.cell) { Reclamation.retire([old], domain: domain) }
      // An update may have taken effect in the meantime.
      follow(container.currentWiring)
    }
    // Deletion waits for readers, but it may have begun before this read was announced.
    let reading = thread.enter(domain)
    defer { thread.leave(reading) }
    try container.checkAlive(key)
    // Not published: a `.unique` instance, one that a reset has just removed, or one whose `onCreate` action
    // requests it. Everything in the domain then waits for `body`.
    guard let published = slot.cell.instance(of: Value.self) else { return try body(instance) }
    thread.narrow(reading, to: published)
    return try body(published.value)
  }
}

extension ComponentHandle: InstanceFollower {
  /// Forgets the cell if `wiring` keeps the instance in another one. The next use looks it up again.
  ///
  /// - Parameter wiring: the graph that is in effect; an empty one after the container's deletion.
  func follow(_ wiring: Wiring) {
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    let isElsewhere = cell.borrow { $0 !== wiring.slot(key)?.cell } ?? false
    thread.leave(reading)
    if isElsewhere, let old = cell.exchange(nil) { Reclamation.retire([old], domain: domain) }
  }
}

extension ComponentContainer {
  /// Returns a handle for a type. The handle looks the instance up when it is first used, so this doesn't
  /// fail.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Returns: a new handle. Keep it: each call allocates one and adds it to the container's followers.
  public func handle<Value: Sendable>(
    _ type: Value.Type = Value.self, named name: String? = nil
  ) -> ComponentHandle<Value> {
    let handle = ComponentHandle<Value>(ComponentKey(type, named: name), in: self)
    followers.withLock { $0.add(handle) }
    return handle
  }
}

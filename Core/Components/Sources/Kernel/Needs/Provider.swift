/// Gives a component's instance when it is asked, not before; always the newest, also after an update or a reset.
public struct Provider<Value: Sendable>: Sendable {
  @usableFromInline let known: KnownCell<Value>
  // Weak, because the container holds the component that holds this provider.
  private let container: WeakContainer
  private let resolve: @Sendable (ComponentContainer) throws -> Value

  init(
    key: ComponentKey, container: WeakContainer,
    get: @escaping @Sendable (ComponentContainer) throws -> Value
  ) {
    known = KnownCell(key, domain: container.container?.domain ?? ThreadState.everything)
    self.container = container
    resolve = get
  }

  /// The instance, created if need be. An instance that exists is handed out without a lock.
  ///
  /// - Throws: ``ComponentError``: as `resolve`, and ``ComponentError/Code/containerDeleted`` when the container
  ///   is gone.
  @inlinable
  public func get() throws -> Value {
    if let instance = known.instance { return instance }
    return try getByKey()
  }

  /// Looks the instance up by its key, and remembers where it was if the container keeps it.
  @usableFromInline func getByKey() throws -> Value {
    guard let container = container.container else { throw ComponentError.containerGone(known.key) }
    let instance = try resolve(container)
    known.follow(container)
    return instance
  }
}

/// Where a container keeps the instance of a key, remembered so that it needn't be looked up.
///
/// It doesn't keep the container alive. The container lets it know when another cell serves the key, and when it ends.
@usableFromInline
final class KnownCell<Value: Sendable>: Sendable {
  let key: ComponentKey
  @usableFromInline let domain: UInt
  @usableFromInline let cell = AtomicReference<InstanceCell>()
  /// Whether the container knows of this.
  private let isFollowing = Lock(false)

  init(_ key: ComponentKey, domain: UInt) {
    self.key = key
    self.domain = domain
  }

  /// The published instance, if it is known where it is.
  @inlinable @inline(__always) var instance: Value? {
    guard !Redirection.isInUse else { return nil }
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    if let instance = cell.borrow({ $0.instance(of: Value.self) }) ?? nil {
      return thread.leave(reading, copying: instance)
    }
    thread.leave(reading)
    return nil
  }

  /// Remembers where a container keeps the instance, from now on.
  func follow(_ container: ComponentContainer) {
    guard !Redirection.isInUse else { return }
    let isNew = isFollowing.withLock { isFollowing in
      defer { isFollowing = true }
      return !isFollowing
    }
    if isNew { container.followers.withLock { $0.add(self) } }
    // Only what a container keeps is in a cell, and only in the type of the key: an optional provider has another one.
    guard let slot = container.currentWiring.slot(key) as? Slot<Value>,
      slot.component.definition.scope.isShared
    else { return }
    if let old = cell.exchange(slot.cell) { Features.retire([old], domain: domain) }
    // An update may have come between.
    follow(container.currentWiring)
  }
}

extension KnownCell: InstanceFollower {
  func follow(_ wiring: Wiring) {
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    let isElsewhere = cell.borrow { $0 !== wiring.slot(key)?.cell } ?? false
    thread.leave(reading)
    if isElsewhere, let old = cell.exchange(nil) { Features.retire([old], domain: domain) }
  }
}

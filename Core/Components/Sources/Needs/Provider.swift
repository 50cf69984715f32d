import TenonBasics

/// Returns a component's instance on request, created if necessary.
///
/// A provider always returns the current instance, also after an update or a reset. It doesn't keep its
/// container alive. It may be used on any thread.
public struct Provider<Value: Sendable>: Sendable {
  /// The cached cell of the instance, shared by the copies of this provider.
  @usableFromInline let known: KnownCell<Value>
  // Weak, because the container holds the component that holds this provider.
  private let container: WeakContainer
  /// Requests the value from the container, for the cases in which no instance is cached.
  private let resolve: @Sendable (ComponentContainer) throws -> Value

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - key: the key of the component.
  ///   - container: the container to request it from.
  ///   - get: requests the instance.
  init(
    key: ComponentKey, container: WeakContainer,
    get: @escaping @Sendable (ComponentContainer) throws -> Value
  ) {
    known = KnownCell(key, domain: container.container?.domain ?? ThreadState.everything)
    self.container = container
    resolve = get
  }

  /// Returns the instance, created if necessary.
  ///
  /// An existing shared instance is returned without taking a lock. A component shouldn't call this while it
  /// is being created, because the instance that it requests may need the component: then this throws
  /// ``ComponentError/Code/cycle``.
  ///
  /// - Throws: ``ComponentError`` as ``ComponentContainer/resolve(_:named:)``, and with the code
  ///   ``ComponentError/Code/containerDeleted`` if the container has been deallocated.
  @export(implementation)
  public func get() throws -> Value {
    if let instance = known.instance { return instance }
    return try getByKey()
  }

  /// Requests the instance by its key, and caches its cell if the container keeps the instance.
  ///
  /// - Throws: as ``get()``.
  @usableFromInline func getByKey() throws -> Value {
    guard let container = container.container else { throw ComponentError.containerGone(known.key) }
    let instance = try resolve(container)
    known.follow(container)
    return instance
  }
}

/// Caches the cell in which a container keeps the instance of a key, to skip the lookup.
///
/// It doesn't keep the container alive. The container reports when another cell serves the key, and when it
/// is deleted or deallocated.
@usableFromInline
final class KnownCell<Value: Sendable>: Sendable {
  /// The key of the instance. Its type may differ from `Value`, which is an optional or an array for some
  /// providers; these cache nothing.
  let key: ComponentKey
  /// The cached cell, retained. Empty until the first request, and again when another cell serves the key.
  @usableFromInline let domain: UInt
  @usableFromInline let cell = AtomicReference<InstanceCell>()
  /// Whether the cell has been added to the container's followers.
  private let isFollowing = Lock(false)

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - key: the key of the instance.
  ///   - domain: the domain of the container; `ThreadState.everything` if the container is gone.
  init(_ key: ComponentKey, domain: UInt) {
    self.key = key
    self.domain = domain
  }

  /// The published instance, if the cell is cached and holds one. `nil` while overrides are in effect.
  @export(implementation) @inline(__always) var instance: Value? {
    guard !Redirection.isInUse else { return nil }
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    if let instance = cell.borrow({ $0.instance(of: Value.self) }) ?? nil {
      return thread.leave(reading, copying: instance)
    }
    thread.leave(reading)
    return nil
  }

  /// Caches the cell in which a container keeps the instance. Does nothing for a scope that keeps none, and
  /// while overrides are in effect.
  ///
  /// - Parameter container: the container that has returned the instance.
  func follow(_ container: ComponentContainer) {
    guard !Redirection.isInUse else { return }
    let isNew = isFollowing.withLock { isFollowing in
      defer { isFollowing = true }
      return !isFollowing
    }
    if isNew { container.followers.withLock { $0.add(self) } }
    // Only the cells of scopes that keep instances are used, and only those in the type of the key: an
    // optional provider has another type.
    guard let slot = container.currentWiring.slot(key) as? Slot<Value>,
      slot.component.definition.scope.isShared
    else { return }
    if let old = cell.exchange(slot.cell) { Reclamation.retire([old], domain: domain) }
    // An update may have taken effect in the meantime.
    follow(container.currentWiring)
  }
}

extension KnownCell: InstanceFollower {
  func follow(_ wiring: Wiring) {
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    let isElsewhere = cell.borrow { $0 !== wiring.slot(key)?.cell } ?? false
    thread.leave(reading)
    if isElsewhere, let old = cell.exchange(nil) { Reclamation.retire([old], domain: domain) }
  }
}

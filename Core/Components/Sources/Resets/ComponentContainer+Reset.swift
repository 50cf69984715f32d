extension ComponentContainer {
  /// Releases every shared instance; the next `resolve` creates a new one. Returns when the `onDelete`
  /// actions have ended.
  ///
  /// The instances are released immediately; only the actions, which also wait until borrowed instances are
  /// returned, take time. Everything that holds an instance keeps it, and so do instances that were created
  /// with it. Instances that children create themselves stay. A `.weak` instance that something still holds
  /// is no longer found, either. An instance that another thread is creating isn't kept: the requests that
  /// were made before the reset receive it, and its `onDelete` actions run when it has been created.
  ///
  /// Cancelling the calling task has no effect on the actions. Start a task for the reset where you can't
  /// wait for them, for example within the `onDelete` action of one of the instances.
  public func reset() async {
    await retireInstances { _ in true }.value
  }

  /// Releases one shared instance, under all types under which it is served. Returns when its `onDelete`
  /// actions have ended. Of a decorated component, this is the decorator's instance and those that this
  /// container created for it to decorate.
  ///
  /// - Parameters:
  ///   - type: a type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/notProvided`` if nothing in this
  ///   container provides the type, and with ``ComponentError/Code/appDeleted`` or
  ///   ``ComponentError/Code/containerDeleted`` if the container was deleted.
  public func reset<Value: Sendable>(_ type: Value.Type, named name: String? = nil) async throws {
    await (try retireInstances(of: type, named: name)).value
  }

  /// Releases the shared instances of several types together, as ``reset(_:named:)`` does for one: their
  /// `onDelete` actions run in reverse order of creation. Returns when these have ended.
  ///
  /// - Parameters:
  ///   - first: a type that a component without a name provides.
  ///   - second: another one.
  ///   - others: any number of others.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/notProvided`` if nothing in this
  ///   container provides one of the types; as ``reset(_:named:)``. No instance is released then.
  public func reset<First: Sendable, Second: Sendable, each Other: Sendable>(
    _ first: First.Type, _ second: Second.Type, _ others: repeat (each Other).Type
  ) async throws {
    var keys = [ComponentKey(first), ComponentKey(second)]
    for type in repeat each others { keys.append(ComponentKey(type)) }
    await (try retireInstances(of: keys)).value
  }

  /// Releases every shared instance except those that are served under one of the types, under any name.
  /// Returns when the `onDelete` actions have ended.
  ///
  /// - Parameter types: the types to keep.
  public func resetAll<each Kept>(except types: repeat (each Kept).Type) async {
    var kept: Set<ObjectIdentifier> = []
    for type in repeat each types { kept.insert(ObjectIdentifier(type)) }
    await retireInstances { node in !node.servedKeys.contains { kept.contains($0.type) } }.value
  }

  /// Releases the instances of a scope, which empties a pool. Returns when the `onDelete` actions have ended.
  ///
  /// - Parameter scope: the scope, for example `.pool("session")`.
  public func reset(_ scope: Scope) async {
    await retireInstances { $0.definition.scope == scope }.value
  }

  /// Releases the instances of components with a trigger; see ``Component/reset(_:)``. Returns when the
  /// `onDelete` actions have ended.
  ///
  /// - Parameter trigger: the event that occurred.
  public func reset(_ trigger: ResetTrigger) async {
    await retireInstances { $0.definition.resetTriggers.contains(trigger) }.value
  }

  /// Releases one shared instance, as ``reset(_:named:)`` does, without waiting.
  ///
  /// - Returns: the task that runs the `onDelete` actions.
  /// - Throws: as ``reset(_:named:)``.
  func retireInstances<Value: Sendable>(
    of type: Value.Type, named name: String? = nil
  ) throws -> Task<Void, Never> {
    try retireInstances(of: [ComponentKey(type, named: name)])
  }

  /// Releases the shared instances of some keys without waiting.
  ///
  /// - Parameter keys: the keys, under which components of this container are served.
  /// - Returns: the task that runs the `onDelete` actions.
  /// - Throws: as ``reset(_:named:)``.
  private func retireInstances(of keys: [ComponentKey]) throws -> Task<Void, Never> {
    let wiring = currentWiring
    var meant: Set<ObjectIdentifier> = []
    for key in keys {
      let stack = wiring.stack(of: key)
      guard !stack.isEmpty else {
        guard life.isLive else { throw ComponentError.deleted(life.owner, "can't be reset") }
        throw ComponentError.notProvided(key, path: [], known: wiring.own.flatMap(\.servedKeys))
      }
      meant.formUnion(stack)
    }
    return retireInstances { $0.component.map { meant.contains(ObjectIdentifier($0)) } ?? false }
  }
}

extension Scope {
  /// One instance until its pool is emptied, for example when a user signs out; see
  /// ``ComponentContainer/reset(_:)-(Scope)``.
  ///
  /// - Parameter name: the pool's name. Components with equal names share a pool.
  public static func pool(_ name: String) -> Scope { sharedVariant("pool", named: name) }
}

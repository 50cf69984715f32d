extension ComponentContainer {
  /// Releases every shared instance; the next `resolve` creates a new one.
  ///
  /// Everything that holds an instance keeps it, and so do instances that were created with it. Instances that children
  /// create themselves stay. A `.weak` instance that something still holds is no longer found, either.
  ///
  /// - Returns: the task that runs the `onDelete` actions. Await it to wait for them.
  @discardableResult
  public func reset() -> Task<Void, Never> {
    retireInstances { _ in true }
  }

  /// Releases one shared instance, under all types under which it is served.
  ///
  /// - Parameters:
  ///   - type: a type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Returns: the task that runs the `onDelete` actions.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/notProvided`` if nothing in this container provides the
  ///   type.
  @discardableResult
  public func reset<Value: Sendable>(_ type: Value.Type, named name: String? = nil) throws -> Task<
    Void, Never
  > {
    let key = ComponentKey(type, named: name)
    guard currentWiring.own.contains(where: { $0.servedKeys.contains(key) }) else {
      throw ComponentError.notProvided(key, path: [], known: currentWiring.own.flatMap(\.servedKeys))
    }
    return retireInstances { $0.servedKeys.contains(key) }
  }

  /// Releases every shared instance except those that are served under one of the types, under any name.
  ///
  /// - Parameter types: the types to keep.
  /// - Returns: the task that runs the `onDelete` actions.
  @discardableResult
  public func resetAll<each Kept>(except types: repeat (each Kept).Type) -> Task<Void, Never> {
    var kept: Set<ObjectIdentifier> = []
    for type in repeat each types { kept.insert(ObjectIdentifier(type)) }
    return retireInstances { node in !node.servedKeys.contains { kept.contains($0.type) } }
  }

  /// Releases the instances of a scope, which empties a pool.
  ///
  /// - Parameter scope: the scope, for example `.pool("session")`.
  /// - Returns: the task that runs the `onDelete` actions.
  @discardableResult
  public func reset(_ scope: Scope) -> Task<Void, Never> {
    retireInstances { $0.definition.scope == scope }
  }

  /// Releases the instances of components with a trigger; see ``Component/reset(_:)``.
  ///
  /// - Parameter trigger: the event that occurred.
  /// - Returns: the task that runs the `onDelete` actions.
  @discardableResult
  public func reset(_ trigger: ResetTrigger) -> Task<Void, Never> {
    retireInstances { $0.definition.resetTriggers.contains(trigger) }
  }
}

extension Scope {
  /// One instance until its pool is emptied, for example when a user signs out; see
  /// ``ComponentContainer/reset(_:)-(Scope)``.
  ///
  /// - Parameter name: the pool's name. Components with equal names share a pool.
  public static func pool(_ name: String) -> Scope { sharedVariant("pool", named: name) }
}

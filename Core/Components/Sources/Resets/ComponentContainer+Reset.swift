extension ComponentContainer {
  /// Gives every shared instance up: the next `resolve` creates it anew. Who holds an instance keeps it, and so do the
  /// instances that were created with it.
  ///
  /// - Returns: the task that runs the `onDelete` actions. Await it to know that they are through.
  @discardableResult
  public func reset() -> Task<Void, Never> {
    giveUp { _ in true }
  }

  /// Gives one shared instance up, under all types that it is served under.
  ///
  /// - Throws: ``ComponentError`` when nothing in this container provides `type`.
  /// - Returns: as ``reset()``.
  @discardableResult
  public func reset<Value: Sendable>(_ type: Value.Type, named name: String? = nil) throws -> Task<
    Void, Never
  > {
    let key = ComponentKey(type, named: name)
    guard currentWiring.own.contains(where: { $0.servedKeys.contains(key) }) else {
      throw ComponentError.notProvided(key, path: [], known: currentWiring.own.flatMap(\.servedKeys))
    }
    return giveUp { $0.servedKeys.contains(key) }
  }

  /// Gives every shared instance up but those that are served under one of the types, under whatever name.
  ///
  /// - Returns: as ``reset()``.
  @discardableResult
  public func resetAll<each Kept>(except types: repeat (each Kept).Type) -> Task<Void, Never> {
    var kept: Set<ObjectIdentifier> = []
    for type in repeat each types { kept.insert(ObjectIdentifier(type)) }
    return giveUp { node in !node.servedKeys.contains { kept.contains($0.type) } }
  }

  /// Empties a pool: gives the instances of a scope up.
  ///
  /// - Returns: as ``reset()``.
  @discardableResult
  public func reset(_ scope: Scope) -> Task<Void, Never> {
    giveUp { $0.definition.scope == scope }
  }

  /// Gives the instances up whose components say so; see ``Component/reset(_:)``.
  ///
  /// - Returns: as ``reset()``.
  @discardableResult
  public func reset(_ trigger: ResetTrigger) -> Task<Void, Never> {
    giveUp { $0.definition.resetTriggers.contains(trigger) }
  }
}

extension Scope {
  /// One instance until its pool is emptied, for example when a user signs out; see
  /// ``ComponentContainer/reset(_:)-(Scope)``.
  ///
  /// - Parameter name: the pool's name. Components of one name are one pool.
  public static func pool(_ name: String) -> Scope { sharedVariant("pool", named: name) }
}

extension ComponentContainer {
  /// The instance of `type`, created if need be.
  ///
  /// A shared instance that exists is handed out without a lock and without allocation (R7).
  ///
  /// - Parameters:
  ///   - type: what the component provides, mostly an interface.
  ///   - name: the component's name; `nil` for the one without.
  /// - Throws: ``ComponentError`` when nothing provides `type`, its creation failed or declined, it would need
  ///   itself, it takes arguments, or the container was deleted.
  @inlinable
  public func resolve<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> Value
  {
    // What is common is here, so that it is short where it is inlined.
    if name == nil, !Redirection.isInUse, let thread = CurrentThread.idle {
      // Before the read: it may be a call, across which less has to be kept now.
      let address = UInt(bitPattern: ObjectIdentifier(type))
      let reading = thread.enterIdle(domain)
      if let place = wiring.place(of: address) {
        if let borrowed = place.instance(of: type) {
          return thread.leave(reading, copying: borrowed)
        }
        return try thread.leave(reading, returning: place.slot(of: type)).request(thread)
      }
      thread.leave(reading)
    }
    return try resolveAnywhere(type, named: name)
  }

  /// The same by name, within a read, on a thread's first call, or where something is overridden.
  @inlinable @inline(never)
  func resolveAnywhere<Value: Sendable>(_ type: Value.Type, named name: String?) throws -> Value {
    if !Redirection.isInUse {
      let thread = CurrentThread.current
      let reading = thread.enter(domain)
      if let place = wiring.place(of: type, named: name) {
        if let borrowed = place.instance(of: type) {
          return thread.leave(reading, copying: borrowed)
        }
        if name == nil {
          return try thread.leave(reading, returning: place.slot(of: type)).request(thread)
        }
      }
      thread.leave(reading)
    }
    return try resolve(ComponentKey(type, named: name), as: type)
  }

  /// The instance of `type`; `nil` when nothing provides it or its provider declines.
  ///
  /// - Throws: as ``resolve(_:named:)``, but not when nothing provides `type`.
  @inlinable
  public func resolveIfPresent<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil
  ) throws -> Value? {
    if !Redirection.isInUse {
      let thread = CurrentThread.current
      let reading = thread.enter(domain)
      if let place = wiring.place(of: type, named: name), let borrowed = place.instance(of: type) {
        return thread.leave(reading, copying: borrowed)
      }
      thread.leave(reading)
    }
    return try resolveIfPresent(ComponentKey(type, named: name), as: type)
  }

  @usableFromInline
  func resolveIfPresent<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> Value? {
    let thread = CurrentThread.current
    guard let slot = try slot(key, thread)?.typed(type) else { return nil }
    do {
      return try slot.request(thread)
    } catch let error as ComponentError where error.declines(key) {
      return nil
    }
  }

  /// Every contribution to `type`, in the order of the libraries' names; empty when there is none.
  ///
  /// - Throws: as ``resolve(_:named:)``.
  public func resolveAll<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> [Value]
  {
    let container = try overridden
    try container.checkAlive(ComponentKey(type, named: name))
    Features.adoptLoadedLibraries(into: container)
    let thread = CurrentThread.current
    let slots = container.wiring(for: thread).contributions(to: ComponentKey(type, named: name))
    return try slots.compactMap { slot in
      let slot = slot.typed(type)
      do {
        return try slot.request(thread)
      } catch let error as ComponentError where error.declines(slot.key) {
        return nil
      }
    }
  }
}

// MARK: - Slots

extension ComponentContainer {
  @usableFromInline
  func resolve<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> Value {
    let thread = CurrentThread.current
    if !Redirection.isInUse, let instance = instance(key, as: type, thread) { return instance }
    guard let slot = try slot(key, thread)?.typed(type) else { throw missing(key, thread) }
    return try slot.request(thread)
  }

  /// The published instance of a key.
  private func instance<Value: Sendable>(
    _ key: ComponentKey, as type: Value.Type, _ thread: CurrentThread
  ) -> Value? {
    let reading = thread.enter(domain)
    if let instance = wiring.borrow({ $0.slot(key)?.cell.instance(of: type) }) ?? nil {
      return thread.leave(reading, copying: instance)
    }
    thread.leave(reading)
    return nil
  }

  /// The slot of a key; `nil` when nothing provides it.
  func slot(_ key: ComponentKey, _ thread: CurrentThread) throws -> (any AnySlot)? {
    let container = try overridden
    if let slot = container.wiring(for: thread).slot(key) { return slot }
    try container.checkAlive(key)
    guard Features.adoptLoadedLibraries(into: container) else { return nil }
    return container.wiring(for: thread).slot(key)
  }

  /// The container that answers in the present task: a child of this one where a test overrides something.
  private var overridden: ComponentContainer {
    get throws { Redirection.isInUse ? try Features.container(answeringFor: self) : self }
  }

  /// The graph to look in: the one in force, or the next one while its eager components are created.
  func wiring(for thread: CurrentThread) -> Wiring {
    if let next = thread.state.pointee.resolution.preparation, next.container == ObjectIdentifier(self) {
      return next.wiring
    }
    return currentWiring
  }

  func checkAlive(_ key: ComponentKey) throws {
    // While a container is being deleted, its creations under way may still ask for what they need.
    guard life.phase != .live, !CurrentThread.current.isCreating(for: life) else { return }
    throw ComponentError.deleted(key, owner: life.owner)
  }

  func missing(_ key: ComponentKey, _ thread: CurrentThread) -> ComponentError {
    .notProvided(key, path: thread.path, known: Array(wiring(for: thread).keys))
  }
}

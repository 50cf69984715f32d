extension ComponentContainer {
  /// Returns the instance of a type, created if necessary.
  ///
  /// Returning a shared instance that exists takes no lock and allocates nothing (R7). If another thread is
  /// creating the instance, this waits for it (R5). May be called on any thread.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides, usually an interface.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Returns: the instance. The container retains it or not, depending on the component's ``Scope``.
  /// - Throws: ``ComponentError`` if nothing provides the type, its creation fails or declines, its creation
  ///   requests itself, it requires arguments, or the container was deleted.
  /// - Complexity: O(1) on average for a shared instance that exists; with a name, O(*k*) in the length of
  ///   the name. In a child, the lookup may be repeated in each of its ancestors.
  @export(implementation)
  public func resolve<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> Value
  {
    // The common case is kept short, because it is inlined into the caller.
    if name == nil, !Redirection.isInUse, let thread = CurrentThread.idle {
      // Before the read begins, because this may be a call: fewer registers need to be saved across it here.
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

  /// The general form of `resolve`: for a key with a name, in a nested read, on a thread's first call, or
  /// while overrides are in effect.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; `nil` for a key without one.
  /// - Throws: as ``resolve(_:named:)``.
  @export(implementation) @inline(never)
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

  /// Returns the instance of a type, or `nil` if nothing provides it or its provider declines (R3).
  ///
  /// - Parameters:
  ///   - type: the type that the component provides, usually an interface.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Returns: the instance, created if necessary; `nil` also if the component is there but throws
  ///   ``ComponentUnavailable``. If something that it needs declines, that is an error.
  /// - Throws: as ``resolve(_:named:)``, except that a missing provider isn't an error.
  @export(implementation)
  public func resolveIfPresent<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil
  ) throws -> Value? {
    if !Redirection.isInUse {
      let thread = CurrentThread.current
      let reading = thread.enter(domain)
      if let place = wiring.place(of: type, named: name) {
        if let borrowed = place.instance(of: type) { return thread.leave(reading, copying: borrowed) }
        if name == nil, !thread.isPreparing {
          return try thread.leave(reading, returning: place.slot(of: type)).requestUnlessDeclined(thread)
        }
      } else if name == nil, isSettled(ObjectIdentifier(type), thread),
        wiring.place(of: type, named: nil) == nil
      {
        thread.leave(reading)
        return nil
      }
      thread.leave(reading)
    }
    return try resolveIfPresent(ComponentKey(type, named: name), as: type)
  }

  /// Returns whether a type that the graph's table doesn't have is absent, if the table still doesn't have it
  /// afterwards: the container isn't deleted, has no libraries to adopt and no absence to report, and the
  /// thread isn't preparing an update of it.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - thread: the calling thread.
  @usableFromInline func isSettled(_ type: ObjectIdentifier, _ thread: CurrentThread) -> Bool {
    life.isLive && !isAdoptionDue && !thread.isPreparing
      && libraryAdoption?.isKnownAbsence(of: type) ?? true
  }

  /// Returns the instance of a key, or `nil` if nothing provides it or its provider declines. Takes no
  /// shortcut.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of the key.
  /// - Throws: as ``resolveIfPresent(_:named:)``.
  @usableFromInline
  func resolveIfPresent<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> Value? {
    let thread = CurrentThread.current
    guard let slot = try slot(key, thread) else {
      logIfDropped(key, thread)
      return nil
    }
    return try slot.typed(type).requestUnlessDeclined(thread)
  }

  /// Returns every contribution to a type.
  ///
  /// The values are ordered by the names of their libraries. Contributions that decline are left out.
  ///
  /// - Parameters:
  ///   - type: the type that is collected.
  ///   - name: the name under which it is collected; none by default.
  /// - Returns: the contributions; empty if there are none.
  /// - Throws: as ``resolve(_:named:)``, except that the absence of contributions isn't an error.
  /// - Complexity: O(*n*) in the number of contributions, in addition to their creation.
  public func resolveAll<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> [Value]
  {
    let container = try overridden
    try container.checkAlive(ComponentKey(type, named: name))
    container.adoptLoadedLibraries()
    let thread = CurrentThread.current
    let slots = container.wiring(for: thread).contributions(to: ComponentKey(type, named: name))
    return try slots.compactMap { try $0.typed(type).requestUnlessDeclined(thread) }
  }
}

// MARK: - Slots

extension ComponentContainer {
  /// Returns the instance of a key, created if necessary, from the graph's dictionary. Takes overrides into
  /// account.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of the key.
  /// - Throws: as ``resolve(_:named:)``.
  @usableFromInline
  func resolve<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> Value {
    let thread = CurrentThread.current
    if !Redirection.isInUse, let instance = instance(key, as: type, thread) { return instance }
    return try requiredSlot(key, as: type, thread).request(thread)
  }

  /// Returns the published instance of a key, or `nil` if there is none. Takes no lock.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of the key.
  ///   - thread: the calling thread.
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

  /// Returns the slot of a type and a name, for a request that requires it.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; `nil` for a key without one.
  ///   - thread: the calling thread.
  /// - Throws: as ``resolve(_:named:)``, except that nothing is created.
  @export(implementation)
  func slot<Value: Sendable>(_ type: Value.Type, named name: String?, _ thread: CurrentThread) throws
    -> Slot<Value>
  {
    if name == nil, !Redirection.isInUse, !thread.isPreparing {
      let reading = thread.enter(domain)
      if let place = wiring.place(of: UInt(bitPattern: ObjectIdentifier(type))) {
        return thread.leave(reading, returning: place.slot(of: type))
      }
      thread.leave(reading)
    }
    return try requiredSlot(ComponentKey(type, named: name), as: type, thread)
  }

  /// Returns the slot of a key, for a request that requires it. Takes overrides into account.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of the key.
  ///   - thread: the calling thread.
  /// - Throws: as ``resolve(_:named:)``, except that nothing is created.
  @usableFromInline
  func requiredSlot<Value: Sendable>(_ key: ComponentKey, as type: Value.Type, _ thread: CurrentThread) throws
    -> Slot<Value>
  {
    guard let slot = try slot(key, thread)?.typed(type) else { throw missing(key, thread) }
    return slot
  }

  /// Returns the slot of a key, or `nil` if nothing provides it. Adopts libraries that have been loaded
  /// before it returns `nil`.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - thread: the calling thread.
  /// - Throws: ``ComponentError`` if the container was deleted; what the creation of a task's overrides
  ///   throws.
  func slot(_ key: ComponentKey, _ thread: CurrentThread) throws -> (any AnySlot)? {
    let container = try overridden
    if let slot = container.wiring(for: thread).slot(key) { return slot }
    try container.checkAlive(key)
    guard container.adoptLoadedLibraries() else { return nil }
    return container.wiring(for: thread).slot(key)
  }

  /// The container that answers in the current task: a child of this one if a test overrides components,
  /// otherwise this one.
  ///
  /// - Throws: what the creation of that child throws.
  var overridden: ComponentContainer {
    get throws { Redirection.isInUse ? try Overrides.container(for: self) : self }
  }

  /// Returns the graph that a thread uses: the current one, or the next one while the thread creates its
  /// eager components for an update.
  func wiring(for thread: CurrentThread) -> Wiring {
    if let next = thread.state.pointee.resolution.preparation, next.container == ObjectIdentifier(self) {
      return next.wiring
    }
    return currentWiring
  }

  /// Throws if the container is deleted or being deleted. While it is being deleted, creations under way may
  /// still resolve what they need.
  ///
  /// - Parameter key: the key that is requested, for the error.
  func checkAlive(_ key: ComponentKey) throws {
    // While a container is being deleted, creations under way may still resolve what they need.
    guard !life.isLive, !CurrentThread.current.isCreating(for: life) else { return }
    throw ComponentError.deleted(key, owner: life.owner)
  }

  /// Returns the error for a key that nothing provides, with suggestions from the graph that the thread uses.
  ///
  /// - Parameters:
  ///   - key: the key that was requested.
  ///   - thread: the calling thread, whose creations are the error's path.
  /// - Complexity: O(*n*) in the number of keys of the graph.
  func missing(_ key: ComponentKey, _ thread: CurrentThread) -> ComponentError {
    let wiring = wiring(for: thread)
    return .notProvided(
      key, path: thread.path, known: Array(wiring.keys),
      droppedFrom: libraryAdoption?.isRestricted == false ? wiring.silentModule(of: key) : nil)
  }
}

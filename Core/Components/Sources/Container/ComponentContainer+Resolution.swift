import Dispatch

extension ComponentContainer {
  /// The instance of `type`, created if need be.
  ///
  /// A shared instance that exists is handed out without a lock and without allocation (R7).
  ///
  /// - Parameters:
  ///   - type: what the component provides, mostly an interface.
  ///   - name: the component's name; `nil` for the one without.
  /// - Throws: ``ComponentError`` when nothing provides `type`, its creation failed or declined, it would need
  ///   itself, or the container was deleted.
  public func resolve<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> Value
  {
    if name == nil, let instance = slots.instance(of: type, gate) { return instance }
    return try resolve(ComponentKey(type, named: name), as: type)
  }

  /// The instance of `type`; `nil` when nothing provides it or its provider declines.
  ///
  /// - Throws: as ``resolve(_:named:)``, but not when nothing provides `type`.
  public func resolveIfPresent<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil
  ) throws -> Value? {
    if name == nil, let instance = slots.instance(of: type, gate) { return instance }
    return try resolveIfPresent(ComponentKey(type, named: name), as: type)
  }

  /// Every contribution to `type`, in the order of the libraries' names; empty when there is none.
  ///
  /// - Throws: as ``resolve(_:named:)``.
  public func resolveAll<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> [Value]
  {
    try resolveAll(ComponentKey(type, named: name), as: type)
  }

  func resolve<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> Value {
    guard let slot = slots[key] as? Slot<Value> else { throw missing(key) }
    return try value(of: slot)
  }

  func resolveIfPresent<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> Value? {
    guard let slot = slots[key] as? Slot<Value> else {
      try checkAlive(key)
      return nil
    }
    do {
      return try value(of: slot)
    } catch let error as ComponentError where error.declines(key) {
      return nil
    }
  }

  func resolveAll<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) throws -> [Value] {
    try checkAlive(key)
    return try (contributions[key] ?? []).compactMap { slot in
      guard let slot = slot as? Slot<Value> else { return nil }
      do {
        return try value(of: slot)
      } catch let error as ComponentError where error.declines(slot) {
        return nil
      }
    }
  }

  /// The instance in a slot, created if need be.
  func value<Value: Sendable>(of slot: Slot<Value>) throws -> Value {
    if let instance = slot.cell.load(gate) { return instance }
    while true {
      switch begin(slot) {
      case .found(let instance): return instance
      case .wait(let semaphore): semaphore.wait()
      case .fail(let error): throw error
      case .create: return try create(slot)
      }
    }
  }
}

// MARK: - Creation

extension ComponentContainer {
  private enum Step<Value: Sendable>: Sendable {
    case found(Value)
    case create
    case wait(DispatchSemaphore)
    case fail(ComponentError)
  }

  /// Decides what a thread that asks for an instance has to do.
  private func begin<Value: Sendable>(_ slot: Slot<Value>) -> Step<Value> {
    let thread = ThreadID.current
    let id = ObjectIdentifier(slot)
    return state.withLock { state -> Step<Value> in
      guard state.phase == .live || state.resolutions[thread] != nil else { return .fail(deleted(slot.key)) }
      state.resolutions[thread]?.waitingFor = nil
      if let instance = existingInstance(slot, state.resolutions[thread]) { return .found(instance) }
      if let resolution = state.resolutions[thread], resolution.frames.contains(where: { $0.slot == id }) {
        return .fail(.cycle(CreationState.closed(resolution.path + [slot.key])))
      }
      if let creator = state.creators[id], creator != thread {
        if let path = state.cycle(from: thread, to: id, key: slot.key) { return .fail(.cycle(path)) }
        let semaphore = DispatchSemaphore(value: 0)
        state.waiters[id, default: []].append(semaphore)
        state.resolutions[thread]?.waitingFor = id
        return .wait(semaphore)
      }
      state.resolutions[thread, default: .init()].frames.append(.init(slot: id, key: slot.key))
      if slot.scope == .shared || slot.scope == .weak { state.creators[id] = thread }
      return .create
    }
  }

  private func existingInstance<Value: Sendable>(
    _ slot: Slot<Value>,
    _ resolution: CreationState.Resolution?
  ) -> Value? {
    switch slot.scope {
    case .weak: slot.weakInstance.withLock { $0.object as? Value }
    case .graph: resolution?.instances[ObjectIdentifier(slot)] as? Value
    default: slot.cell.load(gate)
    }
  }

  private func create<Value: Sendable>(_ slot: Slot<Value>) throws -> Value {
    let start = ContinuousClock.now
    do {
      let instance = try slot.make(self)
      if slot.scope == .weak { try keepWeakly(instance, slot) }
      end(slot, instance: instance, duration: ContinuousClock.now - start)
      return instance
    } catch {
      let path = end(slot, instance: nil, duration: .zero)
      throw ComponentError.wrapping(error, key: slot.key, path: path)
    }
  }

  private func keepWeakly<Value: Sendable>(_ instance: Value, _ slot: Slot<Value>) throws {
    guard type(of: instance as Any) is AnyClass else { throw ComponentError.weakValue(slot.key) }
    slot.weakInstance.withLock { $0.object = instance as AnyObject }
  }

  /// Ends a creation: publishes the instance, wakes who waits, and returns the path that led here.
  @discardableResult
  private func end<Value: Sendable>(_ slot: Slot<Value>, instance: Value?, duration: Duration)
    -> [ComponentKey]
  {
    let thread = ThreadID.current
    let id = ObjectIdentifier(slot)
    return state.withLock { state in
      let path = state.resolutions[thread]?.path ?? []
      if let instance {
        if slot.scope == .shared { slot.cell.publish(instance) }
        if slot.scope == .graph { state.resolutions[thread]?.instances[id] = instance }
        if slot.scope == .shared, slot.isSource {
          state.created.append(.init(component: slot.component, duration: duration))
        }
      }
      state.resolutions[thread]?.frames.removeLast()
      if state.creators[id] == thread { state.creators[id] = nil }
      for semaphore in state.waiters.removeValue(forKey: id) ?? [] { semaphore.signal() }
      if state.resolutions[thread]?.frames.isEmpty ?? false { state.resolutions[thread] = nil }
      if state.resolutions.isEmpty {
        for continuation in state.whenIdle { continuation.resume() }
        state.whenIdle = []
      }
      return path
    }
  }
}

// MARK: - Errors

extension ComponentContainer {
  private func checkAlive(_ key: ComponentKey) throws {
    let isAlive = state.withLock { $0.phase == .live || $0.resolutions[ThreadID.current] != nil }
    guard isAlive else { throw deleted(key) }
  }

  private func deleted(_ key: ComponentKey) -> ComponentError { .deleted(key, owner: owner) }

  private func missing(_ key: ComponentKey) -> ComponentError {
    let path = state.withLock { $0.resolutions[ThreadID.current]?.path ?? [] }
    do { try checkAlive(key) } catch { return deleted(key) }
    return .notProvided(key, path: path, known: definitions.flatMap { $0.definition.servedKeys })
  }
}

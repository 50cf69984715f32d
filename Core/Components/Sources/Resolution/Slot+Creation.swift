import Dispatch
import TenonBasics

/// The next step of a thread that requests an instance.
private enum CreationStep: Sendable {
  /// Return the instance, which is in a box.
  case found(any AnyObject & Sendable)
  /// Create the instance. The thread has claimed it.
  case create
  /// Wait for another thread, then try again. The semaphore is signaled once.
  case wait(DispatchSemaphore)
  /// Throw the error.
  case fail(any Error)
}

// The stack holds the functions between `createKept` and that of the next component once per component of a
// chain (see `GraphValidation.greatestDepth`). Everything off that path is therefore a separate function that
// is never inlined.
extension Slot {
  /// The scope of the component.
  private var scope: Scope { component.definition.scope }
  /// The identity of the cell, by which creations are recorded. Valid as long as the component, which the
  /// slot retains.
  private var cellID: ObjectIdentifier { ObjectIdentifier(cell) }

  /// Returns the instance of a scope that keeps instances, when it isn't published: creates it, or waits for
  /// the thread that does (R5). May block the calling thread.
  ///
  /// A thread that was woken begins again, because the creation that it waited for may have failed.
  ///
  /// - Throws: ``ComponentError`` if the creation fails, is part of a cycle, or the container was deleted.
  @usableFromInline func createKept(_ thread: CurrentThread) throws -> Value {
    while true {
      switch begin(thread) {
      case .found(let box): return Box<Value>.known(box).value
      case .wait(let semaphore): semaphore.wait()
      case .fail(let error): throw error
      case .create: return try createClaimed(thread)
      }
    }
  }

  /// Returns the instance for an optional need or for a collection, or `nil` if the component itself declines
  /// (R3). If something that it needs declines, the creation fails.
  ///
  /// - Throws: ``ComponentError`` if the creation fails otherwise.
  @usableFromInline func valueUnlessDeclined(_ thread: CurrentThread) throws -> Value? {
    do {
      return try value(thread)
    } catch {
      guard error.declines(self) else { throw error }
      return nil
    }
  }

  /// Returns the instance for a request that wasn't declared as a need, or `nil` if the component itself
  /// declines.
  ///
  /// - Throws: as ``valueUnlessDeclined(_:)``.
  @usableFromInline func requestUnlessDeclined(_ thread: CurrentThread) throws -> Value? {
    do {
      return try request(thread)
    } catch {
      guard error.declines(self) else { throw error }
      return nil
    }
  }

  /// Claims the creation of the instance, or determines what the thread must do instead.
  ///
  /// The decision is made under the lock of `CreationState`, so of several threads, one creates the instance
  /// and the others wait. A wait that would complete a cycle of threads is resolved with an unfinished
  /// instance or reported as an error.
  ///
  /// - Returns: the next step. `create` means that the thread has claimed the creation and must end it;
  ///   `fail` has the error of an earlier attempt in the same search (``CurrentThread/createNeeds(of:)``), of
  ///   a cycle, or of a deleted container.
  @inline(never) private func begin(_ thread: CurrentThread) -> CreationStep {
    if isGraph {
      do {
        return try thread.beginOwnCreation(self).map { .found($0) } ?? .create
      } catch {
        return .fail(error)
      }
    }
    // Converted to errors outside the lock.
    var cycle: CreationCycle?
    var isDeleted = false
    let step = CreationState.shared.withLock { state -> CreationStep in
      // Before the thread's state changes: other threads read it while it is listed as waiting.
      let earlier = state.waitingFor.removeValue(forKey: thread.id)
      if let error = thread.takeFailure(of: cellID) { return .fail(error) }
      if let box = state.lent.removeValue(forKey: thread.id)
        ?? thread.state.pointee.resolution.instances[cellID] ?? published(thread)
      {
        return .found(box)
      }
      if state.creators[cellID] != nil {
        if let found = state.cycle(from: thread.id, thread.slots, to: cellID) {
          switch state.openCycle(closedBy: thread.id, askingFor: cellID) {
          case .instance(let box): return .found(box)
          case .wait: break
          case .none:
            cycle = found
            return .create
          }
        }
        let resets = earlier.flatMap { $0.cell == cellID ? $0.resets : nil } ?? component.resetCount
        return .wait(state.wait(thread.id, .init(cell: cellID, resets: resets)))
      }
      guard component.life.beginCreation(isUnderWay: { thread.isCreating(for: component.life) }) else {
        isDeleted = true
        return .create
      }
      state.creators[cellID] = .init(thread: thread.id, resets: component.resetCount)
      return .create
    }
    if let cycle { return .fail(cycle.error) }
    return isDeleted ? .fail(ComponentError.deleted(key, owner: component.life.owner)) : step
  }

  /// The published instance in a box, or that of a `.weak` component if something still holds it; `nil` if
  /// there is none.
  private func published(_ thread: CurrentThread) -> (any AnyObject & Sendable)? {
    if let box = cell.box(thread, domain: domain) { return box }
    return scope == .weak ? cell.load(Value.self, thread, domain: domain).map { Box($0) } : nil
  }

  /// Creates an instance that the thread has claimed. If the slot is deep, its needs are created first.
  ///
  /// - Throws: as ``makeClaimed(_:since:)``.
  private func createClaimed(_ thread: CurrentThread) throws -> Value {
    let start = isGraph ? nil : ContinuousClock.now
    return try thread.creating(self) {
      let needs = stackUse.isDeep ? thread.createNeeds(of: self) : nil
      defer { needs?.end(thread) }
      return try makeClaimed(thread, since: start)
    }
  }

  /// Creates an instance of a deep `.unique` component that was requested by itself. Its needs are created
  /// first, as those of the other components.
  ///
  /// - Throws: as ``unique(_:)``.
  @inline(never) @usableFromInline func deepUnique(_ thread: CurrentThread) throws -> Value {
    // The arguments of the request aren't for what is created first.
    let arguments = thread.state.pointee.resolution.arguments
    let passed = thread.state.pointee.passed
    thread.state.pointee.resolution.arguments = []
    thread.state.pointee.passed = nil
    let needs = thread.creating(self) { thread.createNeeds(of: self) }
    defer { needs.end(thread) }
    thread.state.pointee.resolution.arguments = arguments
    thread.state.pointee.passed = passed
    return try unique(thread)
  }

  /// Creates the instance as the innermost creation of the thread, and ends the creation, also after a
  /// failure. The instance is published, unless it must wait for an `onCreate` action.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - start: when the creation began, including that of its needs; `nil` if this isn't recorded.
  /// - Throws: ``ComponentError``, or the creation's error with its path.
  private func makeClaimed(_ thread: CurrentThread, since start: ContinuousClock.Instant?) throws -> Value {
    do {
      let instance = try make(thread)
      try finishCreation(of: instance, thread, since: start)
      return instance
    } catch {
      throw fail(error, thread)
    }
  }

  /// Ends a failed creation and returns the error to throw.
  @inline(never)
  private func fail(_ error: any Error, _ thread: CurrentThread) -> any Error {
    if isSource { thread.state.pointee.resolution.notKept.remove(ObjectIdentifier(component)) }
    end(nil)
    return thread.wrapped(error, of: self)
  }

  /// Waits until the instance exists, or until the calling thread has claimed its creation. The thread that
  /// has claimed it must call ``createClaimed(_:since:)``.
  ///
  /// - Returns: the instance, or that the thread must create it.
  /// - Throws: ``ComponentError`` if waiting would complete a cycle, or if the container was deleted.
  @usableFromInline func claim(_ thread: CurrentThread) throws -> Claim {
    while true {
      switch begin(thread) {
      case .found(let box): return .exists(box)
      case .wait(let semaphore): semaphore.wait()
      case .fail(let error): throw error
      case .create: return .claimed
      }
    }
  }

  /// Creates a claimed instance and returns it in a box.
  @usableFromInline func createClaimed(
    _ thread: CurrentThread, since start: ContinuousClock.Instant?
  ) throws -> any AnyObject & Sendable {
    Box(try makeClaimed(thread, since: start))
  }

  /// Publishes a new instance, or defers that until its actions have run.
  ///
  /// It is deferred if the component has an `onCreate` action, or if an instance that was created before in
  /// this resolution still waits for one: that action may fail, in which case nothing of the resolution is
  /// kept (R6). Until then, only this resolution finds the instance, and threads that would otherwise
  /// deadlock.
  ///
  /// - Parameters:
  ///   - instance: the instance.
  ///   - thread: the calling thread, which has claimed the creation.
  ///   - start: when the creation began; `nil` if this isn't recorded.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/weakValue`` if the scope is `.weak` and
  ///   the instance isn't an object.
  @inline(never)
  private func finishCreation(
    of instance: Value, _ thread: CurrentThread, since start: ContinuousClock.Instant?
  ) throws {
    if scope == .weak, !(type(of: instance as Any) is AnyClass) { throw ComponentError.weakValue(key) }
    let taken = start.map { (start: $0, duration: ContinuousClock.now - $0) }
    let isKept = thread.keepsInstance(of: component)
    if isGraph || !isKept || completion != nil || thread.hasUnfinished {
      thread.state.pointee.resolution.instances.set(Box(instance), for: cellID)
    }
    if completion != nil || thread.hasUnfinished {
      if !isGraph {
        let box = Box(instance)
        CreationState.shared.withLock { $0.unfinished[cellID] = box }
      }
      let completion = completion
      thread.finishLater(self, action: { try completion?(instance) }) { isFinished in
        self.end(isFinished && isKept ? instance : nil, taken)
      }
    } else {
      end(isKept ? instance : nil, taken)
    }
  }

  /// Ends a creation: publishes the instance, if there is one, and wakes the threads that wait.
  ///
  /// Both happen under the lock of `CreationState`, so a thread either finds the instance or waits for this
  /// creation. An instance whose component an update has removed or a reset has named in the meantime isn't
  /// published, but retired: requests that were made before receive it, later ones don't.
  ///
  /// - Parameters:
  ///   - instance: the instance; `nil` after a failure, and for one that isn't kept.
  ///   - taken: when the creation began, and how long it took without `onCreate` actions; `nil` if this
  ///     isn't recorded, as for a `.graph` instance, which isn't published.
  @inline(never)
  private func end(
    _ instance: Value?, _ taken: (start: ContinuousClock.Instant, duration: Duration)? = nil
  ) {
    guard !isGraph else { return component.life.endOwnCreation() }
    var former: WeakInstance?
    let late = CreationState.shared.withLock { state in
      let resets = state.creators[cellID]?.resets
      var unpublished: (any AnyObject & Sendable)?
      let late = component.life.endCreation { created in
        guard let instance else { return nil }
        let box = Box(instance)
        let isRemoved = component.isRemoved
        let wasReset = component.resetCount != resets
        if isRemoved || wasReset {
          unpublished = box
          return isSource ? RetiredInstance(component: component, box: box) : nil
        }
        if scope == .weak {
          former = cell.weakly.exchange(WeakInstance(instance))
        } else {
          _ = cell.exchange(box)
          if isSource, let (start, duration) = taken {
            created.append(.init(component: ObjectIdentifier(component), start: start, duration: duration))
          }
        }
        return nil
      }
      state.release(cellID, lending: unpublished)
      return late
    }
    if let late { component.life.endCreation(retiring: late) }
    if let former { Reclamation.retire([former], domain: domain) }
  }

  /// Defers a new instance of a `.unique` component until its `onCreate` action has run. The container
  /// doesn't keep the instance, so there is nothing to publish.
  ///
  /// - Parameters:
  ///   - instance: the instance.
  ///   - thread: the calling thread.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/cycle`` if the component's own action
  ///   led here, which would never end.
  @usableFromInline func addCompletion(of instance: Value, _ thread: CurrentThread) throws {
    guard !thread.state.pointee.resolution.comes(from: component) else {
      let path = thread.path + [key, key]
      throw ComponentError.cycle(path, start: path.firstIndex(of: key) ?? 0)
    }
    let completion = completion
    thread.finishLater(self, action: { try completion?(instance) }, end: { _ in })
  }
}

extension CurrentThread {
  /// Begins the creation of a `.graph` instance, or returns the one that the resolution has. Each resolution
  /// creates one for itself, so this concerns no other thread.
  ///
  /// - Parameter slot: the slot of the instance.
  /// - Returns: the instance, in a box; `nil` if the caller must create it and end the creation.
  /// - Throws: the error of an earlier attempt in the same search; ``ComponentError`` if the container was
  ///   deleted.
  @usableFromInline func beginOwnCreation(_ slot: any AnySlot) throws -> (any AnyObject & Sendable)? {
    let cell = ObjectIdentifier(slot.cell)
    if let error = takeFailure(of: cell) { throw error }
    if let box = state.pointee.resolution.instances[cell] { return box }
    try beginNewCreation(slot)
    return nil
  }

  /// Begins the creation of a `.graph` instance that the resolution doesn't have.
  ///
  /// - Parameter slot: the slot of the instance.
  /// - Throws: ``ComponentError`` if the container was deleted.
  @usableFromInline func beginNewCreation(_ slot: any AnySlot) throws {
    let life = slot.component.life
    guard life.beginOwnCreation(isUnderWay: { isCreating(for: life) }) else {
      throw ComponentError.deleted(slot.key, owner: life.owner)
    }
  }

  /// Ends the creation of a `.graph` instance that the resolution doesn't keep.
  @usableFromInline func endNewCreation(_ slot: any AnySlot) { slot.component.life.endOwnCreation() }

  /// Ends the creation of a `.graph` instance without an `onCreate` action. If an instance that was created
  /// before in this resolution waits for one, the creation ends with the resolution.
  ///
  /// - Parameters:
  ///   - slot: the slot of the instance.
  ///   - box: the instance, which the resolution keeps.
  @usableFromInline func endOwnCreation(_ slot: any AnySlot, _ box: any AnyObject & Sendable) {
    let life = slot.component.life
    state.pointee.resolution.instances.set(box, for: ObjectIdentifier(slot.cell))
    if hasUnfinished {
      finishLater(slot, action: {}, end: { _ in life.endOwnCreation() })
    } else {
      life.endOwnCreation()
    }
  }

  /// Ends a failed creation of a `.graph` instance, and returns the error to throw.
  ///
  /// - Parameters:
  ///   - slot: the slot of the instance.
  ///   - error: the error that the creation threw.
  @usableFromInline func failOwnCreation(_ slot: any AnySlot, _ error: any Error) -> any Error {
    slot.component.life.endOwnCreation()
    return wrapped(error, of: slot)
  }

  /// Removes and returns the error of an earlier attempt to create an instance in the same search; see
  /// ``createNeeds(of:)``.
  ///
  /// - Parameter cell: the cell of the instance.
  fileprivate func takeFailure(of cell: ObjectIdentifier) -> (any Error)? {
    guard !state.pointee.resolution.failures.isEmpty else { return nil }
    return state.pointee.resolution.failures.removeValue(forKey: cell)
  }

  /// Whether an instance on this thread waits for an `onCreate` action.
  var hasUnfinished: Bool { !state.pointee.resolution.unfinished.isEmpty }

  /// Returns whether the instance of a component is kept beyond this resolution; see
  /// ``ComponentContext/doNotKeepInstance()``.
  func keepsInstance(of component: InstalledComponent) -> Bool {
    !state.pointee.resolution.notKept.contains(ObjectIdentifier(component))
  }

  /// Decides that the instance of a component isn't kept beyond this resolution, if it is the innermost
  /// creation of the thread, and if its scope keeps instances.
  func doNotKeepInstance(of component: InstalledComponent) {
    let scope = component.definition.scope
    guard scope != .unique, scope != .graph, state.pointee.innermost?.pointee.slot.component === component
    else { return }
    state.pointee.resolution.notKept.insert(ObjectIdentifier(component))
  }
}

extension Error {
  /// Returns whether this error reports that the component of a slot itself declined.
  @inline(never) fileprivate func declines(_ slot: any AnySlot) -> Bool {
    (self as? ComponentError)?.declines(slot) ?? false
  }
}

import Dispatch
import TenonFoundation

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
  func requestUnlessDeclined(_ thread: CurrentThread) throws -> Value? {
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
  /// instance or reported as an error. A `.graph` instance is created by each resolution for itself, so no
  /// thread waits for another.
  ///
  /// - Returns: the next step. `create` means that the thread has claimed the creation and must end it;
  ///   `fail` has the error of an earlier attempt in the same search (``CurrentThread/createNeeds(of:)``), of
  ///   a cycle, or of a deleted container.
  @inline(never) private func begin(_ thread: CurrentThread) -> CreationStep {
    let mine = thread.state.pointee.resolution.instances[cellID]
    if let error = thread.state.pointee.resolution.failures.removeValue(forKey: cellID) {
      return .fail(error)
    }
    // Converted to errors outside the lock.
    var cycle: CreationCycle?
    var isDeleted = false
    let step = CreationState.shared.withLock { state -> CreationStep in
      state.waitingFor[thread.id] = nil
      if let box = state.lent.removeValue(forKey: thread.id) ?? mine ?? weakInstance
        ?? cell.box(thread, domain: domain)
      {
        return .found(box)
      }
      if scope != .graph, state.creators[cellID] != nil {
        if let found = state.cycle(from: thread.id, thread.slots, to: cellID) {
          switch state.openCycle(closedBy: thread.id, askingFor: cellID) {
          case .instance(let box): return .found(box)
          case .wait: break
          case .none:
            cycle = found
            return .create
          }
        }
        return .wait(state.wait(thread.id, for: cellID))
      }
      guard component.life.beginCreation(isUnderWay: { thread.isCreating(for: component.life) }) else {
        isDeleted = true
        return .create
      }
      if scope != .graph { state.creators[cellID] = thread.id }
      return .create
    }
    if let cycle { return .fail(cycle.error) }
    return isDeleted ? .fail(ComponentError.deleted(key, owner: component.life.owner)) : step
  }

  /// The instance of a `.weak` component that something else holds, in a box; `nil` for other scopes, and if
  /// nothing holds it.
  private var weakInstance: (any AnyObject & Sendable)? {
    // Two steps: if `Value` is an optional, casting a missing object to it would succeed.
    guard let object = cell.weakly, let instance = object as? Value else { return nil }
    return Box(instance)
  }

  /// Creates an instance that the thread has claimed. If the slot is deep, its needs are created first.
  ///
  /// - Throws: as ``makeClaimed(_:since:)``.
  private func createClaimed(_ thread: CurrentThread) throws -> Value {
    let start = ContinuousClock.now
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
    thread.state.pointee.resolution.arguments = []
    let needs = thread.creating(self) { thread.createNeeds(of: self) }
    defer { needs.end(thread) }
    thread.state.pointee.resolution.arguments = arguments
    return try unique(thread)
  }

  /// Creates the instance as the innermost creation of the thread, and ends the creation, also after a
  /// failure. The instance is published, unless it must wait for an `onCreate` action.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - start: when the creation began, including that of its needs.
  /// - Throws: ``ComponentError``, or the creation's error with its path.
  private func makeClaimed(_ thread: CurrentThread, since start: ContinuousClock.Instant) throws -> Value {
    do {
      let instance = try make(thread)
      try finishCreation(of: instance, thread, since: start)
      return instance
    } catch {
      throw fail(error, thread, since: start)
    }
  }

  /// Ends a failed creation and returns the error to throw.
  @inline(never)
  private func fail(_ error: any Error, _ thread: CurrentThread, since start: ContinuousClock.Instant)
    -> any Error
  {
    if isSource { thread.state.pointee.resolution.notKept.remove(ObjectIdentifier(component)) }
    end(nil, since: start, took: .zero)
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
    _ thread: CurrentThread, since start: ContinuousClock.Instant
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
  ///   - start: when the creation began.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/weakValue`` if the scope is `.weak` and
  ///   the instance isn't an object.
  @inline(never)
  private func finishCreation(
    of instance: Value, _ thread: CurrentThread, since start: ContinuousClock.Instant
  ) throws {
    if scope == .weak, !(type(of: instance as Any) is AnyClass) { throw ComponentError.weakValue(key) }
    let duration = ContinuousClock.now - start
    let isKept = thread.keepsInstance(of: component)
    if scope == .graph || !isKept || completion != nil || thread.hasUnfinished {
      thread.state.pointee.resolution.instances[cellID] = Box(instance)
    }
    if completion != nil || thread.hasUnfinished {
      if scope != .graph {
        let box = Box(instance)
        CreationState.shared.withLock { $0.unfinished[cellID] = box }
      }
      let completion = completion
      thread.finishLater(self, action: { try completion?(instance) }) { isFinished in
        self.end(isFinished && isKept ? instance : nil, since: start, took: duration)
      }
    } else {
      end(isKept ? instance : nil, since: start, took: duration)
    }
  }

  /// Ends a creation: publishes the instance, if there is one, and wakes the threads that wait.
  ///
  /// Both happen under the lock of `CreationState`, so a thread either finds the instance or waits for this
  /// creation. An instance whose component an update has removed in the meantime isn't published, but
  /// retired.
  ///
  /// - Parameters:
  ///   - instance: the instance; `nil` after a failure, and for one that isn't kept.
  ///   - start: when the creation began.
  ///   - duration: how long it took, without `onCreate` actions.
  @inline(never)
  private func end(_ instance: Value?, since start: ContinuousClock.Instant, took duration: Duration) {
    CreationState.shared.withLock { state in
      component.life.endCreation { created in
        guard let instance, scope != .graph else { return nil }
        let box = Box(instance)
        if component.isRemoved {
          // An update has removed the component. Requests that were made before receive the instance; later
          // ones don't.
          return isSource ? RetiredInstance(component: component, box: box) : nil
        }
        if scope == .weak {
          cell.keepWeakly(sendableObject(instance))
        } else {
          _ = cell.exchange(box)
          if isSource {
            created.append(.init(component: ObjectIdentifier(component), start: start, duration: duration))
          }
        }
        return nil
      }
      if scope != .graph { state.release(cellID) }
    }
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

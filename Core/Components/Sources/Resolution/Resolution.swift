/// The state of one request: everything that a thread creates between an outermost `resolve` and its return.
/// Used by that thread only; it is part of the thread's ``ThreadState``.
///
/// Creation has two phases. In the first, instances are created, and those that must wait for an `onCreate`
/// action are added to `unfinished`. In the second, when the outermost request has its result, the actions
/// run in that order. Then these instances are published, or, after an error, discarded (R6).
struct Resolution {
  /// An instance whose `onCreate` action, or that of an instance created before it, hasn't run yet.
  struct Unfinished {
    /// The index in `unfinished` of the instance whose action led here; `nil` for the resolution itself.
    let origin: Int?
    let component: InstalledComponent
    let key: ComponentKey
    /// The `onCreate` action, bound to the instance.
    let action: @Sendable () throws -> Void
    /// Publishes the instance, or lets other threads try to create it.
    let end: @Sendable (_ isFinished: Bool) -> Void
  }

  /// The instances that only this resolution sees, in boxes, by cell: those of `.graph` components, and
  /// unfinished shared ones.
  var instances = ResolutionInstances()
  /// The instances whose actions haven't ended, in order of creation.
  var unfinished: [Unfinished] = []
  /// Whether the actions are running.
  var isFinishing = false
  /// The index in `unfinished` of the instance whose action is running.
  var origin: Int?
  /// Errors of instances that were to be created in advance, by cell. Each is thrown at the next request for
  /// the instance.
  var failures: [ObjectIdentifier: any Error] = [:]
  /// The arguments of the current request, until the creation reads them.
  var arguments: [any Sendable] = []
  /// The components that have decided not to keep the instance that this resolution has created. It is among
  /// `instances`.
  var notKept: Set<ObjectIdentifier> = []
  /// A graph that isn't in effect yet, while its eager components are created.
  var preparation: (container: ObjectIdentifier, wiring: Wiring)?

  /// Whether there is nothing to do at the end of the resolution.
  var isClean: Bool { unfinished.isEmpty && instances.isEmpty && failures.isEmpty && notKept.isEmpty }

  /// Resets everything that belongs to one resolution.
  ///
  /// - Returns: the instances whose actions hadn't ended.
  mutating func reset() -> [Unfinished] {
    let ended = unfinished
    if !ended.isEmpty { unfinished = [] }
    instances.removeAll()
    if !failures.isEmpty { failures = [:] }
    if !notKept.isEmpty { notKept = [] }
    isFinishing = false
    origin = nil
    return ended
  }

  /// Returns whether an instance of a component led to the action that is running, directly or indirectly.
  /// Without this check, an action that creates another instance of its own `.unique` component would never
  /// end.
  ///
  /// - Complexity: O(*n*) in the number of nested actions.
  func comes(from component: InstalledComponent) -> Bool {
    var place = origin
    while let current = place {
      if unfinished[current].component === component { return true }
      place = unfinished[current].origin
    }
    return false
  }
}

/// The instances of a resolution, by cell. The first is stored in place: most resolutions have no other, and
/// a dictionary would take longer than the rest of its creation.
struct ResolutionInstances {
  private var first: (cell: ObjectIdentifier, box: any AnyObject & Sendable)?
  private var others: [ObjectIdentifier: any AnyObject & Sendable] = [:]

  /// Whether there are none.
  var isEmpty: Bool { first == nil }

  /// The instance of a cell, in a box; `nil` if there is none.
  subscript(cell: ObjectIdentifier) -> (any AnyObject & Sendable)? {
    guard let first else { return nil }
    return first.cell == cell ? first.box : others.isEmpty ? nil : others[cell]
  }

  /// Removes all.
  mutating func removeAll() {
    first = nil
    if !others.isEmpty { others = [:] }
  }

  /// Adds the instance of a cell, or replaces it.
  ///
  /// - Parameters:
  ///   - box: the instance, in a box.
  ///   - cell: the cell.
  mutating func set(_ box: any AnyObject & Sendable, for cell: ObjectIdentifier) {
    if first.map({ $0.cell == cell }) ?? true { first = (cell, box) } else { others[cell] = box }
  }
}

extension CurrentThread {
  /// The keys from the first request to the innermost creation. Instances of `.unique` components that were
  /// requested by a declared need are omitted; `inserting` adds them when an error passes through them.
  @usableFromInline var path: [ComponentKey] { slots.map(\.key) }

  /// Whether the thread creates the eager components of a graph that isn't in effect yet.
  @usableFromInline var isPreparing: Bool { state.pointee.resolution.preparation != nil }

  /// Whether the thread is running `onCreate` actions.
  var isFinishing: Bool { state.pointee.resolution.isFinishing }

  /// Returns whether the thread has a creation under way, or an instance waiting for its action, for which
  /// the deletion of a container waits. Deletion doesn't wait for instances of `.unique` components: what
  /// they need may have been released already, and isn't created again for them.
  ///
  /// - Parameter life: the state of the container's instances.
  /// - Complexity: O(*n*) in the depth of the creations and the number of unfinished instances.
  func isCreating(for life: ContainerLife) -> Bool {
    isCreating { $0.component.life === life && !$0.isUnique }
      || state.pointee.resolution.unfinished.contains { $0.component.life === life }
  }

  /// The components whose instances the thread creates, or which wait for its `onCreate` actions.
  var componentsInCreation: [ObjectIdentifier] {
    slots.map { ObjectIdentifier($0.component) }
      + state.pointee.resolution.unfinished.map { ObjectIdentifier($0.component) }
  }

  /// Returns the error to throw for a failure of the innermost creation: a ``ComponentError`` with its path.
  ///
  /// - Parameters:
  ///   - error: the error that the creation threw.
  ///   - slot: the slot of the creation.
  @inline(never) @usableFromInline func wrapped(_ error: any Error, of slot: any AnySlot) -> any Error {
    ComponentError.wrapping(error, key: slot.key, path: path, of: slot.component)
  }

  /// Returns the error to throw for a failure of a creation that has no frame on the thread: a
  /// ``ComponentError`` whose path includes `slot`.
  ///
  /// - Parameters:
  ///   - error: the error that the creation threw. If its path is known, the key is inserted where the
  ///     creation would have been.
  ///   - slot: the slot of the creation.
  @inline(never) @usableFromInline func inserting(_ slot: any AnySlot, into error: any Error) -> any Error {
    guard let known = error as? ComponentError else {
      return ComponentError.wrapping(error, key: slot.key, path: path + [slot.key], of: slot.component)
    }
    return known.path.isEmpty
      ? known.found(on: path + [slot.key]) : known.inserting(slot.key, at: depth)
  }

  /// Runs a request that wasn't declared as a need. The outermost one ends the resolution.
  ///
  /// - Parameters:
  ///   - slot: the slot of the request.
  ///   - body: returns the instance, created if necessary.
  /// - Throws: what `body` throws; ``ComponentError`` with the code ``ComponentError/Code/cycle`` if the
  ///   request leads back to a creation under way; what an `onCreate` action throws, wrapped.
  @export(implementation)
  func resolving<Value>(_ slot: any AnySlot, _ body: () throws -> Value) throws -> Value {
    if isCreating {
      try checkCycle(slot)
      return try body()
    }
    let value: Value
    do { value = try body() } catch {
      abandon()
      throw error
    }
    if state.pointee.mustFinish { try finish() }
    return value
  }

  /// Throws if a request that wasn't declared as a need leads back to a creation under way. Shared and weak
  /// instances are checked where they are claimed, and a declared need can't lead back.
  ///
  /// - Parameter slot: the slot of the request.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/cycle``.
  /// - Complexity: O(*n*) in the depth of the creations for `.unique` and `.graph` components, otherwise
  ///   O(1).
  @usableFromInline func checkCycle(_ slot: any AnySlot) throws {
    guard slot.component.definition.scope == .unique || slot.component.definition.scope == .graph else {
      return
    }
    let cell = ObjectIdentifier(slot.cell)
    guard isCreating(where: { ObjectIdentifier($0.cell) == cell }) else { return }
    guard state.pointee.resolution.instances[cell] == nil else { return }
    throw CreationCycle(slots, then: [], backTo: cell).error
  }

  // MARK: - The end of a resolution

  /// Runs the `onCreate` actions of everything that was created, and publishes it. Actions may create more,
  /// whose actions run after them. Does nothing if the actions are already running, that is, if an action
  /// made the request.
  ///
  /// - Throws: what an action throws, as a ``ComponentError``. Nothing of the resolution is published then
  ///   (R6).
  @usableFromInline func finish() throws {
    guard !state.pointee.resolution.isFinishing else { return }
    state.pointee.resolution.isFinishing = true
    var index = 0
    while index < state.pointee.resolution.unfinished.count {
      let next = state.pointee.resolution.unfinished[index]
      state.pointee.resolution.origin = index
      do {
        try next.action()
      } catch {
        end(isFinished: false)
        throw ComponentError.wrapping(error, key: next.key, path: [next.key], of: next.component)
      }
      index += 1
    }
    end(isFinished: true)
  }

  /// Completes an object that the container didn't create, in a resolution: as part of the one under way, or
  /// in a new one.
  ///
  /// - Parameters:
  ///   - slot: the slot of the component that describes the object.
  ///   - action: completes the object.
  /// - Throws: what the action throws, as a ``ComponentError``.
  func completing(_ slot: any AnySlot, _ action: @escaping @Sendable () throws -> Void) throws {
    let path = path + [slot.key]
    let wrapped: @Sendable () throws -> Void = {
      do { try action() } catch {
        throw ComponentError.wrapping(error, key: slot.key, path: path, verb: "injected", of: slot.component)
      }
    }
    if isCreating || isFinishing { return try wrapped() }
    finishLater(slot, action: wrapped, end: { _ in })
    try finish()
  }

  /// Discards everything that isn't finished (R6), unless the request was made by an action.
  @usableFromInline func abandon() {
    if !state.pointee.resolution.isFinishing { end(isFinished: false) }
  }

  /// Resets the state and ends the creations of the unfinished instances.
  ///
  /// - Parameter isFinished: whether all actions have succeeded.
  private func end(isFinished: Bool) {
    for instance in state.pointee.resolution.reset() { instance.end(isFinished) }
  }

  /// Defers the publication of an instance until its action has run. Exactly one call of `end` follows, on
  /// this thread.
  ///
  /// - Parameters:
  ///   - slot: the slot of the instance.
  ///   - action: the `onCreate` action, bound to the instance.
  ///   - end: publishes the instance if its argument is `true`, discards it otherwise.
  func finishLater(
    _ slot: any AnySlot, action: @escaping @Sendable () throws -> Void,
    end: @escaping @Sendable (Bool) -> Void
  ) {
    state.pointee.resolution.unfinished.append(
      .init(
        origin: state.pointee.resolution.origin, component: slot.component, key: slot.key, action: action,
        end: end))
  }
}

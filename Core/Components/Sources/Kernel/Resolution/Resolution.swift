/// The state of one thread while it answers one request, including everything that it creates for it.
struct Resolution {
  /// An instance that waits for its `onCreate` action, or for the action of one that was created before it.
  struct Unfinished {
    /// The index in `unfinished` of the instance whose action led here; `nil` for the resolution itself.
    let origin: Int?
    let component: InstalledComponent
    let key: ComponentKey
    let action: @Sendable () throws -> Void
    /// Publishes the instance, or lets other threads try again.
    let end: @Sendable (_ isFinished: Bool) -> Void
  }

  /// The instances that only this resolution sees, in boxes, by cell: those of `.graph` components, and
  /// unfinished shared ones.
  var instances: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  var unfinished: [Unfinished] = []
  /// Whether the actions are running.
  var isFinishing = false
  /// The index in `unfinished` of the instance whose action is running.
  var origin: Int?
  /// Errors of instances that were to be created in advance, by cell. Each is thrown at the next request for
  /// the instance.
  var failures: [ObjectIdentifier: any Error] = [:]
  /// The arguments of the current request, until the creation takes them.
  var arguments: [any Sendable] = []
  /// A graph that is not in effect yet, while its eager components are created.
  var preparation: (container: ObjectIdentifier, wiring: Wiring)?

  /// Whether there is nothing to do at the end of the resolution.
  var isClean: Bool { unfinished.isEmpty && instances.isEmpty && failures.isEmpty }

  /// Returns whether an instance of a component led to the action that is running, directly or indirectly.
  func comes(from component: InstalledComponent) -> Bool {
    var place = origin
    while let current = place {
      if unfinished[current].component === component { return true }
      place = unfinished[current].origin
    }
    return false
  }
}

extension CurrentThread {
  /// The keys from the first request to the innermost creation. Instances of `.unique` components that were
  /// requested by a declared need are omitted; `inserting` adds them when an error passes through them.
  @usableFromInline var path: [ComponentKey] { slots.map(\.key) }

  /// Whether the thread is running `onCreate` actions.
  var isFinishing: Bool { state.pointee.resolution.isFinishing }

  /// Returns whether a creation is under way, or waits for its action, for which the deletion of a container
  /// waits. Deletion does not wait for instances of `.unique` components: what they need may have been given
  /// up already, and is not created again for them.
  func isCreating(for life: ContainerLife) -> Bool {
    isCreating { $0.component.life === life && !$0.isUnique }
      || state.pointee.resolution.unfinished.contains { $0.component.life === life }
  }

  /// Converts an error of the innermost creation to the error that the user receives.
  @inline(never) @usableFromInline func wrapped(_ error: any Error, of slot: any AnySlot) -> any Error {
    ComponentError.wrapping(error, key: slot.key, path: path)
  }

  /// Converts an error of a creation that isn't on the path to the error that the user receives.
  @inline(never) @usableFromInline func inserting(_ slot: any AnySlot, into error: any Error) -> any Error {
    guard let known = error as? ComponentError else {
      return ComponentError.wrapping(error, key: slot.key, path: path + [slot.key])
    }
    return known.path.isEmpty
      ? known.found(on: path + [slot.key]) : known.inserting(slot.key, at: depth)
  }

  /// Runs a request that was not declared as a need. The outermost request ends the resolution.
  @inlinable func resolving<Value>(_ slot: any AnySlot, _ body: () throws -> Value) throws -> Value {
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

  /// Throws if a request that was not declared as a need leads back to a creation under way.
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
  /// whose actions run after them.
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
        throw ComponentError.wrapping(error, key: next.key, path: [next.key])
      }
      index += 1
    }
    end(isFinished: true)
  }

  /// Discards everything that isn't finished (R6), unless an action made this request.
  @usableFromInline func abandon() {
    if !state.pointee.resolution.isFinishing { end(isFinished: false) }
  }

  private func end(isFinished: Bool) {
    let unfinished = state.pointee.resolution.unfinished
    state.pointee.resolution.unfinished = []
    state.pointee.resolution.instances = [:]
    state.pointee.resolution.failures = [:]
    state.pointee.resolution.isFinishing = false
    state.pointee.resolution.origin = nil
    for instance in unfinished { instance.end(isFinished) }
  }

  /// Defers an instance until its action has run.
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

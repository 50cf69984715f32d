/// What one thread keeps while it answers one request, with everything that it creates on the way.
struct Resolution {
  /// An instance that waits for its `onCreate` action, or for that of one that was created before it.
  struct Unfinished {
    /// The place in `unfinished` of the instance whose action led here; `nil` for the resolution itself.
    let origin: Int?
    let component: InstalledComponent
    let key: ComponentKey
    let action: @Sendable () throws -> Void
    /// Publishes the instance, or lets others try again.
    let end: @Sendable (_ isFinished: Bool) -> Void
  }

  /// The instances that only this resolution sees, in boxes, by cell: those of `.graph` components, and shared ones
  /// that aren't finished.
  var instances: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  var unfinished: [Unfinished] = []
  /// Set while the actions run.
  var isFinishing = false
  /// The place in `unfinished` of the instance whose action runs.
  var origin: Int?
  /// Why instances can't be created that were to be there before what needs them, by cell. Each is thrown where the
  /// instance is asked for next.
  var failures: [ObjectIdentifier: any Error] = [:]
  /// The arguments of the present request, until the creation takes them.
  var arguments: [any Sendable] = []
  /// A graph that isn't published yet, while its eager components are created.
  var preparation: (container: ObjectIdentifier, wiring: Wiring)?

  /// Whether anything must be done at the end.
  var isClean: Bool { unfinished.isEmpty && instances.isEmpty && failures.isEmpty }

  /// Whether an instance of a component led to what its action runs now, directly or by others.
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
  /// From the first request to what is being created now. Left out are instances of `.unique` components that were asked
  /// for by a declared need; `inserting` puts them in when an error passes them.
  @usableFromInline var path: [ComponentKey] { slots.map(\.key) }

  /// Whether the thread runs `onCreate` actions.
  var isFinishing: Bool { state.pointee.resolution.isFinishing }

  /// Whether a creation for which the deletion of a container waits is under way, or waits for its action. The deletion
  /// doesn't wait for instances of `.unique` components: what they need may have been given up already, and isn't created
  /// again for them.
  func isCreating(for life: ContainerLife) -> Bool {
    isCreating { $0.component.life === life && !$0.isUnique }
      || state.pointee.resolution.unfinished.contains { $0.component.life === life }
  }

  /// An error of the innermost creation, as the user gets it.
  @inline(never) @usableFromInline func wrapped(_ error: any Error, of slot: any AnySlot) -> any Error {
    ComponentError.wrapping(error, key: slot.key, path: path)
  }

  /// An error of a creation that isn't on the path, as the user gets it.
  @inline(never) @usableFromInline func inserting(_ slot: any AnySlot, into error: any Error) -> any Error {
    guard let known = error as? ComponentError else {
      return ComponentError.wrapping(error, key: slot.key, path: path + [slot.key])
    }
    return known.path.isEmpty
      ? known.found(on: path + [slot.key]) : known.inserting(slot.key, at: depth)
  }

  /// Runs a request that nobody declared. The outermost one ends the resolution.
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

  /// Finds out whether a request that nobody declared leads back to a creation under way.
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

  /// Runs the actions of what was created, and publishes it. Actions may create more, whose actions run after them.
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

  /// Keeps nothing of what isn't finished (R6), unless this is a request by one of the actions.
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

  /// Puts an instance in line for its action.
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

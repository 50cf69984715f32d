/// What one thread keeps while it answers one request, with everything that it creates on the way.
struct Resolution {
  /// An instance that waits for its `onCreate` action, or for that of one that was created before it.
  struct Unfinished {
    /// Which components led here by their actions, to notice a circle.
    let origin: [ObjectIdentifier]
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
  var origin: [ObjectIdentifier] = []
  /// The arguments of the present request, until the creation takes them.
  var arguments: [any Sendable] = []
  /// A graph that isn't published yet, while its eager components are created.
  var preparation: (container: ObjectIdentifier, wiring: Wiring)?

  /// Whether anything must be done at the end.
  var isClean: Bool { unfinished.isEmpty && instances.isEmpty }
}

extension CurrentThread {
  /// Whether the thread is creating something.
  @inlinable var isCreating: Bool { !state.pointee.frames.isEmpty }

  /// Whether the thread runs `onCreate` actions.
  var isFinishing: Bool { state.pointee.resolution.isFinishing }

  /// From the first request to what is being created now.
  @usableFromInline var path: [ComponentKey] { state.pointee.frames.map(\.slot.key) }

  @inlinable func push(_ slot: any AnySlot) { state.pointee.frames.append(CreationFrame(slot)) }

  /// Ends the innermost creation, and the resolution with the outermost.
  @inlinable func pop() throws {
    state.pointee.frames.removeLast()
    if !isCreating { try finish() }
  }

  /// Ends the innermost creation, which failed; gives the error as the user gets it.
  @usableFromInline func popFailed(_ slot: any AnySlot, _ error: any Error) -> any Error {
    let error = ComponentError.wrapping(error, key: slot.key, path: path)
    state.pointee.frames.removeLast()
    if !isCreating, !state.pointee.resolution.isFinishing { abandon() }
    return error
  }

  /// Finds out whether a request that nobody declared leads back to a creation under way.
  @usableFromInline func checkCycle(_ slot: any AnySlot) throws {
    guard slot.component.definition.scope == .unique || slot.component.definition.scope == .graph else {
      return
    }
    let cell = ObjectIdentifier(slot.anyCell)
    guard state.pointee.frames.contains(where: { ObjectIdentifier($0.slot.anyCell) == cell }) else { return }
    guard state.pointee.resolution.instances[cell] == nil else { return }
    throw ComponentError.cycle(CreationState.closed(path + [slot.key]))
  }

  func takeArguments() -> [any Sendable] {
    let arguments = state.pointee.resolution.arguments
    state.pointee.resolution.arguments = []
    return arguments
  }

  // MARK: - The end of a resolution

  /// Runs the actions of what was created, and publishes it. Actions may create more, whose actions run after them.
  @usableFromInline func finish() throws {
    guard !state.pointee.resolution.isClean, !state.pointee.resolution.isFinishing else { return }
    state.pointee.resolution.isFinishing = true
    var index = 0
    while index < state.pointee.resolution.unfinished.count {
      let next = state.pointee.resolution.unfinished[index]
      state.pointee.resolution.origin = next.origin + [ObjectIdentifier(next.component)]
      do {
        try next.action()
      } catch {
        abandon()
        throw ComponentError.wrapping(error, key: next.key, path: [next.key])
      }
      index += 1
    }
    end(isFinished: true)
  }

  /// Keeps nothing of what isn't finished (R6).
  private func abandon() { end(isFinished: false) }

  private func end(isFinished: Bool) {
    let unfinished = state.pointee.resolution.unfinished
    state.pointee.resolution.unfinished = []
    state.pointee.resolution.instances = [:]
    state.pointee.resolution.isFinishing = false
    state.pointee.resolution.origin = []
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

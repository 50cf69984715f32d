// The needs of a component are created inside its own creation, so a chain of components uses stack space for each of them.
// Beyond a certain depth, the needs of a creation are therefore created beforehand, by a depth-first search with an explicit
// stack. The order of creation, the errors and their paths are the same: a failure is stored, and thrown where the instance
// is requested.

extension CurrentThread {
  /// The number of nested creations beyond which the search is used. Real graphs are rarely as deep, so they don't pay
  /// for the search.
  private static var recursionLimit: Int { 16 }

  /// Whether the creations under way on the thread are nested so deeply that the search is used.
  var isDeep: Bool { depth > Self.recursionLimit }

  /// Creates everything that a slot needs, directly or indirectly, and stores failures for later. The slot's creation
  /// must be the innermost of the thread.
  ///
  /// The stack of the search is an array of pending creations. Each has a frame on the thread while its needs are
  /// created, so cycles are detected and paths computed as in the recursion. An instance is created after its needs;
  /// its creation then finds them, or throws their errors.
  ///
  /// - Parameter slot: the slot.
  /// - Returns: the pending creation of the slot, to end after the slot's own creation.
  /// - Complexity: O(*n*) in the number of needs that are created, with constant stack space apart from `.unique`
  ///   components, which are created inside the creations that need them.
  @inline(never) func createNeeds(of slot: any AnySlot) -> PendingCreation {
    var pending = [PendingCreation(slot, isOptional: false, self)]
    while true {
      let last = pending.count - 1
      if let need = pending[last].nextNeed(self) {
        do {
          switch try need.slot.claim(self) {
          case .exists(let box): pending[last].keep(box, need.slot)
          case .claimed:
            pushCreation(need.slot)
            pending.append(PendingCreation(need.slot, isOptional: need.isOptional, self))
          }
        } catch {
          pending[last].fail(need.slot, isOptional: need.isOptional, error, self)
        }
        continue
      }
      let creation = pending.removeLast()
      // The caller creates the slot itself.
      guard last > 0 else { return creation }
      let result = Result { try creation.slot.createClaimed(self, since: creation.start) }
      popCreation()
      creation.end(self)
      switch result {
      case .success(let box): pending[last - 1].keep(box, creation.slot)
      case .failure(let error):
        pending[last - 1].fail(creation.slot, isOptional: creation.isOptional, error, self)
      }
    }
  }
}

/// A slot whose instance a creation requests.
struct NeededSlot {
  let slot: any AnySlot
  /// Whether the creation continues if the instance declines.
  let isOptional: Bool
}

/// A creation whose needs are being created. Used on one thread, for the duration of a search.
struct PendingCreation {
  let slot: any AnySlot
  let isOptional: Bool
  /// When the creation began.
  let start = ContinuousClock.now
  /// The remaining needs, the next one last.
  private var needs: [NeededSlot]
  /// The `.unique` slots whose needs have been added: their own instances can't be created in advance.
  private var unique: Set<ObjectIdentifier> = []
  /// Instances of `.weak` components that only this holds until the creation has them.
  private var kept: [any AnyObject & Sendable] = []
  /// The cells whose errors are stored for this creation in `Resolution.failures`.
  private var failed: [ObjectIdentifier] = []

  /// Begins with the needs of a slot.
  ///
  /// - Parameters:
  ///   - slot: the slot to create.
  ///   - isOptional: whether the creation that needs it continues if it declines.
  ///   - thread: the calling thread.
  init(_ slot: any AnySlot, isOptional: Bool, _ thread: CurrentThread) {
    self.slot = slot
    self.isOptional = isOptional
    needs = slot.needs(thread).reversed()
  }

  /// Removes and returns the next need to create. The needs of a `.unique` component take its place, because each
  /// request creates a new instance of it; they are added once, however often the component is needed.
  ///
  /// - Parameter thread: the calling thread, whose graph is used.
  /// - Returns: the need; `nil` if there are no more.
  mutating func nextNeed(_ thread: CurrentThread) -> NeededSlot? {
    while let next = needs.popLast() {
      guard next.slot.isUnique else { return next }
      if unique.insert(ObjectIdentifier(next.slot)).inserted { needs += next.slot.needs(thread).reversed() }
    }
    return nil
  }

  /// Retains the instance of a `.weak` component until the creation has requested it. Does nothing for other scopes,
  /// whose cells retain their instances.
  ///
  /// - Parameters:
  ///   - box: the instance.
  ///   - slot: its slot.
  mutating func keep(_ box: any AnyObject & Sendable, _ slot: any AnySlot) {
    if slot.component.definition.scope == .weak { kept.append(box) }
  }

  /// Stores an error for the creation, which throws it when it requests the instance. If the need is not optional, or
  /// the error isn't that the component itself declined, the creation ends there, so the remaining needs are dropped.
  ///
  /// - Parameters:
  ///   - slot: the slot whose instance can't be created.
  ///   - isOptional: whether the creation continues if the component declines.
  ///   - error: the error.
  ///   - thread: the calling thread.
  mutating func fail(_ slot: any AnySlot, isOptional: Bool, _ error: any Error, _ thread: CurrentThread) {
    thread.state.pointee.resolution.failures[ObjectIdentifier(slot.cell)] = error
    failed.append(ObjectIdentifier(slot.cell))
    if !isOptional || (error as? ComponentError)?.declines(slot.key) != true { needs = [] }
  }
}

extension PendingCreation {
  /// Discards the errors that the creation did not reach. Call it after the creation, also if it failed.
  func end(_ thread: CurrentThread) {
    for cell in failed { thread.state.pointee.resolution.failures[cell] = nil }
  }
}

extension AnySlot {
  /// Returns the slots whose instances the creation requests, in that order. A slot that serves an instance under an
  /// additional type needs the instance.
  ///
  /// - Parameter thread: the calling thread, whose graph is used.
  /// - Returns: the slots; empty if the creation only throws, or if the container was deallocated.
  fileprivate func needs(_ thread: CurrentThread) -> [NeededSlot] {
    if let source { return [NeededSlot(slot: source, isOptional: true)] }
    guard !isRefused, let container = component.container.container else { return [] }
    let wiring = container.wiring(for: thread)
    return component.definition.needs.flatMap { need in
      wiring.slots(for: need, of: component).map { NeededSlot(slot: $0, isOptional: need.kind != .required) }
    }
  }
}

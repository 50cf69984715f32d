// The needs of a component are created inside its own creation, so a chain of components uses stack space for
// each of them. If that would be too much (`StackUse`), the needs of a creation are created beforehand, by a
// depth-first search with an explicit stack. The order of creation, the errors and their paths are the same:
// a failure is stored, and thrown where the instance is requested.

extension CurrentThread {
  /// Creates everything that a slot needs, directly or indirectly, and stores failures for later. The slot's
  /// creation must be the innermost of the thread.
  ///
  /// The stack of the search is an array of pending creations. Each has a frame on the thread while its needs
  /// are created, so cycles are detected and paths computed as in the recursion. An instance is created after
  /// its needs; its creation then finds them, or throws their errors.
  ///
  /// - Parameter slot: the slot.
  /// - Returns: the pending creation of the slot, to end after the slot's own creation.
  /// - Complexity: O(*n*) in the number of needs that are created, with constant stack space apart from
  ///   `.unique` components, which are created inside the creations that need them.
  @inline(never) func createNeeds(of slot: any AnySlot) -> PendingCreation {
    var pending = [PendingCreation(slot, isOptional: false)]
    while true {
      let last = pending.count - 1
      if let need = pending[last].nextNeed() {
        do {
          switch try need.slot.claim(self) {
          case .exists(let box): pending[last].keep(box, need.slot)
          case .claimed:
            pushCreation(need.slot)
            pending.append(PendingCreation(need.slot, isOptional: need.isOptional))
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
  init(_ slot: any AnySlot, isOptional: Bool) {
    self.slot = slot
    self.isOptional = isOptional
    needs = slot.needs.reversed()
  }

  /// Removes and returns the next need to create. The needs of a `.unique` component take its place, because
  /// each request creates a new instance of it; they are added once, however often the component is needed.
  ///
  /// - Returns: the need; `nil` if there are no more.
  mutating func nextNeed() -> NeededSlot? {
    while let next = needs.popLast() {
      guard next.slot.isUnique else { return next }
      if unique.insert(ObjectIdentifier(next.slot)).inserted { needs += next.slot.needs.reversed() }
    }
    return nil
  }

  /// Retains the instance of a `.weak` component until the creation has requested it. Does nothing for other
  /// scopes, whose cells retain their instances.
  ///
  /// - Parameters:
  ///   - box: the instance.
  ///   - slot: its slot.
  mutating func keep(_ box: any AnyObject & Sendable, _ slot: any AnySlot) {
    if slot.component.definition.scope == .weak { kept.append(box) }
  }

  /// Stores an error for the creation, which throws it when it requests the instance. If the need isn't
  /// optional, or the error isn't that the component itself declined, the creation ends there, so the
  /// remaining needs are dropped.
  ///
  /// - Parameters:
  ///   - slot: the slot whose instance can't be created.
  ///   - isOptional: whether the creation continues if the component declines.
  ///   - error: the error.
  ///   - thread: the calling thread.
  mutating func fail(_ slot: any AnySlot, isOptional: Bool, _ error: any Error, _ thread: CurrentThread) {
    thread.state.pointee.resolution.failures[ObjectIdentifier(slot.cell)] = error
    failed.append(ObjectIdentifier(slot.cell))
    if !isOptional || (error as? ComponentError)?.declines(slot) != true { needs = [] }
  }
}

extension PendingCreation {
  /// Discards the errors that the creation didn't reach. Call it after the creation, also if it failed.
  func end(_ thread: CurrentThread) {
    for cell in failed { thread.state.pointee.resolution.failures[cell] = nil }
  }
}

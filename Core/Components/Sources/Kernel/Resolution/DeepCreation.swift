// A component's needs are created inside its own creation, so a chain of components takes a part of the stack for each.
// Below a certain depth, therefore, what a creation needs is created before, by a search with a stack of its own, and
// the creation finds it there. The order is the same, as are errors and their paths: a failure is kept, and thrown where
// the instance is asked for.

extension CurrentThread {
  /// How many creations there may be inside each other before the search begins. Graphs are hardly ever as deep.
  private static var recursionLimit: Int { 16 }

  var isDeep: Bool { depth > Self.recursionLimit }

  /// Creates what a slot needs, directly or by others, and keeps what fails for later. The slot's creation is the innermost
  /// of the thread.
  ///
  /// - Returns: what to end after the slot's creation.
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
      // The creation of the slot itself is its caller's.
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

/// A slot that is needed.
struct NeededSlot {
  let slot: any AnySlot
  /// Whether the creation goes on when the instance declines.
  let isOptional: Bool
}

/// A creation that waits for what it needs.
struct PendingCreation {
  let slot: any AnySlot
  let isOptional: Bool
  let start = ContinuousClock.now
  /// The needs that are left, the next one last.
  private var needs: [NeededSlot]
  /// The `.unique` components whose needs are among them: their instances can't be made before.
  private var unique: Set<ObjectIdentifier> = []
  /// Instances that nothing else may hold until the creation has them.
  private var kept: [any AnyObject & Sendable] = []
  /// The cells of those that failed.
  private var failed: [ObjectIdentifier] = []

  init(_ slot: any AnySlot, isOptional: Bool, _ thread: CurrentThread) {
    self.slot = slot
    self.isOptional = isOptional
    needs = slot.needs(thread).reversed()
  }

  mutating func nextNeed(_ thread: CurrentThread) -> NeededSlot? {
    while let next = needs.popLast() {
      guard next.slot.isUnique else { return next }
      if unique.insert(ObjectIdentifier(next.slot)).inserted { needs += next.slot.needs(thread).reversed() }
    }
    return nil
  }

  mutating func keep(_ box: any AnyObject & Sendable, _ slot: any AnySlot) {
    if slot.component.definition.scope == .weak { kept.append(box) }
  }

  /// Keeps an error for the creation, which asks for the instance again. Unless it can do without, it won't get further
  /// than that.
  mutating func fail(_ slot: any AnySlot, isOptional: Bool, _ error: any Error, _ thread: CurrentThread) {
    thread.state.pointee.resolution.failures[ObjectIdentifier(slot.cell)] = error
    failed.append(ObjectIdentifier(slot.cell))
    if !isOptional || (error as? ComponentError)?.declines(slot.key) != true { needs = [] }
  }
}

extension PendingCreation {
  /// Forgets the errors that the creation hasn't met.
  func end(_ thread: CurrentThread) {
    for cell in failed { thread.state.pointee.resolution.failures[cell] = nil }
  }
}

extension AnySlot {
  /// The slots whose instances its creation asks for, in that order.
  fileprivate func needs(_ thread: CurrentThread) -> [NeededSlot] {
    if let source { return [NeededSlot(slot: source, isOptional: true)] }
    guard !isRefused, let container = component.container.container else { return [] }
    let wiring = container.wiring(for: thread)
    return component.definition.needs.flatMap { need in
      wiring.slots(for: need, of: component).map { NeededSlot(slot: $0, isOptional: need.kind != .required) }
    }
  }
}

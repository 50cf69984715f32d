/// A cycle of creations that need each other, found at run time. It may involve several threads.
struct CreationCycle {
  /// The creations of the thread that found the cycle, from its first request, followed by those of the
  /// threads that wait for each other, each from the instance that the previous thread requested.
  private let slots: [any AnySlot]
  /// The number of elements of `slots` that belong to the finder.
  private let ownCount: Int
  /// The index in `slots` of the instance to which the last creation leads back.
  private let start: Int

  /// Describes a cycle.
  ///
  /// - Parameters:
  ///   - own: the creations of the thread that found the cycle, from its first request.
  ///   - others: those of the threads that wait for each other.
  ///   - cell: the cell of the instance to which the last creation leads back.
  init(_ own: [any AnySlot], then others: [any AnySlot], backTo cell: ObjectIdentifier) {
    slots = own + others
    ownCount = own.count
    start = own.firstIndex { ObjectIdentifier($0.cell) == cell } ?? 0
  }

  /// The error with the path of the cycle (``ComponentError/Code/cycle``). Computing it may search the graph,
  /// so it must not be done under a lock.
  var error: ComponentError {
    guard let first = slots.dropFirst(start).first else { return .cycle([], start: 0) }
    var path = slots[..<ownCount].map(\.key)
    // `.unique` components between the finder's own creations are added as the error propagates through them.
    for (from, to) in zip(slots.dropFirst(ownCount), slots.dropFirst(ownCount + 1) + [first]) {
      path += [from.key] + Self.uniqueComponents(from: from.component, to: to.component)
    }
    return .cycle(path + [first.key], start: start)
  }

  /// Returns the `.unique` components through which one component needs another, found by breadth-first
  /// search. Creating them for a declared need leaves no frame on the thread.
  ///
  /// - Parameters:
  ///   - start: the component that is being created.
  ///   - end: the component whose instance its creation requested.
  /// - Returns: the keys between the two, in order; empty if `start` needs `end` directly, if no declared
  ///   needs lead to it, or if the container was deallocated.
  /// - Complexity: O(*n*) in the number of needs of the components that are searched.
  private static func uniqueComponents(
    from start: InstalledComponent, to end: InstalledComponent
  ) -> [ComponentKey] {
    guard let wiring = start.container.container?.currentWiring else { return [] }
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(start)]
    var queue: [(component: InstalledComponent, path: [ComponentKey])] = [(start, [])]
    var index = 0
    while index < queue.count {
      let (component, path) = queue[index]
      index += 1
      for need in component.definition.needs {
        for slot in wiring.slots(meeting: need) {
          if slot.component === end { return path }
          guard slot.component.definition.scope == .unique else { continue }
          if seen.insert(ObjectIdentifier(slot.component)).inserted {
            queue.append((slot.component, path + [slot.key]))
          }
        }
      }
    }
    return []
  }
}

extension Wiring {
  /// Returns what meets a need, at creation or later.
  ///
  /// - Parameter need: the need, in any form.
  /// - Returns: the slots, at most one unless the need is for contributions.
  fileprivate func slots(meeting need: Need) -> [any AnySlot] {
    need.kind.takesContributions ? contributions(to: need.key) : slot(need.key).map { [$0] } ?? []
  }
}

/// What an update changes; see ``ComponentContainer/update(_:)``.
public struct ComponentUpdate {
  private(set) var installed: [GraphNode] = []
  /// Says of each standing component whether it goes.
  private(set) var removals: [Removal] = []

  struct Removal {
    let isMeant: (GraphNode) -> Bool
    /// The error if nothing is meant; `nil` where that is fine.
    let unmet: ConfigurationError.Problem?
  }

  /// Adds components.
  public mutating func install(@ComponentBuilder _ components: () throws -> [AnyComponent]) rethrows {
    installed += try components().map { GraphNode($0) }
  }

  /// Adds the components of a library.
  public mutating func install(_ library: any Library.Type) {
    let description = LibraryDescription(library)
    installed += library.components.map { GraphNode($0, of: description) }
  }

  /// Adds components, and removes those that serve one of their keys so far.
  public mutating func replace(@ComponentBuilder _ components: () throws -> [AnyComponent]) rethrows {
    let new = try components().map { GraphNode($0) }
    let keys = Set(new.flatMap(\.servedKeys))
    removals.append(Removal(isMeant: { $0.servedKeys.contains(where: keys.contains) }, unmet: nil))
    installed += new
  }

  /// Removes the component that serves a key, whatever else it serves.
  ///
  /// The update fails if nothing serves it.
  public mutating func remove<Value>(_ type: Value.Type, named name: String? = nil) {
    let key = ComponentKey(type, named: name)
    let problem = ConfigurationError.Problem(
      .unknownComponent,
      "\(key) can't be removed: nothing in this container provides it.",
      repairs: ["Update the container that it belongs to."]
    )
    removals.append(Removal(isMeant: { $0.servedKeys.contains(key) }, unmet: problem))
  }

  /// Removes the components of a library.
  ///
  /// The update fails if there are none.
  ///
  /// - Parameter library: the library's name.
  public mutating func remove(library: String) {
    let problem = ConfigurationError.Problem(
      .unknownLibrary, "The library \"\(library)\" can't be removed: it provides nothing here.")
    removals.append(Removal(isMeant: { $0.library?.name == library }, unmet: problem))
  }

  /// Removes every component but those that serve one of the types, under whatever name.
  public mutating func removeAll<each Kept>(except types: repeat (each Kept).Type) {
    var kept: Set<ObjectIdentifier> = []
    for type in repeat each types { kept.insert(ObjectIdentifier(type)) }
    removals.append(Removal(isMeant: { !$0.servedKeys.contains { kept.contains($0.type) } }, unmet: nil))
  }
}

extension ComponentContainer {
  /// Changes the live container as one transaction (R9): the new graph is valid or nothing changes, and nobody sees half
  /// of it. Instances whose component stands stay, with what they were created with; the others are given up.
  ///
  /// ```swift
  /// try container.update {
  ///   $0.remove((any Clock).self)
  ///   $0.install { Component((any Clock).self) { _ in AtomicClock() } }
  /// }
  /// ```
  ///
  /// Children take the change over where they don't override it. Eager components among the new ones are created before
  /// the change is in force.
  ///
  /// - Returns: the task that runs the `onDelete` actions of what was given up. Await it to know that they are through.
  /// - Throws: ``ConfigurationError`` with every problem; ``ComponentError`` when an eager component can't be created,
  ///   the container was deleted, or a creation asks for the update. What a ``ComponentSource`` throws.
  @discardableResult
  public func update(_ change: (inout ComponentUpdate) throws -> Void) throws -> Task<Void, Never> {
    var update = ComponentUpdate()
    try change(&update)
    let task = try family.turn.withLock { try apply(update) }
    Features.deliverDeferred(in: self)
    return task
  }

  /// Adds the components of libraries as one transaction. Deferred needs aren't answered yet.
  fileprivate func install(_ libraries: [any Library.Type]) throws {
    var update = ComponentUpdate()
    for library in libraries { update.install(library) }
    _ = try family.turn.withLock { try apply(update) }
  }

  private func apply(_ update: ComponentUpdate) throws -> Task<Void, Never> {
    guard life.phase == .live else {
      throw ComponentError.deleted(life.owner, "can't be updated")
    }
    let old = currentWiring
    var own = old.own.filter { $0.origin == nil }
    own.sort { $0.place < $1.place }
    var problems: [ConfigurationError.Problem] = []
    for removal in update.removals {
      let count = own.count
      own.removeAll(where: removal.isMeant)
      if own.count == count, let problem = removal.unmet { problems.append(problem) }
    }
    guard problems.isEmpty else { throw ConfigurationError(problems) }
    let nodes = Self.inOrderOfLibraries(own.compactMap(\.component).map(GraphNode.init) + update.installed)
    let new = try plan(nodes, over: parent?.currentWiring)
    let descendants = try plans(under: new)
    let replacements = try createEagerInstances(of: new, after: old) {
      try putInForce(new, descendants)
    }
    return .all(replacements.map { $0.container.giveUp($0.old, replacedBy: $0.new) })
  }

  /// Libraries by name, then what belongs to none, each in the order in which it is declared.
  private static func inOrderOfLibraries(_ nodes: [GraphNode]) -> [GraphNode] {
    let places = nodes.indices.sorted { left, right in
      switch (nodes[left].library?.name, nodes[right].library?.name) {
      case (let one?, let other?) where one != other: one < other
      case (_?, nil): true
      case (nil, _?): false
      default: left < right
      }
    }
    return places.map { nodes[$0] }
  }

  private var liveDescendants: [ComponentContainer] {
    Features.children(of: self).flatMap { [$0] + $0.liveDescendants }
  }

  /// The next graph of a container.
  private struct Plan {
    let container: ComponentContainer
    let wiring: Wiring
  }

  /// The graphs of all children, as they follow from this container's next one.
  private func plans(under wiring: Wiring) throws -> [Plan] {
    try Features.children(of: self).flatMap { child -> [Plan] in
      let own = child.currentWiring.own.filter { $0.origin == nil }.sorted { $0.place < $1.place }
      let plan = try child.plan(own.compactMap(\.component).map(GraphNode.init), over: wiring)
      return [Plan(container: child, wiring: plan)] + (try child.plans(under: plan))
    }
  }

  /// A graph that has taken the place of another one.
  private struct Replacement {
    let container: ComponentContainer
    let old: Wiring
    let new: Wiring
  }

  /// Puts a graph in force, and those of all children.
  ///
  /// - Parameter prepared: the children's graphs, as far as there were children when they were planned.
  private func putInForce(_ new: Wiring, _ prepared: [Plan]) throws -> [Replacement] {
    // Kept until the lock is released: letting go of a container may run anything.
    var descendants: [ComponentContainer] = []
    defer { withExtendedLifetime(descendants) {} }
    return try family.withGraphs {
      guard life.phase == .live else { throw ComponentError.deleted(life.owner, "can't be updated") }
      descendants = liveDescendants
      // A creation may have made a child meanwhile, and another one may have been deleted.
      let isPrepared = descendants.elementsEqual(prepared, by: { $0 === $1.container })
      let plans = isPrepared ? prepared : try plans(under: new)
      return ([Plan(container: self, wiring: new)] + plans).map { plan in
        let old = plan.container.wiring.exchange(plan.wiring) ?? .empty
        return Replacement(container: plan.container, old: old, new: plan.wiring)
      }
    }
  }

  /// Creates the eager instances among what a new graph adds, and then runs `putInForce`. If either fails, nothing that was
  /// created is kept.
  private func createEagerInstances<Result>(
    of new: Wiring, after old: Wiring, putInForce: () throws -> Result
  ) throws -> Result {
    let standing = Set(old.components.map { ObjectIdentifier($0) })
    let known = life.created
    let thread = CurrentThread.current
    thread.state.pointee.resolution.preparation = (ObjectIdentifier(self), new)
    defer { thread.state.pointee.resolution.preparation = nil }
    do {
      try createEagerInstances(of: new) { !standing.contains(ObjectIdentifier($0)) }
      return try putInForce()
    } catch {
      // What stands may have been created with what is new.
      let components = new.components
      let others = components.filter {
        standing.contains(ObjectIdentifier($0)) && known[ObjectIdentifier($0)] == nil
      }
      let added = components.filter { !standing.contains(ObjectIdentifier($0)) }
      life.giveUp(others, removing: added, of: new)
      throw error
    }
  }

  /// Gives up the instances whose components a new graph doesn't have any more.
  private func giveUp(_ old: Wiring, replacedBy new: Wiring) -> Task<Void, Never> {
    let standing = Set(new.components.map { ObjectIdentifier($0) })
    followers.withLock { $0.live }.forEach { $0.follow(new) }
    let gone = old.components.filter { !standing.contains(ObjectIdentifier($0)) }
    return life.giveUp(removing: gone, of: old, isReplaced: true)
  }
}

extension Features {
  static func install(_ libraries: [any Library.Type], into container: ComponentContainer) throws {
    try container.install(libraries)
  }
}

extension Task where Success == Void, Failure == Never {
  /// A task that ends when all of `tasks` have ended.
  fileprivate static func all(_ tasks: [Task]) -> Task {
    if tasks.count == 1 { return tasks[0] }
    return Task { for task in tasks { await task.value } }
  }
}

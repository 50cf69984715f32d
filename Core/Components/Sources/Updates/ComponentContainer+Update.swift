import TenonBasics

/// The changes of an update; see ``ComponentContainer/update(_:)``. Removals apply to the components that
/// exist before the update.
///
/// It only records the changes; nothing is validated or changed before the closure of the update has
/// returned.
public struct ComponentUpdate {
  /// The components to add.
  private(set) var installed: [GraphNode] = []
  /// The predicates that select the components to remove.
  private(set) var removals: [Removal] = []

  /// A removal of existing components.
  struct Removal {
    /// Returns whether to remove a component.
    let isMeant: (GraphNode) -> Bool
    /// The problem to report if nothing is removed; `nil` if that is allowed.
    let unmet: ConfigurationError.Problem?
  }

  /// Adds components.
  ///
  /// - Parameter components: the components, which belong to no library.
  /// - Throws: what `components` throws, in which case nothing is added.
  public mutating func install(@ComponentBuilder _ components: () throws -> [AnyComponent]) rethrows {
    installed += try components().map { GraphNode($0) }
  }

  /// Adds the components of a library.
  ///
  /// - Parameter library: the library, which need not be registered. Its components are read now.
  public mutating func install(_ library: any Library.Type) {
    let description = LibraryDescription(library)
    installed += library.components.map { GraphNode($0, of: description) }
  }

  /// Adds components, and removes those that serve any of the same keys, together with their decorators. If
  /// there are none to remove, this is the same as `install(_:)`. A decorator is added to what it decorates.
  ///
  /// - Parameter components: the components, which belong to no library.
  /// - Throws: what `components` throws, in which case nothing is replaced.
  public mutating func replace(@ComponentBuilder _ components: () throws -> [AnyComponent]) rethrows {
    let new = try components().map { GraphNode($0) }
    let keys = Set(new.flatMap { $0.definition.replacedKeys })
    removals.append(Removal(isMeant: { keys.contains(where: $0.claims) }, unmet: nil))
    installed += new
  }

  /// Removes the component that serves a key and what it decorates here, including everything else that they
  /// serve.
  ///
  /// The update fails with ``ConfigurationError/Code/unknownComponent`` if nothing serves the key.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; none by default.
  public mutating func remove<Value>(_ type: Value.Type, named name: String? = nil) {
    let key = ComponentKey(type, named: name)
    let problem = ConfigurationError.Problem(
      .unknownComponent,
      "\(key) can't be removed: nothing in this container provides it.",
      repairs: ["Update the container that it belongs to."]
    )
    removals.append(Removal(isMeant: { $0.claims(key) }, unmet: problem))
  }

  /// Removes the components of a library.
  ///
  /// The update fails with ``ConfigurationError/Code/unknownLibrary`` if the library provides nothing here.
  ///
  /// - Parameter library: the library's name.
  public mutating func remove(library: String) {
    let problem = ConfigurationError.Problem(
      .unknownLibrary, "The library \"\(library)\" can't be removed: it provides nothing here.")
    removals.append(Removal(isMeant: { $0.library?.name == library }, unmet: problem))
  }

  /// Removes every component except those that serve one of the types, under any name.
  ///
  /// - Parameter types: the types to keep.
  public mutating func removeAll<each Kept>(except types: repeat (each Kept).Type) {
    var kept: Set<ObjectIdentifier> = []
    for type in repeat each types { kept.insert(ObjectIdentifier(type)) }
    removals.append(Removal(isMeant: { !$0.servedKeys.contains { kept.contains($0.type) } }, unmet: nil))
  }
}

extension ComponentContainer {
  /// Changes the live container in one transaction (R9): either the new graph is valid or nothing changes,
  /// and no reader observes a partial update.
  ///
  /// Instances of components that remain are kept, together with what they were created with; the others are
  /// released.
  ///
  /// ```swift
  /// try container.update {
  ///   $0.remove((any Clock).self)
  ///   $0.install { Component((any Clock).self) { _ in AtomicClock() } }
  /// }
  /// ```
  ///
  /// Children adopt the change unless they override it. New eager components are created before the change
  /// takes effect. Concurrent updates of a container and its children run one after another; requests aren't
  /// blocked.
  ///
  /// - Parameter change: describes the change. It runs before the container is locked.
  /// - Returns: the task that runs the `onDelete` actions of the instances that were released. Await it to
  ///   wait for them.
  /// - Throws: ``ConfigurationError`` with every problem; ``ComponentError`` if an eager component can't be
  ///   created, the container was deleted, or a creation calls this; what a ``ComponentSource`` throws.
  /// - Complexity: O(*n*) in the number of components and needs, including those of children.
  @discardableResult
  public func update(_ change: (inout ComponentUpdate) throws -> Void) throws -> Task<Void, Never> {
    var update = ComponentUpdate()
    try change(&update)
    let task = try family.turn.withLock { try apply(update) }
    deliverDeferred()
    return task
  }

  /// Adds the components of libraries in one transaction. Doesn't answer deferred needs.
  ///
  /// - Parameter libraries: the libraries.
  /// - Throws: as ``update(_:)``.
  func install(_ libraries: [any Library.Type]) throws {
    var update = ComponentUpdate()
    for library in libraries { update.install(library) }
    _ = try family.turn.withLock { try apply(update) }
  }

  /// Plans the new graphs, creates the new eager components and puts the graphs into effect, in this order:
  /// everything that can throw precedes the change of the graphs. The caller must hold the family's turn.
  ///
  /// - Parameter update: the changes.
  /// - Returns: the task that runs the `onDelete` actions of the instances that were released.
  /// - Throws: as ``update(_:)``.
  private func apply(_ update: ComponentUpdate) throws -> Task<Void, Never> {
    guard life.phase == .live else {
      throw ComponentError.deleted(life.owner, "can't be updated")
    }
    let old = currentWiring
    var own = old.declared
    var problems: [ConfigurationError.Problem] = []
    for removal in update.removals {
      let count = own.count
      own.removeAll(where: removal.isMeant)
      if own.count == count, let problem = removal.unmet { problems.append(problem) }
    }
    guard problems.isEmpty else { throw ConfigurationError(problems) }
    let nodes = Self.inOrderOfLibraries(own + update.installed)
    let new = try plan(nodes, over: parent?.currentWiring)
    let descendants = try plans(under: new)
    let replacements = try createEagerInstances(of: new, after: old) {
      try putInForce(new, descendants)
    }
    return .all(replacements.map { $0.container.retireInstances($0.old, replacedBy: $0.new) })
  }

  /// Sorts libraries by name, followed by components without a library, each in order of declaration.
  ///
  /// - Parameter nodes: the components.
  /// - Complexity: O(*n* log *n*) in the number of components.
  private static func inOrderOfLibraries(_ nodes: [GraphNode]) -> [GraphNode] {
    let places = nodes.indices.ordered { left, right in
      switch (nodes[left].library?.name, nodes[right].library?.name) {
      case (let one?, let other?) where one != other: one < other
      case (_?, nil): true
      case (nil, _?): false
      default: left < right
      }
    }
    return places.map { nodes[$0] }
  }

  /// The live children of this container and theirs, each before its own children.
  private var liveDescendants: [ComponentContainer] {
    liveChildren.flatMap { [$0] + $0.liveDescendants }
  }

  /// The next graph of a container.
  private struct Plan {
    let container: ComponentContainer
    let wiring: Wiring
  }

  /// Returns the graphs of all descendants as they follow from this container's next one.
  ///
  /// - Parameter wiring: this container's next graph.
  /// - Returns: the graphs, each before those of the container's own children.
  /// - Throws: ``ConfigurationError`` if a child's graph would become invalid.
  private func plans(under wiring: Wiring) throws -> [Plan] {
    try liveChildren.flatMap { child -> [Plan] in
      let plan = try child.plan(child.currentWiring.declared, over: wiring)
      return [Plan(container: child, wiring: plan)] + (try child.plans(under: plan))
    }
  }

  /// A graph that has replaced another one.
  private struct Replacement {
    let container: ComponentContainer
    let old: Wiring
    let new: Wiring
  }

  /// Puts a graph and those of all children into effect. No graph takes effect, and no child is added, during
  /// this.
  ///
  /// - Parameters:
  ///   - new: the graph.
  ///   - prepared: the graphs of the children that existed when they were planned.
  /// - Returns: the graphs that were replaced, this container's first.
  /// - Throws: ``ComponentError`` if the container was deleted; ``ConfigurationError`` if the graph of a new
  ///   child would become invalid.
  private func putInForce(_ new: Wiring, _ prepared: [Plan]) throws -> [Replacement] {
    // Kept until the lock is released: releasing a container may run arbitrary code.
    var descendants: [ComponentContainer] = []
    defer { withExtendedLifetime(descendants) {} }
    return try family.withGraphs {
      guard life.phase == .live else { throw ComponentError.deleted(life.owner, "can't be updated") }
      descendants = liveDescendants
      // A creation may have added a child in the meantime, and another child may have been deleted.
      let isPrepared = descendants.elementsEqual(prepared, by: { $0 === $1.container })
      let plans = isPrepared ? prepared : try plans(under: new)
      return ([Plan(container: self, wiring: new)] + plans).map { plan in
        let old = plan.container.wiring.exchange(plan.wiring) ?? .empty
        return Replacement(container: plan.container, old: old, new: plan.wiring)
      }
    }
  }

  /// Creates the new eager instances of a graph, and then runs `putInForce`. If either fails, no instance
  /// that was created is kept.
  ///
  /// - Parameters:
  ///   - new: the next graph.
  ///   - old: the current graph.
  ///   - putInForce: puts the graph into effect.
  /// - Returns: what `putInForce` returns.
  /// - Throws: ``ComponentError`` of the component that failed; what `putInForce` throws.
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
      // Existing components may have been created together with new ones.
      let components = new.components
      let others = components.filter {
        standing.contains(ObjectIdentifier($0)) && known[ObjectIdentifier($0)] == nil
      }
      let added = components.filter { !standing.contains(ObjectIdentifier($0)) }
      life.retireInstances(others, removing: added, of: new)
      throw error
    }
  }

  /// Releases the instances whose components a new graph no longer has, and informs the followers.
  ///
  /// - Parameters:
  ///   - old: the graph that was replaced.
  ///   - new: the graph that is in effect.
  /// - Returns: the task that runs the `onDelete` actions.
  private func retireInstances(_ old: Wiring, replacedBy new: Wiring) -> Task<Void, Never> {
    let standing = Set(new.components.map { ObjectIdentifier($0) })
    followers.withLock { $0.live }.forEach { $0.follow(new) }
    let gone = old.components.filter { !standing.contains(ObjectIdentifier($0)) }
    return life.retireInstances(removing: gone, of: old, isReplaced: true)
  }
}

extension Task where Success == Void, Failure == Never {
  /// Returns a task that ends when all of `tasks` have ended.
  ///
  /// - Parameter tasks: the tasks. A single one is returned itself.
  fileprivate static func all(_ tasks: [Task]) -> Task {
    if tasks.count == 1 { return tasks[0] }
    return Task { for task in tasks { await task.value } }
  }
}

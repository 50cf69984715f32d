/// What an update changes; see ``ComponentContainer/update(_:)``.
public struct ComponentUpdate {
  private(set) var installed: [OwnedDefinition] = []
  /// Says of each standing component whether it goes.
  private(set) var removals: [Removal] = []

  struct Removal {
    let isMeant: (Wiring.Member) -> Bool
    /// The error if nothing is meant; `nil` where that is fine.
    let unmet: ConfigurationError.Problem?
  }

  /// Adds components.
  public mutating func install(@ComponentBuilder _ components: () throws -> [AnyComponent]) rethrows {
    installed += try components().map { OwnedDefinition(library: nil, definition: $0.definition) }
  }

  /// Adds the components of a library.
  public mutating func install(_ library: any Library.Type) {
    let description = LibraryDescription(library)
    installed += library.components.map { OwnedDefinition(library: description, definition: $0.definition) }
  }

  /// Adds components, and removes those that serve one of their keys so far.
  public mutating func replace(@ComponentBuilder _ components: () throws -> [AnyComponent]) rethrows {
    let new = try components().map { OwnedDefinition(library: nil, definition: $0.definition) }
    let keys = Set(new.flatMap(\.definition.servedKeys))
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
    removals.append(Removal(isMeant: { $0.component.library?.name == library }, unmet: problem))
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
    guard !CurrentThread.current.isCreating else {
      throw ComponentError.updateWhileCreating(path: CurrentThread.current.path)
    }
    let task = try updates.withLock { try apply(update) }
    deliverDeferred()
    return task
  }

  /// Adds the components of libraries as one transaction. Deferred needs aren't answered yet.
  func install(_ libraries: [any Library.Type]) throws {
    var update = ComponentUpdate()
    for library in libraries { update.install(library) }
    _ = try updates.withLock { try apply(update) }
  }

  private func apply(_ update: ComponentUpdate) throws -> Task<Void, Never> {
    guard life.phase == .live else {
      throw ComponentError.deleted(ComponentKey(ComponentUpdate.self), owner: life.owner)
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
    let new = try plan(
      own.map(GraphNode.init) + update.installed.map(GraphNode.init), parent: parent?.currentWiring)
    let descendants = try plans(under: new)
    try createEagerInstances(of: new, after: old)
    var task = put(new, inPlaceOf: old)
    for (child, wiring) in descendants { task = child.put(wiring, inPlaceOf: child.currentWiring) }
    return task
  }

  /// The graphs of all children, as they follow from this container's next one.
  private func plans(under wiring: Wiring) throws -> [(ComponentContainer, Wiring)] {
    try liveChildren.flatMap { child -> [(ComponentContainer, Wiring)] in
      let own = child.currentWiring.own.filter { $0.origin == nil }.sorted { $0.place < $1.place }
      let plan = try child.plan(own.map(GraphNode.init), parent: wiring)
      return [(child, plan)] + (try child.plans(under: plan))
    }
  }

  private func createEagerInstances(of new: Wiring, after old: Wiring) throws {
    let standing = Set(old.own.map { ObjectIdentifier($0.component) })
    let added = new.own.filter { !standing.contains(ObjectIdentifier($0.component)) }
    let thread = CurrentThread.current
    thread.state.pointee.resolution.preparation = (ObjectIdentifier(self), new)
    defer { thread.state.pointee.resolution.preparation = nil }
    try createEagerInstances(added) { life.giveUp(added.map(\.component), areRemoved: true) }
  }

  private func put(_ new: Wiring, inPlaceOf old: Wiring) -> Task<Void, Never> {
    let standing = Set(new.own.map { ObjectIdentifier($0.component) })
    _ = wiring.exchange(new)
    let gone = old.own.map(\.component).filter { !standing.contains(ObjectIdentifier($0)) }
    return life.giveUp(gone, areRemoved: true, replacing: [old])
  }

  // MARK: - Deferred needs

  /// Answers the deferred needs that something provides by now, here and in the children.
  func deliverDeferred() {
    let wiring = currentWiring
    let answers = deferredRequests.withLock { requests in requests.take { wiring.slots[$0] != nil } }
    for answer in answers { answer(self) }
    for child in liveChildren { child.deliverDeferred() }
  }
}

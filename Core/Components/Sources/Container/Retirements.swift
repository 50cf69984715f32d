/// The retirements of a container's instances that haven't ended, and the order between them. Not
/// thread-safe; guarded by the lock of ``ContainerLife``.
///
/// An instance is retired after the instances that were created from it, because their `onDelete` actions may
/// use it, and after earlier instances of the same component. It waits for no other retirement.
struct Retirements {
  /// The identity of a retirement within a container.
  typealias ID = Int

  /// The retirements that must end before an instance of a component is retired, by component. A component
  /// without an entry can be retired immediately.
  private var blockers: [ObjectIdentifier: [ID: Task<Void, Never>]] = [:]
  private var last: ID = 0

  /// The tasks of all retirements; a task may occur more than once, because it blocks several components.
  var tasks: [Task<Void, Never>] { blockers.values.flatMap(\.values) }

  /// Returns the retirements that must end before instances of some components are retired.
  ///
  /// - Complexity: O(*n*) in the number of the components and of their retirements.
  func blocking(_ components: [InstalledComponent]) -> [ID: Task<Void, Never>] {
    guard !blockers.isEmpty else { return [:] }
    return components.reduce(into: [:]) { found, component in
      found.merge(blockers[ObjectIdentifier(component), default: [:]]) { first, _ in first }
    }
  }

  /// Returns an ID that no other retirement of the container has.
  mutating func newID() -> ID {
    last += 1
    return last
  }

  /// Adds a retirement.
  ///
  /// - Parameters:
  ///   - id: the identity of the retirement.
  ///   - task: the task that performs it.
  ///   - components: the components of its instances, and everything that they need.
  ///   - earlier: the retirements that it waits for. A retirement that waits for this one doesn't have to
  ///     wait for them.
  mutating func add(
    _ id: ID, _ task: Task<Void, Never>, blocking components: Set<ObjectIdentifier>,
    after earlier: [ID: Task<Void, Never>]
  ) {
    for component in components {
      var tasks = blockers[component, default: [:]]
      if !tasks.isEmpty, !earlier.isEmpty { tasks = tasks.filter { earlier[$0.key] == nil } }
      tasks[id] = task
      blockers[component] = tasks
    }
  }

  /// Removes a retirement that has ended. The components' next retirements don't wait for it.
  ///
  /// - Parameters:
  ///   - id: the identity of the retirement.
  ///   - components: the components with which it was added.
  mutating func remove(_ id: ID, blocking components: Set<ObjectIdentifier>) {
    for component in components {
      blockers[component]?[id] = nil
      if blockers[component]?.isEmpty == true { blockers[component] = nil }
    }
  }
}

extension Wiring {
  /// Returns components together with every component of this container that is created before them, directly
  /// or indirectly.
  ///
  /// The graph's components are visited in reverse dependency order, so each is visited after everything that
  /// needs it, and one pass is enough.
  ///
  /// - Parameter components: components of this graph.
  /// - Returns: the identities of the components, which may include components of the parent.
  /// - Complexity: O(*n*) in the number of the graph's components and of the slots that the found ones need.
  func closure(of components: [InstalledComponent]) -> Set<ObjectIdentifier> {
    var found = Set(components.map { ObjectIdentifier($0) })
    // Each component comes after what it needs.
    for source in sources.reversed() where found.contains(ObjectIdentifier(source.component)) {
      for need in source.needs { found.insert(ObjectIdentifier(need.slot.component)) }
    }
    return found
  }
}

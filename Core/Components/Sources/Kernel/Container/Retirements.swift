/// The retirements of a container's instances that haven't ended, and what has to wait for them: an instance is retired
/// after those that were created with it, since their `onDelete` actions may use it, and after the component's earlier
/// instances. Others don't wait.
struct Retirements {
  typealias ID = Int

  /// The retirements that must end before an instance of a component is retired, by component.
  private var blockers: [ObjectIdentifier: [ID: Task<Void, Never>]] = [:]
  private var last: ID = 0

  var tasks: [Task<Void, Never>] { blockers.values.flatMap(\.values) }

  /// What must end before instances of `components` are retired.
  func blocking(_ components: [InstalledComponent]) -> [ID: Task<Void, Never>] {
    guard !blockers.isEmpty else { return [:] }
    return components.reduce(into: [:]) { found, component in
      found.merge(blockers[ObjectIdentifier(component), default: [:]]) { first, _ in first }
    }
  }

  mutating func newID() -> ID {
    last += 1
    return last
  }

  /// Adds a retirement.
  ///
  /// - Parameters:
  ///   - components: those of its instances, and what they need.
  ///   - earlier: the retirements that it waits for. Who waits for this one needn't wait for them.
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

  /// Takes out a retirement that has ended.
  mutating func remove(_ id: ID, blocking components: Set<ObjectIdentifier>) {
    for component in components {
      blockers[component]?[id] = nil
      if blockers[component]?.isEmpty == true { blockers[component] = nil }
    }
  }
}

extension Wiring {
  /// Components with everything that is created for them first, directly or by others of this container.
  func closure(of components: [InstalledComponent]) -> Set<ObjectIdentifier> {
    var found = Set(components.map { ObjectIdentifier($0) })
    // Each comes after what it needs.
    for source in sources.reversed() where found.contains(ObjectIdentifier(source.component)) {
      for slot in slotsOfNeeds(of: source) { found.insert(ObjectIdentifier(slot.component)) }
    }
    return found
  }
}

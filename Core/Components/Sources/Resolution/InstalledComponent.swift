import Synchronization

/// A component in a container: the part that stays the same across updates. Immutable, except that it can be
/// marked as removed.
///
/// The graphs that contain the component retain it. Its identity (`ObjectIdentifier`) is the component's
/// identity in a container; a child that replaces a component of its parent has another one with the same
/// declaration.
@usableFromInline
final class InstalledComponent: Sendable {
  /// The declaration.
  let definition: AnyComponent
  /// The library that declares the component; `nil` if none does.
  let library: LibraryDescription?
  /// The state of the instances of the component's container.
  let life: ContainerLife
  /// The container that creates the component's instances.
  let container: WeakContainer
  /// The cell of the instance itself.
  let cell: InstanceCell
  /// The cells of the additional types: the definition's `services`, followed by the automatic aliases.
  let serviceCells: [InstanceCell]
  /// The cells of the contributions, in the order of the definition.
  let contributionCells: [InstanceCell]
  /// Additional names, served while no other component claims them.
  let automaticAliases: [ComponentKey]
  /// Set when an update has removed the component. Written under the life's lock.
  private let removed = Atomic<Bool>(false)
  /// How often the instance was reset. Written under the life's lock.
  private let resets = Atomic<Int>(0)

  /// Creates a component with empty cells.
  ///
  /// - Parameters:
  ///   - node: the planned component.
  ///   - life: the state of the container's instances.
  ///   - container: the container that creates the instances.
  init(_ node: borrowing GraphNode, life: ContainerLife, container: WeakContainer) {
    definition = node.definition
    library = node.library
    self.life = life
    self.container = container
    automaticAliases = node.automaticAliases
    cell = InstanceCell()
    serviceCells = (0..<definition.services.count + automaticAliases.count).map { _ in InstanceCell() }
    contributionCells = definition.contributions.map { _ in InstanceCell() }
  }

  /// What the component's creation receives.
  var context: ComponentContext { ComponentContext(self) }
  /// The component's key.
  var key: ComponentKey { definition.key }
  /// Whether an update has removed the component.
  var isRemoved: Bool { removed.load(ordering: .acquiring) }
  /// Records that an update has removed the component. Call it under the life's lock.
  func markRemoved() { removed.store(true, ordering: .releasing) }
  /// How often the instance was reset. A creation that began before the last reset may have read what that
  /// was to renew, so its instance isn't kept.
  var resetCount: Int { resets.load(ordering: .acquiring) }
  /// Records that the instance was reset. Call it under the life's lock, after the cells of everything that is
  /// reset together have been emptied: a thread that reads the new number then finds no former instance.
  func countReset() { resets.wrappingAdd(1, ordering: .releasing) }
  /// The cells of all types that are derived from the instance.
  var viewCells: [InstanceCell] { serviceCells + contributionCells }
  /// Every key under which the component may be served.
  var servedKeys: [ComponentKey] {
    automaticAliases.isEmpty ? definition.servedKeys : definition.servedKeys + automaticAliases
  }
}

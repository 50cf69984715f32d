import Synchronization

/// A component in a container: what stays the same while updates come and go.
@usableFromInline
final class InstalledComponent: Sendable {
  let definition: AnyComponent
  let library: LibraryDescription?
  let life: ContainerLife
  /// The container that creates it.
  let container: WeakContainer
  /// Where the instance itself is kept.
  let cell: InstanceCell
  /// Where the further types are kept under which it is served: the definition's `services`, then the automatic aliases.
  let serviceCells: [InstanceCell]
  /// In the order of the definition's `contributions`.
  let contributionCells: [InstanceCell]
  /// Further names, served as long as no other component is given them.
  let automaticAliases: [ComponentKey]
  /// Set when an update has taken the component away. Written under the life's lock.
  private let removed = Atomic<Bool>(false)

  init(
    _ node: borrowing GraphNode, life: ContainerLife, container: WeakContainer
  ) {
    definition = node.definition
    library = node.library
    self.life = life
    self.container = container
    automaticAliases = node.automaticAliases
    let scope = definition.scope
    cell = InstanceCell(scope: scope)
    serviceCells = (0..<definition.services.count + automaticAliases.count).map { _ in
      InstanceCell(scope: scope)
    }
    contributionCells = definition.contributions.map { _ in InstanceCell(scope: scope) }
  }

  var context: ComponentContext { ComponentContext(self) }
  var key: ComponentKey { definition.key }
  var isRemoved: Bool { removed.load(ordering: .acquiring) }
  func markRemoved() { removed.store(true, ordering: .releasing) }
  /// The cells of the types that are made from the instance.
  var viewCells: [InstanceCell] { serviceCells + contributionCells }
  /// Every key under which the component is served.
  var servedKeys: [ComponentKey] {
    automaticAliases.isEmpty ? definition.servedKeys : definition.servedKeys + automaticAliases
  }
}

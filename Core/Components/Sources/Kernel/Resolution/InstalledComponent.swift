import Synchronization

/// A component in a container: what stays the same while updates come and go.
@usableFromInline
final class InstalledComponent: Sendable {
  let definition: ComponentDefinition
  let library: LibraryDescription?
  let life: ContainerLife
  /// The container that creates it.
  let container: WeakContainer
  let cells: ComponentCells
  /// Further names, served as long as no other component is given them.
  let automaticAliases: [ComponentKey]
  /// Set when an update has taken the component away. Written under the life's lock.
  private let removed = Atomic<Bool>(false)

  init(
    _ owned: OwnedDefinition, life: ContainerLife, container: WeakContainer, automaticAliases: [ComponentKey]
  ) {
    definition = owned.definition
    library = owned.library
    self.life = life
    self.container = container
    self.automaticAliases = automaticAliases
    cells = ComponentCells(owned.definition, automaticAliases: automaticAliases.count)
  }

  var context: ComponentContext { ComponentContext(self) }
  var key: ComponentKey { definition.key }
  var isRemoved: Bool { removed.load(ordering: .acquiring) }
  func markRemoved() { removed.store(true, ordering: .releasing) }
  var owned: OwnedDefinition { OwnedDefinition(library: library, definition: definition) }
  /// Every key under which the component is served.
  var servedKeys: [ComponentKey] {
    automaticAliases.isEmpty ? definition.servedKeys : definition.servedKeys + automaticAliases
  }
}

/// A component definition and the library that it comes from.
struct OwnedDefinition: Sendable {
  let library: LibraryDescription?
  let definition: ComponentDefinition
}

/// The cells of one component.
struct ComponentCells: Sendable {
  /// Where the instance itself is.
  let source: InstanceCell
  /// The further types it is served under: the definition's `services`, then the automatic aliases.
  let services: [InstanceCell]
  /// In the order of the definition's `contributions`.
  let contributions: [InstanceCell]

  init(_ definition: ComponentDefinition, automaticAliases: Int) {
    let scope = definition.scope
    source = InstanceCell(scope: scope)
    services = (0..<definition.services.count + automaticAliases).map { _ in InstanceCell(scope: scope) }
    contributions = definition.contributions.map { _ in InstanceCell(scope: scope) }
  }

  var views: [InstanceCell] { services + contributions }
}

/// The slots of one component, in the order of its cells.
struct ComponentSlots: Sendable {
  let source: any AnySlot
  var services: [any AnySlot] = []
  var contributions: [any AnySlot] = []
}

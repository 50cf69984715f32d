/// A component in one version of a graph: as it is planned, and in the graph that is built from the plan.
struct GraphNode: Sendable {
  let definition: AnyComponent
  /// The library that the component comes from.
  let library: LibraryDescription?
  /// The keys under which it is served in this graph.
  var servedKeys: [ComponentKey]
  /// The component as this container or its parent has it; `nil` for a new one until the graph is built.
  var component: InstalledComponent?
  /// Further names for a new component.
  var automaticAliases: [ComponentKey] = []
  /// The parent's component in whose place a child creates this one; `nil` for the container's own.
  var origin: InstalledComponent?
  /// Its place in the order of declaration.
  var place = 0
  /// Whether it is the parent's, which the container only hands out.
  var isInherited = false
  /// Why it may not be created, in a container that refuses what a test did not override.
  var refusal: WiringBuilder.Refusal?

  /// A new component.
  init(_ definition: AnyComponent, of library: LibraryDescription? = nil) {
    self.definition = definition
    self.library = library
    servedKeys = definition.servedKeys
  }

  /// A component that a container has already, with all keys that it may serve.
  init(_ component: InstalledComponent) {
    definition = component.definition
    library = component.library
    servedKeys = component.servedKeys
    self.component = component
  }

  /// Whether a child creates it in the place of a component of its parent.
  var isStandIn: Bool { origin != nil }

  /// What must be there before it is created. What is refused needs nothing.
  var needs: [Need] { refusal == nil ? definition.needs : [] }

  /// The same component where others have taken some of its keys.
  func serving(_ keys: [ComponentKey]) -> GraphNode {
    var node = self
    node.servedKeys = keys
    return node
  }
}

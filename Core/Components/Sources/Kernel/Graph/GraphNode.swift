/// A component in one version of a graph, both while it is planned and once it is built.
struct GraphNode: Sendable {
  let definition: AnyComponent
  /// The library that declares the component; `nil` if none does.
  let library: LibraryDescription?
  /// The keys under which it is served in this graph.
  var servedKeys: [ComponentKey]
  /// The component that this container or its parent already has; `nil` for a new one until the graph is built.
  var component: InstalledComponent?
  /// Additional names of a new component.
  var automaticAliases: [ComponentKey] = []
  /// The parent's component that a child's node replaces; `nil` for the container's own components.
  var origin: InstalledComponent?
  /// The position in the order of declaration.
  var place = 0
  /// Whether the component belongs to the parent.
  var isInherited = false
  /// Returns the error with which every creation fails, in a container that rejects what a test did not override; `nil` for a
  /// component that may be created.
  var refusal: WiringBuilder.Refusal?

  /// Plans a new component.
  init(_ definition: AnyComponent, of library: LibraryDescription? = nil) {
    self.definition = definition
    self.library = library
    servedKeys = definition.servedKeys
  }

  /// Plans a component that a container already has, under all keys that it may serve.
  init(_ component: InstalledComponent) {
    definition = component.definition
    library = component.library
    servedKeys = component.servedKeys
    self.component = component
  }

  /// Whether a child creates the component in place of one of its parent.
  var isStandIn: Bool { origin != nil }

  /// What must exist before the component is created. A rejected component needs nothing.
  var needs: [Need] { refusal == nil ? definition.needs : [] }

  /// Returns the node with other keys.
  ///
  /// - Parameter keys: the keys under which it is served.
  func serving(_ keys: [ComponentKey]) -> GraphNode {
    var node = self
    node.servedKeys = keys
    return node
  }
}

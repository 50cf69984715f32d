/// A component in one version of a graph, both while it is planned and once it is built. Planning changes
/// copies; a ``Wiring`` holds the final ones and doesn't change them.
struct GraphNode: Sendable {
  /// The declaration.
  let definition: AnyComponent
  /// The library that declares the component; `nil` if none does.
  let library: LibraryDescription?
  /// The keys under which it is served in this graph: all that it may serve, except automatic aliases that
  /// other components claim and keys that a child replaces.
  var servedKeys: [ComponentKey]
  /// The component that this container or its parent already has; `nil` for a new one until the graph is
  /// built.
  var component: InstalledComponent?
  /// The automatic aliases of a new component, which ``InstalledComponent`` keeps from then on.
  var automaticAliases: [ComponentKey] = []
  /// The parent's component that a child's node replaces; `nil` for the container's own components.
  var origin: InstalledComponent?
  /// The component that `origin` itself stands in for, and so on up to the container that declares it; `nil`
  /// for the container's own components.
  var declared: InstalledComponent?
  /// What the component decorates, by key; empty for most components.
  var inner: [ComponentKey: Inner] = [:]
  /// The position in the order of declaration. That of a child's own components continues the parent's; a
  /// component that replaces one of the parent has the position of the original.
  var place = 0
  /// Returns the error with which every creation fails, in a container that rejects what a test didn't
  /// override; `nil` for a component that may be created.
  var refusal: WiringBuilder.Refusal?

  /// Plans a new component.
  ///
  /// - Parameters:
  ///   - definition: the declaration.
  ///   - library: the library that declares it; `nil`, the default, if none does.
  init(_ definition: AnyComponent, of library: LibraryDescription? = nil) {
    self.definition = definition
    self.library = library
    servedKeys = definition.servedKeys
  }

  /// Plans a component that a container already has, under all keys that it may serve.
  ///
  /// - Parameter component: the component. A child plans the replacement of one of its parent's components in
  ///   the same way, and then sets ``origin``.
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

  /// Returns whether the component claims a key explicitly, whether it serves it in this graph or a decorator
  /// does.
  func claims(_ key: ComponentKey) -> Bool {
    servedKeys.contains(key) || definition.servedKeys.contains(key)
  }

  /// Returns the node with other keys.
  ///
  /// - Parameter keys: the keys under which it is served.
  func serving(_ keys: [ComponentKey]) -> GraphNode {
    var node = self
    node.servedKeys = keys
    return node
  }
}

/// The instance that a decorator receives.
enum Inner: Sendable {
  /// That of another component of the graph that is planned, by its index.
  case planned(Int)
  /// That of a slot: one of the parent's graph, and any in a graph that has been built.
  case built(any AnySlot)
}

import TenonBasics

/// A container's libraries, components and needs as plain data, for inspection, diagrams and tests. A
/// snapshot: it doesn't follow the container.
public struct ComponentGraph: Sendable, Hashable {
  /// A library.
  public struct LibraryNode: Sendable, Hashable {
    /// The library's name, for example `tenon-functions`.
    public var name: String
    /// The library's version, for example `1.4.0`.
    public var version: String
  }

  /// A component.
  public struct ComponentNode: Sendable, Hashable {
    /// The component's type and name, for example `Auth`.
    public var name: String
    /// The name of the component's library; `nil` if it belongs to none.
    public var library: String?
    /// Every type under which its instance is served.
    public var provides: [String]
    /// The types to which it contributes.
    public var contributes: [String]
    /// The name of its scope.
    public var scope: String
    /// The name of its timing.
    public var timing: String
    /// The types of the arguments with which its instances are created.
    public var arguments: [String]
    /// Its needs, in order of declaration.
    public var needs: [Edge]
    /// Whether the component belongs to the container's parent.
    public var isInherited: Bool
    /// The position of its instance in the container's order of creation, from 1; `nil` if there is no
    /// instance.
    public var creationOrder: Int?
    /// The duration of its creation in seconds, including what it created on the way; `nil` if there is no
    /// instance.
    public var creationSeconds: Double?
    /// The start of its creation in seconds after the container was configured; `nil` if there is no
    /// instance.
    public var createdAfterSeconds: Double?

    /// Whether a shared instance exists.
    public var isCreated: Bool { creationOrder != nil }
  }

  /// A need of a component.
  public struct Edge: Sendable, Hashable {
    /// What is needed, for example `any AuthInterop`.
    public var name: String
    /// The form of the need: `required`, `optional`, `all`, `provider`, `optional provider`, `provider of
    /// all`, `deferred` or `factory`.
    public var kind: String
    /// The components that meet the need; empty if it is absent.
    public var providers: [String]
    /// The module that should meet an absent need and whose code is in this process, although its library
    /// hasn't registered, usually because a linker dropped the registration from a static archive (R13).
    /// `nil` if there is none, or if nothing of it was linked, which can't be detected.
    public var unregisteredProduct: String?
    /// Whether anything meets the need.
    public var isPresent: Bool { !providers.isEmpty }

    /// The form of the need; `nil` in a graph that a later version wrote.
    var needKind: Need.Kind? { Need.Kind(rawValue: kind) }
    /// Whether configuration fails without a provider.
    var isDemanded: Bool { needKind?.isDemanded ?? false }
    /// Whether the component can be created if nothing provides the key.
    @usableFromInline var canBeAbsent: Bool { needKind?.canBeAbsent ?? false }
    /// Whether the creation receives the instance itself, or `nil`.
    @usableFromInline var isOfInstance: Bool { needKind?.isOfInstance ?? false }
    /// Whether the creation receives the instance itself.
    @usableFromInline var isRequired: Bool { needKind == .required }
  }

  /// The libraries, sorted by name.
  public var libraries: [LibraryNode]
  /// The components, in the order of their libraries.
  public var components: [ComponentNode]

  /// A graph without components, for problems that concern no component.
  static let empty = ComponentGraph(libraries: [], components: [])
}

// MARK: - Reading a graph

extension ComponentGraph {
  /// Describes nodes as data.
  ///
  /// - Parameters:
  ///   - nodes: the components, in the order in which to list them.
  ///   - isInherited: whether a component belongs to the parent; none does by default.
  ///   - providers: returns the components that serve a key to a component; at most one in a valid graph.
  ///   - contributors: returns the components that contribute to a key, in order of declaration.
  /// - Complexity: O(*n*) in the number of components, of needs and of the components that meet them.
  init(
    _ nodes: [GraphNode], isInherited: (GraphNode) -> Bool = { _ in false },
    providers: (GraphNode, ComponentKey) -> [ComponentKey],
    contributors: (ComponentKey) -> [ComponentKey]
  ) {
    components = nodes.map { node in
      let definition = node.definition
      let component = node.component
      let created = component.flatMap { $0.life.created($0) }
      return ComponentNode(
        name: definition.key.description,
        library: node.library?.name,
        provides: node.servedKeys.map(\.description),
        contributes: definition.contributions.map(\.description),
        scope: definition.scope.description,
        timing: definition.timing.description,
        arguments: definition.arguments.map(\.description),
        needs: definition.needs.map { need in
          let met = need.kind.takesContributions ? contributors(need.key) : providers(node, need.key)
          return Edge(
            name: need.key.description, kind: need.kind.rawValue, providers: met.map(\.description),
            unregisteredProduct: met.isEmpty && !need.kind.takesContributions
              ? DroppedRegistration.unregisteredProduct(of: need.key) : nil)
        },
        isInherited: isInherited(node),
        creationOrder: created?.number,
        creationSeconds: created.map { $0.duration / .seconds(1) },
        createdAfterSeconds: created.flatMap { created in
          component.map { (created.start - $0.life.start) / .seconds(1) }
        }
      )
    }
    let all = nodes.compactMap(\.library).map { LibraryNode(name: $0.name, version: $0.version) }
    libraries = Set(all).ordered { $0.name < $1.name }
  }
}

extension ComponentContainer {
  /// The container's libraries, components and needs, and what has been created so far. A child's graph
  /// includes its parent's components, marked as inherited, unless the child replaces them. The graph of a
  /// deleted container is empty. Libraries that have been loaded are adopted before (R11).
  ///
  /// The components and needs are those of one version of the graph. A creation that ends during the call may
  /// or may not be included.
  ///
  /// - Complexity: O(*n* log *n*) in the number of components, and O(*m*) in the number of needs and of the
  ///   components that meet them.
  public var graph: ComponentGraph {
    adoptLoadedLibraries()
    let wiring = currentWiring
    // A component of the parent that a child replaces under all of its keys can't be reached.
    let reachable = wiring.nodes.filter { node in
      node.component?.life === life || !node.servedKeys.isEmpty || !node.definition.contributions.isEmpty
        || node.component.map { !wiring.nodes(decorating: $0).isEmpty } ?? false
    }
    return ComponentGraph(
      reachable.ordered { $0.place < $1.place }, isInherited: { $0.component?.life !== life },
      providers: { node, key in
        let slot =
          if case .built(let inner)? = node.inner[key] { inner as (any AnySlot)? } else { wiring.slot(key) }
        return slot.map { [$0.component.key] } ?? []
      },
      contributors: { key in wiring.contributions(to: key).map(\.component.key) }
    )
  }
}

/// A container's libraries, components and edges as plain data.
public struct ComponentGraph: Sendable, Hashable, Codable {
  /// A library that takes part.
  public struct LibraryNode: Sendable, Hashable, Codable {
    /// The library's name.
    public var name: String
    /// The library's version.
    public var version: String
  }

  /// A component.
  public struct ComponentNode: Sendable, Hashable, Codable {
    /// The component's type and name, for example `Auth`.
    public var name: String
    /// The library that it comes from; `nil` in a container that stands alone.
    public var library: String?
    /// Every type under which its instance is served.
    public var provides: [String]
    /// The types to which it contributes.
    public var contributes: [String]
    /// The scope's name.
    public var scope: String
    /// The timing's name.
    public var timing: String
    /// What it needs.
    public var needs: [Edge]
    /// Which shared instance it was to be created, from 1; `nil` when there is none.
    public var creationOrder: Int?
    /// How long its creation took in seconds, with what it created on the way; `nil` when there is none.
    public var creationSeconds: Double?
  }

  /// A need of a component.
  public struct Edge: Sendable, Hashable, Codable {
    /// What is needed, for example `any AuthInterop`.
    public var name: String
    /// `required`, `optional`, `all` or `provider`.
    public var kind: String
    /// The components that meet the need; empty when an optional one is absent.
    public var providers: [String]
    /// Whether anything meets the need.
    public var isPresent: Bool { !providers.isEmpty }
  }

  /// The libraries, sorted by name.
  public var libraries: [LibraryNode]
  /// The components, in the order of their libraries.
  public var components: [ComponentNode]
}

extension ComponentContainer {
  /// The container's libraries, components and edges, and what has been created so far.
  public var graph: ComponentGraph {
    let created = state.withLock { $0.created }
    let order = Dictionary(
      uniqueKeysWithValues: created.enumerated().map { ($1.component.index, ($0, $1.duration)) }
    )
    var providers: [ComponentKey: [String]] = [:]
    var contributors: [ComponentKey: [String]] = [:]
    for owned in definitions {
      for key in owned.definition.servedKeys {
        providers[key, default: []].append(owned.definition.key.description)
      }
      for key in owned.definition.contributions {
        contributors[key, default: []].append(owned.definition.key.description)
      }
    }
    let components = definitions.enumerated().map { index, owned in
      let definition = owned.definition
      return ComponentGraph.ComponentNode(
        name: definition.key.description,
        library: owned.library?.name,
        provides: definition.servedKeys.map(\.description),
        contributes: definition.contributions.map(\.description),
        scope: definition.scope.description,
        timing: definition.timing.description,
        needs: definition.needs.map { need in
          let met = need.kind == .all ? contributors[need.key] : providers[need.key]
          return .init(name: need.key.description, kind: need.kind.description, providers: met ?? [])
        },
        creationOrder: order[index].map { $0.0 + 1 },
        creationSeconds: order[index].map { $0.1 / .seconds(1) }
      )
    }
    let libraries = Set(definitions.compactMap(\.library)).sorted()
    return ComponentGraph(
      libraries: libraries.map { .init(name: $0.name, version: $0.version) },
      components: components
    )
  }
}

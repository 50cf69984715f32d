import TenonBasics

extension ComponentContainer {
  /// Validates a graph and builds it, without putting it into effect. For a child, this concerns only what it
  /// creates itself, because its parent's graph is valid.
  ///
  /// Components that this container already has keep their cells, and with them their instances; new ones are
  /// created for the other nodes. No instance is created, and no code of a component runs. If this throws,
  /// the container is unchanged.
  ///
  /// - Parameters:
  ///   - own: this container's components, existing and new, in order of declaration.
  ///   - base: the parent's graph; `nil` without a parent.
  /// - Returns: the graph.
  /// - Throws: ``ConfigurationError`` with every problem; what a ``ComponentSource`` threw instead of its
  ///   components.
  func plan(_ own: consuming [GraphNode], over base: Wiring?) throws -> Wiring {
    for index in own.indices { if let failure = own[index].definition.failure { throw failure } }
    let firstPlace = base?.placeCount ?? 0
    let count = own.count
    for index in own.indices { own[index].place = firstPlace + index }
    let absentees = Decoration.absentees(among: own, over: base)
    let absent = absentees.ordered().map { own[$0] }
    var nodes = consume own
    if !absent.isEmpty { nodes = nodes.indices.filter { !absentees.contains($0) }.map { nodes[$0] } }
    if let base { nodes = standIns(for: base, replacedBy: nodes) + nodes }
    nodes = Self.addAutomaticAliases(nodes, over: base)
    Decoration.bind(&nodes, over: base)
    let validation = GraphValidation(nodes, over: base)
    guard validation.problems.isEmpty else { throw ConfigurationError(validation.problems) }
    return build(
      nodes, order: validation.order, without: absent, over: base, placeCount: firstPlace + count)
  }

  /// Builds the slots of a valid graph.
  ///
  /// - Parameters:
  ///   - nodes: the components.
  ///   - order: the indices of the components, each after everything that it needs, so that a component can
  ///     be bound to slots that exist.
  ///   - absent: the optional decorators that are left out.
  ///   - base: the parent's graph.
  ///   - placeCount: the number of positions in the order of declaration, including the parent's.
  private func build(
    _ nodes: [GraphNode], order: [Int], without absent: [GraphNode], over base: Wiring?, placeCount: Int
  ) -> Wiring {
    let container = WeakContainer(container: self)
    let replaced = base == nil ? [] : Set(nodes.compactMap(\.origin).map { ObjectIdentifier($0) })
    let builder = WiringBuilder(container, over: base, replacing: replaced, capacity: nodes.count)
    var own: [GraphNode] = []
    own.reserveCapacity(nodes.count)
    var sources: [any AnySlot] = []
    sources.reserveCapacity(nodes.count)
    // By index in `nodes`.
    var components: [Int: InstalledComponent] = [:]
    let decorates = nodes.contains { !$0.inner.isEmpty }
    for index in order {
      var node = nodes[index]
      let component = installed(node, container)
      if decorates { components[index] = component }
      for case (let key, .planned(let inner)) in node.inner {
        node.inner[key] = components[inner].flatMap { builder.slot(of: $0, under: key) }.map(Inner.built)
      }
      sources.append(builder.build(component, as: node))
      node.component = component
      own.append(node)
    }
    return Wiring(builder, own: own, absent: absent, sources: sources, placeCount: placeCount)
  }

  /// Returns the component of a node: the existing one if this container has it, otherwise a new one.
  private func installed(_ node: borrowing GraphNode, _ container: WeakContainer) -> InstalledComponent {
    if let standing = node.component, standing.life === life { return standing }
    return InstalledComponent(node, life: life, container: container)
  }

  /// Adds the automatic aliases that no other component of the graph claims, and removes those that have been
  /// claimed since. A child's own components take precedence over its parent's.
  ///
  /// A new component receives an alias if it is the only one with that candidate. Of several, a component
  /// that an earlier version of the graph gave the alias keeps it, and the others don't receive it. An alias
  /// is served only while no component serves its key explicitly, here or in the parent's graph.
  ///
  /// - Parameters:
  ///   - nodes: the components, including those that replace components of the parent.
  ///   - base: the parent's graph.
  /// - Returns: the components with the keys that they serve in this graph.
  private static func addAutomaticAliases(_ nodes: [GraphNode], over base: Wiring?) -> [GraphNode] {
    guard nodes.contains(where: { !$0.definition.automaticAliases.isEmpty }) else { return nodes }
    var taken = Set(nodes.flatMap(\.definition.servedKeys))
    var claims: [ComponentKey: Int] = [:]
    for node in nodes where !node.isStandIn {
      for key in node.definition.automaticAliases {
        claims[key, default: 0] += 1
        if base?.slot(key)?.component.definition.servedKeys.contains(key) == true { taken.insert(key) }
      }
    }
    var nodes = nodes
    var given: Set<ComponentKey> = []
    for index in nodes.indices where !nodes[index].isStandIn {
      if nodes[index].component == nil {
        let aliases = nodes[index].definition.automaticAliases.filter { claims[$0] == 1 }
        nodes[index].automaticAliases = aliases
        nodes[index].servedKeys += aliases
      }
      given.formUnion(nodes[index].servedKeys)
    }
    for index in nodes.indices {
      let explicit = Set(nodes[index].definition.servedKeys)
      let isStandIn = nodes[index].isStandIn
      nodes[index].servedKeys.removeAll {
        !explicit.contains($0) && (taken.contains($0) || (isStandIn && given.contains($0)))
      }
    }
    return nodes
  }
}

extension GraphNode {
  /// A new component.
  init(_ owned: OwnedDefinition) {
    self.init(owned: owned, servedKeys: owned.definition.servedKeys)
  }

  /// A component that stands.
  init(_ member: Wiring.Member) {
    let component = member.component
    self.init(
      owned: OwnedDefinition(library: component.library, definition: component.definition),
      servedKeys: component.definition.servedKeys + component.automaticAliases,
      standing: member
    )
  }
}

extension ComponentContainer {
  /// Validates a graph and builds it, without putting it in force. Of a child's graph, that is what it creates itself; what
  /// it hands out for its parent is valid.
  ///
  /// - Parameters:
  ///   - own: this container's components, standing and new.
  ///   - base: the parent's graph.
  /// - Throws: ``ConfigurationError`` with every problem.
  func plan(_ own: [GraphNode], over base: Wiring?) throws -> Wiring {
    var nodes = own
    let firstPlace = base?.placeCount ?? 0
    for index in nodes.indices { nodes[index].place = firstPlace + index }
    if let base { nodes = Features.standIns(in: self, over: base, replacedBy: own) + nodes }
    nodes = Self.addAutomaticAliases(nodes, over: base)
    let validation = GraphValidation(nodes, over: base)
    guard validation.problems.isEmpty else { throw ConfigurationError(validation.problems) }
    return build(nodes, order: validation.order, over: base, placeCount: firstPlace + own.count)
  }

  private func build(_ nodes: [GraphNode], order: [Int], over base: Wiring?, placeCount: Int) -> Wiring {
    let container = WeakContainer(container: self)
    let replaced = base == nil ? [] : Set(nodes.compactMap(\.origin).map { ObjectIdentifier($0) })
    let builder = WiringBuilder(container, over: base, replacing: replaced, capacity: nodes.count)
    var own: [Wiring.Member] = []
    own.reserveCapacity(nodes.count)
    for index in order {
      // By index: copying a node counts up what it refers to.
      let component = installed(nodes[index], container)
      let slots = builder.build(
        component, servedKeys: nodes[index].servedKeys, place: nodes[index].place,
        refusal: nodes[index].refusal)
      own.append(
        .init(
          component: component, slots: slots, servedKeys: nodes[index].servedKeys,
          place: nodes[index].place, origin: nodes[index].origin))
    }
    return Wiring(builder, own: own, placeCount: placeCount)
  }

  /// Returns the component of a node: the existing one if this container has it already, otherwise a new one.
  private func installed(_ node: borrowing GraphNode, _ container: WeakContainer) -> InstalledComponent {
    if let standing = node.standing?.component, standing.life === life { return standing }
    return InstalledComponent(
      node.owned, life: life, container: container, automaticAliases: node.automaticAliases)
  }

  /// Adds the automatic aliases that no other component of the graph claims, and takes those away that a name has
  /// been given to since. A child's own come before its parent's.
  private static func addAutomaticAliases(_ nodes: [GraphNode], over base: Wiring?) -> [GraphNode] {
    guard nodes.contains(where: { !$0.owned.definition.automaticAliases.isEmpty }) else { return nodes }
    var taken = Set(nodes.flatMap(\.owned.definition.servedKeys))
    var claims: [ComponentKey: Int] = [:]
    for node in nodes where !node.isStandIn {
      for key in node.owned.definition.automaticAliases {
        claims[key, default: 0] += 1
        if base?.slot(key)?.component.definition.servedKeys.contains(key) == true { taken.insert(key) }
      }
    }
    var nodes = nodes
    var given: Set<ComponentKey> = []
    for index in nodes.indices where !nodes[index].isStandIn {
      if nodes[index].standing == nil {
        let aliases = nodes[index].owned.definition.automaticAliases.filter { claims[$0] == 1 }
        nodes[index].automaticAliases = aliases
        nodes[index].servedKeys += aliases
      }
      given.formUnion(nodes[index].servedKeys)
    }
    for index in nodes.indices {
      let explicit = Set(nodes[index].owned.definition.servedKeys)
      let isStandIn = nodes[index].isStandIn
      nodes[index].servedKeys.removeAll {
        !explicit.contains($0) && (taken.contains($0) || (isStandIn && given.contains($0)))
      }
    }
    return nodes
  }
}

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
  /// Validates a graph and builds it, without putting it in force.
  ///
  /// - Parameters:
  ///   - own: this container's components, standing and new.
  ///   - parent: the parent's graph.
  /// - Throws: ``ConfigurationError`` with every problem.
  func plan(_ own: [GraphNode], parent: Wiring?) throws -> Wiring {
    var nodes = own
    if let parent { nodes = inherited(from: parent, replacedBy: own) + own }
    nodes = Self.addAutomaticAliases(nodes)
    let validation = GraphValidation(nodes, inheritedKeys: parent.map { Set($0.slots.keys) } ?? [])
    guard validation.problems.isEmpty else { throw ConfigurationError(validation.problems) }
    return build(nodes, order: validation.order, parent: parent)
  }

  private func build(_ nodes: [GraphNode], order: [Int], parent: Wiring?) -> Wiring {
    let container = WeakContainer(container: self)
    let builder = WiringBuilder(
      container, inheriting: parent?.slots ?? [:], capacity: nodes.count)
    var own: [Wiring.Member] = []
    var inherited: [Wiring.Member] = []
    own.reserveCapacity(nodes.count)
    for index in order {
      // By index: copying a node counts up what it refers to.
      if nodes[index].isInherited, let member = nodes[index].standing {
        builder.contribute(member.slots.contributions, place: index)
        inherited.append(member.serving(nodes[index].servedKeys, place: index))
        continue
      }
      let component = installed(nodes[index], container)
      let slots = builder.build(
        component, servedKeys: nodes[index].servedKeys, refusal: nodes[index].refusal)
      builder.contribute(slots.contributions, place: index)
      own.append(
        .init(
          component: component, slots: slots, servedKeys: nodes[index].servedKeys, place: index,
          origin: nodes[index].origin))
    }
    return Wiring(
      own: own, inherited: inherited, slots: builder.slots, contributions: builder.allContributions)
  }

  /// The component of a node: the one that stands in this container, or a new one.
  private func installed(_ node: borrowing GraphNode, _ container: WeakContainer) -> InstalledComponent {
    if let standing = node.standing?.component, standing.life === life { return standing }
    return InstalledComponent(
      node.owned, life: life, container: container, automaticAliases: node.automaticAliases)
  }

  /// Adds the automatic aliases that no other component of the graph claims, and takes those away that a name has
  /// been given to since. A child's own come before its parent's.
  private static func addAutomaticAliases(_ nodes: [GraphNode]) -> [GraphNode] {
    guard nodes.contains(where: { !$0.owned.definition.automaticAliases.isEmpty }) else { return nodes }
    let taken = Set(nodes.flatMap(\.owned.definition.servedKeys))
    var claims: [ComponentKey: Int] = [:]
    for node in nodes where !node.isParents {
      for key in node.owned.definition.automaticAliases { claims[key, default: 0] += 1 }
    }
    var nodes = nodes
    var given: Set<ComponentKey> = []
    for index in nodes.indices where !nodes[index].isParents {
      if nodes[index].standing == nil {
        let aliases = nodes[index].owned.definition.automaticAliases.filter { claims[$0] == 1 }
        nodes[index].automaticAliases = aliases
        nodes[index].servedKeys += aliases
      }
      given.formUnion(nodes[index].servedKeys)
    }
    for index in nodes.indices {
      let explicit = Set(nodes[index].owned.definition.servedKeys)
      let isParents = nodes[index].isParents
      nodes[index].servedKeys.removeAll {
        !explicit.contains($0) && (taken.contains($0) || (isParents && given.contains($0)))
      }
    }
    return nodes
  }
}

// MARK: - Children

extension ComponentContainer {
  /// The parent's components as they take part here (R10): those that need something which this container replaces,
  /// directly or by others, are created anew for it; the others stay the parent's.
  private func inherited(from parent: Wiring, replacedBy own: [GraphNode]) -> [GraphNode] {
    let members = parent.members.sorted { $0.place < $1.place }
    let replaced = Set(own.flatMap(\.servedKeys))
    var changed = replaced
    var contributed = Set(own.flatMap(\.owned.definition.contributions))
    var isAffected = [Bool](repeating: false, count: members.count)
    var refusals = [WiringBuilder.Refusal?](repeating: nil, count: members.count)
    if let refusal {
      for (index, member) in members.enumerated() {
        isAffected[index] = true
        if !refusal.allows(member.component.definition) { refusals[index] = { refusal.refuse($0) } }
      }
    } else {
      // Until nothing more is affected: a provider may need what comes after it.
      var isChanging = true
      while isChanging {
        isChanging = false
        for (index, member) in members.enumerated() where !isAffected[index] {
          let definition = member.component.definition
          let isHit = definition.needs.contains { need in
            need.kind.takesContributions ? contributed.contains(need.key) : changed.contains(need.key)
          }
          guard isHit else { continue }
          isAffected[index] = true
          isChanging = true
          changed.formUnion(member.servedKeys)
          contributed.formUnion(definition.contributions)
        }
      }
    }
    let standing = currentMembers
    return members.enumerated().map { index, member in
      let component = member.component
      var node = GraphNode(
        owned: OwnedDefinition(library: component.library, definition: component.definition),
        servedKeys: member.servedKeys.filter { !replaced.contains($0) }
      )
      node.automaticAliases = component.automaticAliases
      if isAffected[index] {
        node.origin = component
        node.standing = standing[ObjectIdentifier(component)]
        node.refusal = refusals[index]
      } else {
        node.standing = member
        node.isInherited = true
      }
      return node
    }
  }

  /// What this container creates in the place of the parent's components, by those.
  private var currentMembers: [ObjectIdentifier: Wiring.Member] {
    var members: [ObjectIdentifier: Wiring.Member] = [:]
    for member in currentWiring.own {
      if let origin = member.origin { members[ObjectIdentifier(origin)] = member }
    }
    return members
  }
}

/// Which of its parent's components a container may create.
package struct RefusalPolicy: Sendable {
  private let allowed: Set<ObjectIdentifier>
  private let report: @Sendable (String) -> Void

  /// - Parameters:
  ///   - allowed: types whose components may be created, under whatever name.
  ///   - report: called with each component that is refused.
  package init(allowing allowed: [any Any.Type], report: @escaping @Sendable (String) -> Void) {
    self.allowed = Set(allowed.map { ObjectIdentifier($0) })
    self.report = report
  }

  func allows(_ definition: ComponentDefinition) -> Bool {
    definition.servedKeys.contains { allowed.contains($0.type) }
  }

  func refuse(_ key: ComponentKey) -> any Error {
    let error = ComponentError.notOverridden(key)
    report(error.description)
    return error
  }
}

extension ComponentContainer {
  /// The parent's components in whose place this container creates others (R10): those that need something which it
  /// replaces, directly or by others. They are in the parent's order.
  func standIns(for base: Wiring, replacedBy own: [GraphNode]) -> [GraphNode] {
    let replaced = Set(own.flatMap(\.servedKeys))
    let members =
      refusal == nil
      ? Self.affected(
        in: base, replacing: replaced, contributing: own.flatMap(\.owned.definition.contributions))
      : base.members
    let standing = currentMembers
    return members.sorted { $0.place < $1.place }.map { member in
      let component = member.component
      var node = GraphNode(
        owned: component.owned, servedKeys: member.servedKeys.filter { !replaced.contains($0) })
      node.place = member.place
      node.automaticAliases = component.automaticAliases
      node.origin = component
      node.standing = standing[ObjectIdentifier(component)]
      node.refusal = refusal?(component.definition)
      return node
    }
  }

  /// The components of a graph that need replaced keys, or what is contributed besides, directly or by others. Takes time
  /// in proportion to them and their keys.
  private static func affected(
    in base: Wiring, replacing replaced: Set<ComponentKey>, contributing contributions: [ComponentKey]
  ) -> [Wiring.Member] {
    struct Change: Hashable {
      let key: ComponentKey
      let isContribution: Bool
    }
    var changes = replaced.map { Change(key: $0, isContribution: false) }
    changes += contributions.map { Change(key: $0, isContribution: true) }
    var seen = Set(changes)
    var affected: [ObjectIdentifier: Wiring.Member] = [:]
    while let change = changes.popLast() {
      for member in base.members(needing: change.key, isCollected: change.isContribution)
      where affected.updateValue(member, forKey: ObjectIdentifier(member.component)) == nil {
        let next =
          member.servedKeys.map { Change(key: $0, isContribution: false) }
          + member.component.definition.contributions.map { Change(key: $0, isContribution: true) }
        changes += next.filter { seen.insert($0).inserted }
      }
    }
    return Array(affected.values)
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

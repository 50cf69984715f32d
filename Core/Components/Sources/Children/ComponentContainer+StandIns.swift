import TenonBasics

extension ComponentContainer {
  /// Returns nodes for the parent's components that this container creates itself (R10): those that need or
  /// decorate something that it replaces, directly or indirectly, in the parent's order. With a refusal rule,
  /// these are all components of the parent.
  ///
  /// - Parameters:
  ///   - base: the parent's graph.
  ///   - own: this container's own components.
  /// - Returns: the nodes. One whose component this container has created in place of the same component
  ///   before refers to it, so its instance is kept when the parent is updated.
  func standIns(for base: Wiring, replacedBy own: [GraphNode]) -> [GraphNode] {
    let replaced = Set(own.flatMap(\.servedKeys))
    let affected =
      refusal == nil
      ? Self.affected(in: base, replacing: replaced, contributing: own.flatMap(\.definition.contributions))
      : base.nodes
    let standing = currentStandIns
    return affected.ordered { $0.place < $1.place }.compactMap { original in
      guard let component = original.component else { return nil }
      var node = GraphNode(component).serving(original.servedKeys.filter { !replaced.contains($0) })
      node.place = original.place
      node.automaticAliases = component.automaticAliases
      node.inner = original.inner
      node.origin = component
      let declared = original.declared ?? component
      node.declared = declared
      node.component = standing[ObjectIdentifier(declared)]
      // What a test refuses is refused in the children of its stand-ins, too.
      node.refusal = if let refusal { refusal(component.definition) } else { original.refusal }
      return node
    }
  }

  /// Returns the components of a graph that need replaced keys or collections with new contributions,
  /// directly or indirectly: a traversal of the needs in reverse.
  ///
  /// The traversal begins with what is replaced. A component that needs something changed counts as changed
  /// itself, under each of its keys and contributions, because the parent's instance refers to what the
  /// parent has. So does a decorator of a changed component. A replaced key by itself doesn't change the
  /// decorators of the component that serves it: they are bound to that component. Each change is visited
  /// once, so the traversal ends in graphs with cycles, too, which providers can close.
  ///
  /// Complexity: O(*n*) in the number of these components and their keys.
  ///
  /// - Parameters:
  ///   - base: the graph.
  ///   - replaced: the keys that are replaced.
  ///   - contributions: the keys with new contributions.
  /// - Returns: the components, each once, in no particular order.
  private static func affected(
    in base: Wiring, replacing replaced: Set<ComponentKey>, contributing contributions: [ComponentKey]
  ) -> [GraphNode] {
    // The keys whose instance, and those whose collection of contributions, differs from the parent's; of
    // each, those that haven't been visited yet.
    var (changed, collected) = (replaced, Set(contributions))
    var (newlyChanged, newlyCollected) = (Array(changed), Array(collected))
    var affected: [ObjectIdentifier: GraphNode] = [:]
    while let (key, isCollected) = newlyChanged.popLast().map({ ($0, false) })
      ?? newlyCollected.popLast().map({ ($0, true) })
    {
      var found = base.nodes(needing: key, isCollected: isCollected)
      while let node = found.popLast() {
        guard let component = node.component,
          affected.updateValue(node, forKey: ObjectIdentifier(component)) == nil
        else { continue }
        found += base.nodes(decorating: component)
        newlyChanged += node.servedKeys.filter { changed.insert($0).inserted }
        newlyCollected += node.definition.contributions.filter { collected.insert($0).inserted }
      }
    }
    return Array(affected.values)
  }

  /// The components that this container creates in place of others, by the component of the container that
  /// declares it. The parent may create that component itself since an update, or no longer, and this
  /// container's instance remains.
  ///
  /// - Complexity: O(*n*) in the number of components that this container creates itself.
  private var currentStandIns: [ObjectIdentifier: InstalledComponent] {
    var components: [ObjectIdentifier: InstalledComponent] = [:]
    for node in currentWiring.own {
      if let declared = node.declared { components[ObjectIdentifier(declared)] = node.component }
    }
    return components
  }
}

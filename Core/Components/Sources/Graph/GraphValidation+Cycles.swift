extension GraphValidation {
  /// The greatest number of cycles that are described for each strongly connected component. The needs on
  /// further cycles are counted in one more problem.
  static var describedCycles: Int { 20 }

  /// Finds the order in which to build the graph, and every need that is part of a forbidden cycle (R2). Sets
  /// `order`, and adds the cycles to `problems`; if there are none, adds chains that are too long
  /// (``checkDepth(_:)``).
  ///
  /// Only needs that are met during creation are edges. Providers, factories and deferred needs are met
  /// later, so they may be part of cycles. Needs that the parent's graph meets aren't edges either: its
  /// components don't need those of a child.
  ///
  /// - Complexity: O(*n*) in the number of components and needs if there are no cycles.
  mutating func findOrder() {
    // The collections, numbered from the number of components on.
    var collections: [ComponentKey: Int] = [:]
    var collected: [ComponentKey] = []
    for index in nodes.indices {
      for need in nodes[index].needs where need.kind == .all && contributors[need.key] != nil {
        guard collections[need.key] == nil else { continue }
        collections[need.key] = nodes.count + collected.count
        collected.append(need.key)
      }
    }
    let search = DependencyOrder(count: nodes.count + collected.count) { index, add in
      guard index < nodes.count else {
        contributors[collected[index - nodes.count], default: []].forEach(add)
        return
      }
      for need in nodes[index].needs {
        switch need.kind {
        case .required, .optional:
          if let provider = provider(of: need.key, for: index) { add(provider) }
        case .all: if let collection = collections[need.key] { add(collection) }
        default: break
        }
      }
    }
    order = collected.isEmpty ? search.order : search.order.filter { $0 < nodes.count }
    for tangle in search.tangles { describe(tangle, of: search, collected) }
    if search.tangles.isEmpty { checkDepth(search) }
  }

  /// Adds the problems of a strongly connected component: first the components that collect themselves, then
  /// the other cycles up to ``describedCycles``, then the number of the needs that remain.
  ///
  /// - Parameters:
  ///   - tangle: its nodes. A node that isn't a component is a collection.
  ///   - search: the graph.
  ///   - collected: the keys of the collections, in the order of their nodes.
  private mutating func describe(_ tangle: [Int], of search: DependencyOrder, _ collected: [ComponentKey]) {
    var cycles = CycleSearch(tangle, in: search)
    for collection in tangle where collection >= nodes.count {
      let members = cycles.selfCollectors(of: collection)
      if !members.isEmpty { problems.append(selfCollection(members, collected[collection - nodes.count])) }
    }
    for cycle in cycles.cycles(limit: Self.describedCycles) {
      problems.append(self.cycle(cycle.filter { $0 < nodes.count }))
    }
    let rest = cycles.unreported
    guard rest > 0 else { return }
    let members = tangle.filter { $0 < nodes.count }
    let named = members.prefix(3).map(place).joined(separator: ", ")
    let others = members.count > 3 ? " and \(members.count - 3) others" : ""
    problems.append(
      .init(
        .cycle,
        "\(rest) further needs among these \(members.count) components lie on cycles as well: \(named)\(others).",
        repairs: ["Break the cycles above first; then the rest are reported."],
        place: members.first.map { nodes[$0].definition.place }
      ))
  }

  /// Returns the key of a node and its library, for messages: `Greeter (greeting 1.0.0)`.
  ///
  /// - Parameter index: the index of the node in `nodes`.
  func place(_ index: Int) -> String { place(nodes[index]) }

  /// Returns the key of a node and its library, for messages; also for a node of the parent's graph.
  func place(_ node: GraphNode) -> String { "\(node.definition.key) (\(title(node)))" }

  /// Returns the problem of components that need each other, whose message contains the whole path.
  ///
  /// - Parameter members: the components of the cycle, in order, without collections; the first isn't
  ///   repeated.
  private func cycle(_ members: [Int]) -> ConfigurationError.Problem {
    let names = (members + members.prefix(1)).map(place)
    return problem(
      .cycle,
      "Components need each other in a cycle: \(names.joined(separator: " → ")).",
      repairs: [
        "Declare one of these needs as .provider(…) and ask it after creation.",
        "Set one of them in .onCreate, when all of them exist.",
      ],
      at: members
    )
  }

  /// Returns the problem of components that contribute to a collection that they need: one problem per
  /// collection, however many components there are.
  ///
  /// - Parameters:
  ///   - members: the components; at least one.
  ///   - key: the key of the collection.
  private func selfCollection(_ members: [Int], _ key: ComponentKey) -> ConfigurationError.Problem {
    let subject =
      members.count == 1
      ? "\(place(members[0])) contributes to \(key) and needs .all(\(key.reference)), so it needs itself."
      : "\(members.count) components contribute to \(key) and need .all(\(key.reference)), so each of them needs "
        + "itself: \(members.map(place).joined(separator: ", "))."
    return problem(
      .cycle,
      subject,
      repairs: [
        "Declare the need as .allProvider(\(key.reference)) and ask it after creation.",
        "Contribute under another type or name than the one that is collected.",
      ],
      at: members
    )
  }
}

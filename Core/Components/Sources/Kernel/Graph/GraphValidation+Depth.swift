internal import TenonThreads

extension GraphValidation {
  /// Returns the maximum length of a chain of `.unique` components that need each other. Each is created on the stack, inside
  /// the creation of the previous one. Chains of components of other scopes may have any length; see `createNeeds`.
  ///
  /// - Parameter stack: the size of a thread's stack in bytes.
  static func greatestDepth(stack: Int) -> Int { stack / 2 / bytesPerCreation }

  /// The limit for threads with a stack of the default size.
  static let greatestDepth = greatestDepth(stack: Int(tenon_thread_stack_size()))

  /// The stack space in bytes that a creation uses before the next one begins: measured, with a margin. Half of the stack is
  /// reserved for the caller and for the last creation.
  static var bytesPerCreation: Int {
    #if DEBUG
      4_096
    #else
      1_024
    #endif
  }

  /// Finds the longest chain of `.unique` components, and rejects it if creating it would overflow the stack of a thread
  /// (P3).
  ///
  /// - Parameter graph: the graph, which must have no cycles.
  mutating func checkDepth(_ graph: DependencyOrder) {
    // By node. A collection adds nothing to the depth of its contributors.
    var depth = [Int](repeating: 0, count: graph.order.count)
    var deepest = 0
    for node in graph.order {
      let isComponent = node < nodes.count
      guard !isComponent || nodes[node].definition.scope == .unique else { continue }
      let needed = graph.needs(of: node).reduce(inheritedChain(of: node)?.depth ?? 0) { max($0, depth[$1]) }
      depth[node] = needed + (isComponent ? 1 : 0)
      if depth[node] > depth[deepest] { deepest = node }
    }
    guard !depth.isEmpty, depth[deepest] > Self.greatestDepth else { return }
    var chain = [deepest]
    while let last = chain.last, let next = graph.needs(of: last).max(by: { depth[$0] < depth[$1] }),
      depth[next] > 0, depth[next] >= inheritedChain(of: last)?.depth ?? 0
    {
      chain.append(next)
    }
    var links = chain.filter { $0 < nodes.count }.map { nodes[$0] }
    var rest = chain.last.flatMap(inheritedChain)
    while let link = rest {
      links.append(GraphNode(link.component))
      rest = link.next.flatMap { base?.uniqueChain(from: $0) }
    }
    refuse(links, at: chain.filter { $0 < nodes.count })
  }

  /// Returns the longest chain of the parent's components that a node of this graph begins to create.
  private func inheritedChain(of node: Int) -> UniqueChain? {
    guard let base, node < nodes.count else { return nil }
    return nodes[node].needs.flatMap { need -> [any AnySlot] in
      switch need.kind {
      case .required, .optional:
        provider(of: need.key, for: node) == nil ? base.slot(need.key).map { [$0] } ?? [] : []
      case .all: base.contributions(to: need.key)
      default: []
      }
    }.compactMap { base.uniqueChain(from: $0.component) }.max { $0.depth < $1.depth }
  }

  /// Adds the problem of a chain that is too long.
  ///
  /// - Parameters:
  ///   - chain: the components, each needing the next.
  ///   - members: the nodes of the chain that belong to this graph.
  private mutating func refuse(_ chain: [GraphNode], at members: [Int]) {
    let (middle, next) = (chain[chain.count / 2 - 1], chain[chain.count / 2])
    problems.append(
      problem(
        .depth,
        "\(place(chain[0])) needs \(place(chain[chain.count - 1])) through a chain of \(chain.count) .unique "
          + "components. Creating them inside each other would overflow the stack of a thread; at most "
          + "\(Self.greatestDepth) can be created.",
        repairs: [
          "Break the chain: give one of them the scope .shared, or declare a need as .provider(…), for example that of "
            + "\(middle.definition.key) for \(next.definition.key), and ask it after creation."
        ],
        at: members.count < 4
          ? members
          : [
            members[0], members[members.count / 2 - 1], members[members.count / 2],
            members[members.count - 1],
          ]
      ))
  }
}

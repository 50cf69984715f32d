internal import TenonThreads

extension GraphValidation {
  /// Returns the maximum length of a chain of `.unique` components that need each other. Each is created on
  /// the stack, inside the creation of the previous one. Chains of components of other scopes may have any
  /// length; see ``StackUse``.
  ///
  /// - Parameter stack: the size of a thread's stack in bytes.
  /// - Returns: the number of components: 4,096 for a stack of 8 MiB, or 1,024 in debug builds.
  static func greatestDepth(stack: Int) -> Int { stack / 2 / bytesPerCreation }

  /// The limit for threads with a stack of the default size, which is read once per process.
  static let greatestDepth = greatestDepth(stack: Int(tenon_thread_stack_size()))

  /// The stack space in bytes that a creation uses before the next one begins: measured, with a margin. Half
  /// of the stack is reserved for the caller, for the last creation and for ``StackUse/allowance``.
  static var bytesPerCreation: Int {
    #if DEBUG
      4_096
    #else
      1_024
    #endif
  }

  /// Finds the longest chain of `.unique` components, and rejects it if creating it would overflow the stack
  /// of a thread (P3). At most one problem is added, for the longest chain.
  ///
  /// The depth of a node is the length of the longest chain that begins with it. `order` visits what a node
  /// needs first, so one pass computes it: 1 more than the greatest depth of its needs. A component of
  /// another scope ends a chain; its depth is 0, so the chains that it separates are limited separately. If
  /// they are long, what it needs is created before the chain that needs it begins (``StackUse``). A chain
  /// may continue with components of the parent's graph, whose slots have their depths.
  ///
  /// - Parameter graph: the graph, which must have no cycles.
  /// - Complexity: O(*n*) in the number of nodes and needs. In a child, a need for contributions of the
  ///   parent counts once for each of them.
  mutating func checkDepth(_ graph: DependencyOrder) {
    // By node. A collection adds nothing to the depth of its contributors.
    var depth = [Int32](repeating: 0, count: graph.order.count)
    var deepest = 0
    for node in graph.order {
      let isComponent = node < nodes.count
      guard !isComponent || nodes[node].definition.scope == .unique else { continue }
      let needed = graph.needs(of: node).reduce(inheritedChain(of: node)?.stackUse.chain ?? 0) {
        max($0, depth[$1])
      }
      depth[node] = needed + (isComponent ? 1 : 0)
      if depth[node] > depth[deepest] { deepest = node }
    }
    guard !depth.isEmpty, depth[deepest] > Self.greatestDepth else { return }
    var chain = [deepest]
    while let last = chain.last, let next = graph.needs(of: last).max(by: { depth[$0] < depth[$1] }),
      depth[next] > 0, depth[next] >= inheritedChain(of: last)?.stackUse.chain ?? 0
    {
      chain.append(next)
    }
    var links = chain.filter { $0 < nodes.count }.map { nodes[$0] }
    var rest = chain.last.flatMap(inheritedChain)
    while let link = rest {
      if link.isSource { links.append(GraphNode(link.component)) }
      rest = link.needs.map(\.slot).longestChain
    }
    refuse(links, at: chain.filter { $0 < nodes.count })
  }

  /// Returns the longest chain of the parent's components that a node of this graph begins to create.
  ///
  /// - Parameter node: the node. A collection begins none: its contributors in the parent are counted for
  ///   those that need it.
  /// - Returns: the slot of its first component; `nil` if the node needs no `.unique` component of the
  ///   parent, or if there is no parent.
  private func inheritedChain(of node: Int) -> (any AnySlot)? {
    guard let base, node < nodes.count else { return nil }
    return nodes[node].needs.flatMap { need -> [any AnySlot] in
      switch need.kind {
      case .required, .optional:
        provider(of: need.key, for: node) == nil ? inherited(need.key, for: node).map { [$0] } ?? [] : []
      case .all: base.contributions(to: need.key)
      default: []
      }
    }.longestChain
  }

  /// Adds the problem of a chain that is too long. The message names its ends and its length, and the repair
  /// the two components in its middle, where breaking the chain halves it.
  ///
  /// - Parameters:
  ///   - chain: the components, each needing the next; at least two.
  ///   - members: the nodes of the chain that belong to this graph. Of a long chain, only the ends and the
  ///     middle are shown.
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

extension [any AnySlot] {
  /// The slot with which the longest chain of `.unique` components begins; `nil` if there is no such
  /// component.
  fileprivate var longestChain: (any AnySlot)? {
    filter(\.isUnique).max { $0.stackUse.chain < $1.stackUse.chain }
  }
}

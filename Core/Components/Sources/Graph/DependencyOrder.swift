import TenonBasics

/// The order in which to create the nodes of a graph: its components, followed by the collections that `.all`
/// needs request. A collection is a separate node, so that the number of edges between its contributors and
/// its collectors is the sum, not the product, of their numbers.
///
/// Nodes are numbered from 0; an edge leads from a node to one that it needs. The order and the cycles are
/// found in one depth-first search, by Tarjan's algorithm for strongly connected components (R. Tarjan,
/// *Depth-First Search and Linear Graph Algorithms*, SIAM Journal on Computing 1(2), 1972).
struct DependencyOrder {
  /// Every node once. Each comes after everything that it needs, unless the two are on a cycle. The search
  /// starts from the nodes in ascending order.
  private(set) var order: [Int] = []
  /// The strongly connected components with cycles, each sorted, ordered by their first nodes. A component
  /// has a cycle if it has several nodes, or one that needs itself. Empty if and only if the graph has no
  /// cycle.
  private(set) var tangles: [[Int]] = []
  // Adjacency lists in one array: node `n` needs the nodes `targets[starts[n]..<starts[n + 1]]`.
  private let starts: [Int]
  private let targets: [Int]

  /// Orders the nodes of a graph.
  ///
  /// - Parameters:
  ///   - count: the number of nodes.
  ///   - needed: calls its second argument with each node that the given one needs. Called once per node, in
  ///     ascending order; a node that is added twice counts as one need in cycles.
  /// - Complexity: O(*n*) in the number of nodes and needs, apart from sorting the members of cycles.
  init(count: Int, needed: (_ node: Int, _ add: (Int) -> Void) -> Void) {
    var starts = [0]
    var targets: [Int] = []
    starts.reserveCapacity(count + 1)
    targets.reserveCapacity(count)
    for node in 0..<count {
      needed(node) { targets.append($0) }
      starts.append(targets.count)
    }
    self.starts = starts
    self.targets = targets
    search()
  }

  /// Returns the nodes that a node needs, in the order in which they were added.
  func needs(of node: Int) -> ArraySlice<Int> { targets[starts[node]..<starts[node + 1]] }

  /// Fills `order` and `tangles`. The search keeps its own stack, because a chain of components may be longer
  /// than a thread's stack permits.
  ///
  /// A node is open from its first visit until its strongly connected component is complete. `number` is the
  /// position in the order of first visits, and `lowest` the lowest number of an open node that is known to
  /// be reachable. When everything that a node needs has been searched, the node is appended to `order`. If
  /// its `lowest` is its own number, no node that was visited before it belongs to its component, so the
  /// component consists of the nodes that were opened since.
  ///
  /// - Complexity: O(*n*) in the number of nodes and needs, apart from sorting the members of cycles.
  private mutating func search() {
    let count = starts.count - 1
    order.reserveCapacity(count)
    var number = [Int](repeating: -1, count: count)
    var lowest = [Int](repeating: 0, count: count)
    var isOpen = [Bool](repeating: false, count: count)
    var open: [Int] = []
    var path: [(node: Int, next: Int)] = []
    var reached = 0
    /// Visits a node for the first time: numbers it, opens it, and continues the search with what it needs.
    func enter(_ node: Int) {
      number[node] = reached
      lowest[node] = reached
      reached += 1
      isOpen[node] = true
      open.append(node)
      path.append((node, starts[node]))
    }
    for start in 0..<count where number[start] < 0 {
      enter(start)
      while let (node, next) = path.last {
        if next < starts[node + 1] {
          path[path.count - 1].next += 1
          let target = targets[next]
          if number[target] < 0 {
            enter(target)
          } else if isOpen[target] {
            lowest[node] = min(lowest[node], number[target])
          }
          continue
        }
        path.removeLast()
        if let outer = path.last?.node { lowest[outer] = min(lowest[outer], lowest[node]) }
        order.append(node)
        guard lowest[node] == number[node] else { continue }
        var members: [Int] = []
        while let member = open.popLast() {
          isOpen[member] = false
          members.append(member)
          if member == node { break }
        }
        if members.count > 1 || needs(of: node).contains(node) { tangles.append(members.ordered()) }
      }
    }
    tangles = tangles.ordered { $0[0] < $1[0] }
  }
}

/// Enumerates the cycles of a strongly connected component, so that each need on a cycle is reported.
///
/// Every need between two members lies on a cycle, because the component contains a path back. A need that
/// isn't part of a reported cycle is therefore completed with the shortest such path.
struct CycleSearch {
  /// A need on a cycle.
  private struct Edge: Hashable { let from: Int, to: Int }

  private let graph: DependencyOrder
  /// The nodes of the strongly connected component, sorted.
  private let members: [Int]
  /// The same nodes, to determine whether a need stays within the component.
  private let isMember: Set<Int>
  /// The needs that are part of a cycle that was returned.
  private var reported: Set<Edge> = []

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - members: the nodes of the strongly connected component, sorted.
  ///   - graph: the graph.
  init(_ members: [Int], in graph: DependencyOrder) {
    self.graph = graph
    self.members = members
    isMember = Set(members)
  }

  /// Returns the needs of a node within the component.
  private func needs(of node: Int) -> [Int] { graph.needs(of: node).filter(isMember.contains) }

  /// Returns the members that `collection` collects and that need it themselves. These cycles count as
  /// reported, so ``cycles(limit:)`` doesn't return them.
  ///
  /// - Parameter collection: the node of the collection, a member of the component.
  /// - Returns: the contributors, in order of contribution; empty if none of them needs the collection
  ///   directly.
  mutating func selfCollectors(of collection: Int) -> [Int] {
    let found = needs(of: collection).filter { graph.needs(of: $0).contains(collection) }
    for member in found {
      reported.insert(Edge(from: collection, to: member))
      reported.insert(Edge(from: member, to: collection))
    }
    return found
  }

  /// Finds cycles until every need on a cycle is part of a reported one. A graph can have exponentially many
  /// cycles; each one that this returns contains at least one need that no earlier one did, so there are at
  /// most as many as there are needs.
  ///
  /// - Parameter limit: the greatest number of cycles to return.
  /// - Returns: each cycle from its lowest node, which isn't repeated at the end.
  /// - Complexity: O((1 + *c*) · *n*) for *c* returned cycles and *n* needs within the component.
  mutating func cycles(limit: Int) -> [[Int]] {
    var cycles: [[Int]] = []
    for node in members {
      for target in needs(of: node) where cycles.count < limit {
        guard !reported.contains(Edge(from: node, to: target)) else { continue }
        let cycle = [node] + shortestPath(from: target, to: node).dropLast()
        for (from, to) in zip(cycle, cycle.dropFirst() + [node]) { reported.insert(Edge(from: from, to: to)) }
        let lowest = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
        cycles.append(Array(cycle[lowest...] + cycle[..<lowest]))
      }
    }
    return cycles
  }

  /// The number of needs on cycles that weren't reported. Several needs of one member for the same node count
  /// once.
  var unreported: Int {
    members.reduce(0) { sum, node in
      sum + Set(needs(of: node)).count { !reported.contains(Edge(from: node, to: $0)) }
    }
  }

  /// Returns the nodes of a shortest path, both ends included, found by breadth-first search. There is a path
  /// between any two members.
  ///
  /// - Parameters:
  ///   - start: the member to start from.
  ///   - end: the member to reach. If it equals `start`, the path consists of that node only.
  /// - Complexity: O(*n*) in the number of needs within the component.
  private func shortestPath(from start: Int, to end: Int) -> [Int] {
    var cameFrom = [start: start]
    var queue = [start]
    var index = 0
    while cameFrom[end] == nil, index < queue.count {
      for next in needs(of: queue[index]) where cameFrom[next] == nil {
        cameFrom[next] = queue[index]
        queue.append(next)
      }
      index += 1
    }
    var path = [end]
    while let last = path.last, last != start, let before = cameFrom[last] { path.append(before) }
    return path.reversed()
  }
}

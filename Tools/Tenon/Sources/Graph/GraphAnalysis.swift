import TenonCore

/// What follows from a graph: who needs a component, what the longest path is, and why a component is there.
///
/// Components are numbered by their index in the graph. A graph that has problems is analyzed as well: a
/// provider that the graph doesn't contain is skipped, and a need that closes a cycle doesn't lengthen a
/// path.
struct GraphAnalysis {
  /// For each component the components that meet its needs, without duplicates, in the order of the needs.
  let needed: [[Int]]
  /// For each component the components that need it, in ascending order. Their number is its fan-in.
  let dependents: [[Int]]
  /// For each component the length of the longest path that starts with it: 1 if it needs nothing that the
  /// graph contains.
  let depths: [Int]
  /// The longest path, each component followed by one that it needs; empty if the graph is. Of several the
  /// first.
  let longestPath: [Int]
  /// For each component the previous one on a shortest path from an origin; `nil` for an origin, and for a
  /// component that can't be reached from one because it is only needed within a cycle. An origin is a
  /// component that is eager or that nothing needs.
  let reasons: [Int?]
  /// Whether a component is an origin.
  let isOrigin: [Bool]
  /// The indices of the components by name. Of several with one name, the first.
  let indices: [String: Int]

  /// Analyses a graph.
  ///
  /// - Complexity: O(*n*) in the number of components and needs.
  init(_ graph: ComponentGraph) {
    let count = graph.components.count
    let indices = Dictionary(
      graph.components.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let needed = graph.components.map { component in
      var seen: Set<Int> = []
      return component.needs.flatMap(\.providers).compactMap { indices[$0] }
        .filter { seen.insert($0).inserted }
    }
    var dependents = Array(repeating: [Int](), count: count)
    for (index, targets) in needed.enumerated() {
      for target in targets { dependents[target].append(index) }
    }
    self.indices = indices
    self.needed = needed
    self.dependents = dependents
    (depths, longestPath) = Self.paths(needed)
    let isOrigin = graph.components.indices.map {
      graph.components[$0].timing.hasPrefix("eager") || dependents[$0].isEmpty
    }
    self.isOrigin = isOrigin
    reasons = Self.reasons(needed, isOrigin)
  }

  /// The components that others need, by descending fan-in, and in the order of the graph where it is equal.
  var mostNeeded: [Int] {
    dependents.indices.filter { !dependents[$0].isEmpty }
      .sorted { (dependents[$1].count, $0) < (dependents[$0].count, $1) }
  }

  /// Returns the depths and the longest path, found in a depth-first search without recursion, because a path
  /// can be as long as the graph is large.
  private static func paths(_ needed: [[Int]]) -> (depths: [Int], longest: [Int]) {
    var depths = Array(repeating: 0, count: needed.count)  // 0 until the search has left a component
    var next = Array(repeating: Int?.none, count: needed.count)
    var position = Array(repeating: -1, count: needed.count)  // of the need to follow; -1 until entered
    for start in needed.indices where position[start] < 0 {
      var stack = [start]
      position[start] = 0
      while let top = stack.last {
        if position[top] < needed[top].count {
          let target = needed[top][position[top]]
          position[top] += 1
          if position[target] < 0 {
            position[target] = 0
            stack.append(target)
          }
        } else {
          // A need of depth 0 is on the stack, so it closes a cycle.
          for target in needed[top] where depths[target] > (next[top].map { depths[$0] } ?? 0) {
            next[top] = target
          }
          depths[top] = 1 + (next[top].map { depths[$0] } ?? 0)
          stack.removeLast()
        }
      }
    }
    guard let deepest = depths.max(), let start = depths.firstIndex(of: deepest) else { return ([], []) }
    var longest = [start]
    while let following = next[longest[longest.count - 1]] { longest.append(following) }
    return (depths, longest)
  }

  /// Returns the previous component on a shortest path from an origin, found in a breadth-first search.
  private static func reasons(_ needed: [[Int]], _ isOrigin: [Bool]) -> [Int?] {
    var reasons = Array(repeating: Int?.none, count: needed.count)
    var seen = isOrigin
    var queue = isOrigin.indices.filter { isOrigin[$0] }
    var head = 0
    while head < queue.count {
      for target in needed[queue[head]] where !seen[target] {
        seen[target] = true
        reasons[target] = queue[head]
        queue.append(target)
      }
      head += 1
    }
    return reasons
  }
}

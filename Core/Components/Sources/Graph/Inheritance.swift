/// An index of a graph's components for the graphs of its children, so that creating a child doesn't examine
/// each of them.
///
/// Belongs to one ``Wiring``, which creates it when the first child is planned. It contains that graph's own
/// components only; those of its parent are in the parent's index.
struct Inheritance: Sendable {
  /// The components that need a key, in any form that doesn't collect contributions, by key. The components
  /// are indices in `Wiring.own`.
  private(set) var dependents: [ComponentKey: [Int]] = [:]
  /// The components that need the contributions to a key, or a provider of them, by key. The components are
  /// indices in `Wiring.own`.
  private(set) var collectors: [ComponentKey: [Int]] = [:]

  /// Indexes a graph.
  ///
  /// - Parameter wiring: the graph.
  /// - Complexity: O(*n*) in the number of the graph's own components and their needs.
  init(of wiring: Wiring) {
    for (index, node) in wiring.own.enumerated() {
      for need in node.definition.needs {
        if need.kind.takesContributions {
          collectors[need.key, default: []].append(index)
        } else {
          dependents[need.key, default: []].append(index)
        }
      }
    }
  }
}

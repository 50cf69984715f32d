/// An index of a graph's components for the graphs of its children, so that creating a child doesn't examine
/// each of them.
///
/// Belongs to one ``Wiring``, which creates it when the first child is planned. It contains that graph's own
/// components only; those of its parent are in the parent's index.
struct Inheritance: Sendable {
  /// The components that need a key, in any form that doesn't collect contributions, by key. The components
  /// are indices in `Wiring.own`. A decorator doesn't need the key that it decorates, but a component.
  private(set) var dependents: [ComponentKey: [Int]] = [:]
  /// The components that need the contributions to a key, or a provider of them, by key. The components are
  /// indices in `Wiring.own`.
  private(set) var collectors: [ComponentKey: [Int]] = [:]

  /// The components that decorate a component, by its identity. The components are indices in `Wiring.own`.
  private(set) var decorators: [ObjectIdentifier: [Int]] = [:]

  /// Indexes a graph.
  ///
  /// - Parameter wiring: the graph.
  /// - Complexity: O(*n*) in the number of the graph's own components and their needs.
  init(of wiring: Wiring) {
    for (index, node) in wiring.own.enumerated() {
      for need in node.definition.needs {
        if need.kind.takesContributions {
          collectors[need.key, default: []].append(index)
        } else if node.inner[need.key] == nil || !need.kind.isOfInstance {
          dependents[need.key, default: []].append(index)
        }
      }
      for case .built(let slot) in node.inner.values {
        decorators[ObjectIdentifier(slot.component), default: []].append(index)
      }
    }
  }
}

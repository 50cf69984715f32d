/// An index of a graph's components for the graphs of its children, so that creating a child doesn't examine each of
/// them.
///
/// Belongs to one ``Wiring``, which creates it when the first child is planned. It contains that graph's own components
/// only; those of its parent are in the parent's index.
struct Inheritance: Sendable {
  /// The components that need a key, in any form that doesn't collect contributions, by key. The components are indices
  /// in `Wiring.own`.
  private(set) var dependents: [ComponentKey: [Int]] = [:]
  /// The components that need the contributions to a key, or a provider of them, by key. The components are indices in
  /// `Wiring.own`.
  private(set) var collectors: [ComponentKey: [Int]] = [:]
  /// The longest chain of `.unique` components that begins with each component, by the component's identity, which is
  /// valid as long as the graph. Components of other scopes have no entry.
  private(set) var chains: [ObjectIdentifier: UniqueChain] = [:]

  /// Indexes a graph.
  ///
  /// The components are visited in dependency order, so the chains of everything that a component needs are known when
  /// its own is computed.
  ///
  /// - Parameter wiring: the graph.
  /// - Complexity: O(*n*) in the number of the graph's own components and their needs. A need of a `.unique` component
  ///   for contributions counts once for each of them.
  init(of wiring: Wiring) {
    for (index, source) in wiring.sources.enumerated() {
      let component = source.component
      for need in component.definition.needs {
        if need.kind.takesContributions {
          collectors[need.key, default: []].append(index)
        } else {
          dependents[need.key, default: []].append(index)
        }
      }
      // Each component follows what it needs.
      guard component.definition.scope == .unique else { continue }
      var longest: UniqueChain?
      for slot in wiring.slotsOfNeeds(of: source) {
        let needed = slot.component
        let chain = chains[ObjectIdentifier(needed)] ?? wiring.base?.uniqueChain(from: needed)
        if let chain, chain.depth > longest?.depth ?? 0 { longest = chain }
      }
      chains[ObjectIdentifier(component)] = UniqueChain(
        component: component, depth: (longest?.depth ?? 0) + 1, next: longest?.component)
    }
  }
}

/// A chain of `.unique` components, each needed by the previous one. It contains its first two components; the rest
/// follows from the chain of the second one.
struct UniqueChain: Sendable {
  /// The first component.
  let component: InstalledComponent
  /// The length of the chain: 1 for a component that needs no other `.unique` component.
  let depth: Int
  /// The second component; `nil` at the end of the chain.
  let next: InstalledComponent?
}

extension Wiring {
  /// Returns the slots whose instances the creation of a slot's instance requests, in that order.
  ///
  /// - Parameter slot: the slot in which the instance is created.
  /// - Returns: the slots; empty if the creation only throws, because a test rejects the component.
  func slotsOfNeeds(of slot: any AnySlot) -> [any AnySlot] {
    slot.isRefused ? [] : slot.component.definition.needs.flatMap { slots(for: $0, of: slot.component) }
  }

  /// Returns the slots whose instances the creation of a component requests to meet a need; none for a need that is met after
  /// creation.
  ///
  /// - Parameters:
  ///   - need: the need.
  ///   - component: the component that declares it.
  func slots(for need: Need, of component: InstalledComponent) -> [any AnySlot] {
    switch need.kind {
    case .required, .optional:
      // A child's component that needs the key it overrides receives the parent's instance.
      let found = slot(need.key)
      let slot = found?.component === component ? base?.slot(need.key) : found
      return slot.map { [$0] } ?? []
    case .all: return contributions(to: need.key)
    default: return []
    }
  }
}

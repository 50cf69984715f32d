/// An index of a graph's components for the graphs of its children, so that creating a child doesn't examine each of them.
struct Inheritance: Sendable {
  /// The indices of the components that need a key's instance or a provider of it.
  private(set) var dependents: [ComponentKey: [Int]] = [:]
  /// The indices of the components that need the contributions to a key.
  private(set) var collectors: [ComponentKey: [Int]] = [:]
  /// The longest chain of `.unique` components that begins with each component.
  private(set) var chains: [ObjectIdentifier: UniqueChain] = [:]

  /// Indexes a graph. Complexity: O(*n*) in the number of the graph's own components and their needs.
  ///
  /// - Parameter wiring: the graph.
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

/// A chain of `.unique` components, each needed by the previous one.
struct UniqueChain: Sendable {
  /// The first component.
  let component: InstalledComponent
  /// The length of the chain.
  let depth: Int
  /// The second component.
  let next: InstalledComponent?
}

extension Wiring {
  /// Returns the slots whose instances the creation of a slot's instance requests, in that order.
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

/// What a graph knows of its components for those that lie over it, so that a child doesn't have to look at each of them.
struct Inheritance: Sendable {
  /// The components, as indices of the graph's own, that need a key: its instance, or a provider of it.
  private(set) var dependents: [ComponentKey: [Int]] = [:]
  /// The same for components that need the contributions to a key.
  private(set) var collectors: [ComponentKey: [Int]] = [:]
  /// The longest row of `.unique` components that begins with each.
  private(set) var chains: [ObjectIdentifier: UniqueChain] = [:]

  /// Takes time in proportion to the graph's own components and their needs.
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
      // What it needs stands before it.
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

/// A row of `.unique` components, each needed by the one before.
struct UniqueChain: Sendable {
  /// The first.
  let component: InstalledComponent
  /// How many there are.
  let depth: Int
  /// The second.
  let next: InstalledComponent?
}

extension Wiring {
  /// The slots whose instances the creation of a slot's instance asks for, in that order.
  func slotsOfNeeds(of slot: any AnySlot) -> [any AnySlot] {
    slot.isRefused ? [] : slot.component.definition.needs.flatMap { slots(for: $0, of: slot.component) }
  }

  /// The slots whose instances the creation of a component asks for to meet a need.
  func slots(for need: Need, of component: InstalledComponent) -> [any AnySlot] {
    switch need.kind {
    case .required, .optional:
      // A child's component that needs what it overrides needs the parent's.
      let found = slot(need.key)
      let slot = found?.component === component ? base?.slot(need.key) : found
      return slot.map { [$0] } ?? []
    case .all: return contributions(to: need.key)
    default: return []
    }
  }
}

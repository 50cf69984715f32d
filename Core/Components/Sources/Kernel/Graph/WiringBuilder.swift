/// Makes the slots of a graph, dependencies first, so that each can be bound to the slots that it needs.
@usableFromInline
final class WiringBuilder {
  let container: WeakContainer
  /// The parent's graph, in which is looked for what hasn't been built here.
  let base: Wiring?
  /// The parent's components in whose place others are built.
  let replaced: Set<ObjectIdentifier>
  /// What has been built so far.
  private(set) var slots: [ComponentKey: any AnySlot] = [:]
  /// The contributions to the keys to which something was built, the parent's included.
  private var contributions: [ComponentKey: Contributions] = [:]
  /// Set while slots are built that refuse to create.
  private(set) var refusal: Refusal?
  // Of the component that is being built.
  private var servedKeys: [ComponentKey] = []
  private var place = 0

  /// Says why a component may not be created.
  typealias Refusal = @Sendable (ComponentKey) -> any Error

  init(
    _ container: WeakContainer, over base: Wiring?, replacing replaced: Set<ObjectIdentifier> = [],
    capacity: Int = 0
  ) {
    self.container = container
    self.base = base
    self.replaced = replaced
    slots.reserveCapacity(capacity)
  }

  /// Builds the slots of a component, which are found from then on.
  ///
  /// - Returns: the slot in which the instance is created.
  func build(_ component: InstalledComponent, as node: borrowing GraphNode) -> any AnySlot {
    refusal = node.refusal
    servedKeys = node.servedKeys
    place = node.place
    let source = component.definition.typed.makeSlots(of: component, in: self)
    if component.definition.isServed { addService(source) }
    return source
  }

  /// Adds a slot under which the component that is being built is served, unless another component has its key.
  func addService(_ slot: any AnySlot) {
    if servedKeys.contains(slot.key) { slots[slot.key] = slot }
  }

  /// Adds a contribution of the component that is being built.
  func addContribution(_ slot: any AnySlot) {
    if contributions[slot.key] == nil { contributions[slot.key] = inherited(slot.key) }
    contributions[slot.key]?.add(slot, at: place)
  }

  private func inherited(_ key: ComponentKey) -> Contributions {
    var inherited = base?.allContributions(to: key) ?? Contributions()
    inherited.removeAll { replaced.contains(ObjectIdentifier($0.component)) }
    return inherited
  }

  /// The slot of a key among what has been built.
  @usableFromInline func slot<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) -> Slot<Value>? {
    (slots[key] ?? base?.slot(key))?.typed(type)
  }

  /// Every contribution to a key, in the order of declaration.
  func contributions(to key: ComponentKey) -> [any AnySlot] {
    // Sorted in place, and once: what collects them is built after all of them.
    contributions[key]?.sort()
    return contributions[key]?.slots ?? base?.contributions(to: key) ?? []
  }

  /// The contributions to each key to which something was built, in the order of declaration.
  var allContributions: [ComponentKey: Contributions] {
    contributions.mapValues { contributions in
      var contributions = contributions
      contributions.sort()
      return contributions
    }
  }
}

/// A container that whoever holds this doesn't keep alive.
struct WeakContainer: Sendable {
  weak let container: ComponentContainer?
}

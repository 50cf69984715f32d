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
  func build(
    _ component: InstalledComponent, servedKeys: [ComponentKey], place: Int, refusal: Refusal?
  ) -> ComponentSlots {
    self.refusal = refusal
    let built = component.definition.typed.makeSlots(of: component, in: self)
    if component.definition.isServed, servedKeys.contains(component.key) {
      slots[component.key] = built.source
    }
    for slot in built.services where servedKeys.contains(slot.key) { slots[slot.key] = slot }
    for slot in built.contributions {
      if contributions[slot.key] == nil { contributions[slot.key] = inherited(slot.key) }
      contributions[slot.key]?.add(slot, at: place)
    }
    return built
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

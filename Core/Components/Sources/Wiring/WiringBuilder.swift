/// Makes the slots of a graph, dependencies first, so that each can be bound to the slots that it needs.
@usableFromInline
final class WiringBuilder {
  let container: WeakContainer
  /// What has been built so far; in a child, the parent's slots to begin with.
  private(set) var slots: [ComponentKey: any AnySlot]
  /// By the component's place in the graph, since it is built in another order.
  private var contributions: [ComponentKey: [(place: Int, slot: any AnySlot)]] = [:]
  /// Set while slots are built that refuse to create.
  private(set) var refusal: Refusal?

  /// Says why a component may not be created.
  typealias Refusal = @Sendable (ComponentKey) -> any Error

  init(_ container: WeakContainer, inheriting slots: [ComponentKey: any AnySlot], capacity: Int) {
    self.container = container
    self.slots = slots
    self.slots.reserveCapacity(slots.count + capacity)
  }

  /// Builds the slots of a component, which are found from then on.
  func build(_ component: InstalledComponent, servedKeys: [ComponentKey], refusal: Refusal?) -> ComponentSlots
  {
    self.refusal = refusal
    let built = component.definition.typed.makeSlots(of: component, in: self)
    if component.definition.isServed, servedKeys.contains(component.key) {
      slots[component.key] = built.source
    }
    for slot in built.services where servedKeys.contains(slot.key) { slots[slot.key] = slot }
    return built
  }

  /// Adds what a component contributes.
  func contribute(_ built: [any AnySlot], place: Int) {
    for slot in built { contributions[slot.key, default: []].append((place, slot)) }
  }

  /// The slot of a key among what has been built.
  @usableFromInline func slot<Value: Sendable>(_ key: ComponentKey, as type: Value.Type) -> Slot<Value>? {
    slots[key]?.typed(type)
  }

  /// Every contribution to a key, in the order of the graph.
  func contributions(to key: ComponentKey) -> [any AnySlot] {
    contributions[key, default: []].sorted { $0.place < $1.place }.map(\.slot)
  }

  var allContributions: [ComponentKey: [any AnySlot]] {
    contributions.mapValues { $0.sorted { $0.place < $1.place }.map(\.slot) }
  }
}

/// A container that whoever holds this doesn't keep alive.
struct WeakContainer: Sendable {
  weak let container: ComponentContainer?
}

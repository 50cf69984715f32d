/// Builds the slots of a graph in dependency order, so that each can be bound to the slots that it needs.
///
/// A builder is created for one graph, used on one thread while a container plans, and discarded when the
/// ``Wiring`` exists. A creation's needs are bound to slots here, once per graph, rather than looked up at
/// each request; only providers and their like look their key up when they are called.
@usableFromInline
final class WiringBuilder {
  /// The container whose graph is built.
  @usableFromInline let container: WeakContainer
  /// The parent's graph, for keys that haven't been built here.
  let base: Wiring?
  /// The parent's components that this graph replaces.
  let replaced: Set<ObjectIdentifier>
  /// The slots that have been built so far.
  private(set) var slots: [ComponentKey: any AnySlot] = [:]
  /// The contributions to keys for which a slot has been built, including the parent's.
  private var contributions: [ComponentKey: Contributions] = [:]
  /// A key that a component claims and leaves to a decorator.
  private struct HiddenKey: Hashable {
    let component: ObjectIdentifier
    let key: ComponentKey
  }

  /// The slots that have been built so far and that only a decorator finds.
  private var hidden: [HiddenKey: any AnySlot] = [:]
  /// What the component that is being built decorates.
  private var inner: [ComponentKey: any AnySlot] = [:]
  /// What the creation of the component that is being built requests, as far as its needs have been bound.
  private var needs = NeededSlots()

  /// Returns the error with which the creation of a component fails.
  typealias Refusal = @Sendable (ComponentKey) -> any Error

  /// Creates a builder.
  ///
  /// - Parameters:
  ///   - container: the container whose graph is built.
  ///   - base: the parent's graph.
  ///   - replaced: the parent's components that the graph replaces.
  ///   - capacity: the expected number of slots.
  init(
    _ container: WeakContainer, over base: Wiring?, replacing replaced: Set<ObjectIdentifier> = [],
    capacity: Int = 0
  ) {
    self.container = container
    self.base = base
    self.replaced = replaced
    slots.reserveCapacity(capacity)
  }

  /// Builds the slots of a component, which can be looked up from then on.
  ///
  /// - Parameters:
  ///   - component: the component.
  ///   - node: its keys and its position in this graph. What it decorates has been built.
  /// - Returns: the slot in which the instance is created.
  func build(_ component: InstalledComponent, as node: borrowing GraphNode) -> any AnySlot {
    if !node.inner.isEmpty || !inner.isEmpty {
      inner = node.inner.compactMapValues { if case .built(let slot) = $0 { slot } else { nil } }
    }
    let source = component.definition.typed.makeSlots(of: component, as: node, in: self)
    if component.definition.isServed { addService(source, of: node) }
    return source
  }

  /// Removes and returns what the creation of the component that is being built requests. Call it once, after
  /// its needs have been bound.
  func takeNeeds() -> NeededSlots { exchange(&needs, with: NeededSlots()) }

  /// Returns the slot of a component of this graph for one of its decorators.
  ///
  /// - Parameters:
  ///   - component: the component, which has been built.
  ///   - key: the key that is decorated.
  func slot(of component: InstalledComponent, under key: ComponentKey) -> (any AnySlot)? {
    hidden[HiddenKey(component: ObjectIdentifier(component), key: key)]
  }

  /// Adds a slot of the component that is being built. If another component serves its key, only a decorator
  /// finds it.
  ///
  /// - Parameters:
  ///   - slot: the slot of the component's own key, of one of its services or of an automatic alias.
  ///   - node: the component.
  func addService(_ slot: any AnySlot, of node: borrowing GraphNode) {
    if node.servedKeys.contains(slot.key) {
      slots[slot.key] = slot
    } else {
      hidden[HiddenKey(component: ObjectIdentifier(slot.component), key: slot.key)] = slot
    }
  }

  /// Adds a contribution of the component that is being built. The first contribution to a key also adds
  /// those of the parent.
  ///
  /// - Parameters:
  ///   - slot: the slot of the contribution.
  ///   - node: the component.
  func addContribution(_ slot: any AnySlot, of node: borrowing GraphNode) {
    if contributions[slot.key] == nil { contributions[slot.key] = inherited(slot.key) }
    contributions[slot.key]?.add(slot, at: node.place)
  }

  /// Returns the contributions to a key that the parent's remaining components make.
  private func inherited(_ key: ComponentKey) -> Contributions {
    var inherited = base?.allContributions(to: key) ?? Contributions()
    inherited.removeAll { replaced.contains(ObjectIdentifier($0.component)) }
    return inherited
  }

  /// Returns the slot of a key among those that have been built here or in the parent's graph, for a need of
  /// the component that is being built.
  ///
  /// A component that needs a key that it serves itself decorates another component, and is bound to the slot
  /// of that.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of the key.
  ///   - isOptional: whether the creation continues if the instance declines.
  /// - Returns: the slot; `nil` if nothing provides the key.
  @usableFromInline func slot<Value: Sendable>(
    _ key: ComponentKey, as type: Value.Type, isOptional: Bool = false
  ) -> Slot<Value>? {
    guard let slot = inner[key] ?? slots[key] ?? base?.slot(key) else { return nil }
    needs.append(slot, isOptional: isOptional)
    return slot.typed(type)
  }

  /// Returns every contribution to a key, in the order of declaration, for a need of the component that is
  /// being built. Call it after all contributors have been built; the dependency order ensures this for the
  /// components that collect the key.
  ///
  /// - Returns: the slots of the contributions; empty if there are none.
  func contributions(to key: ComponentKey) -> [any AnySlot] {
    // Sorted in place, and only once: components that collect a key are built after its contributors.
    contributions[key]?.sort()
    let slots = contributions[key]?.slots ?? base?.contributions(to: key) ?? []
    for slot in slots { needs.append(slot, isOptional: true) }
    return slots
  }

  /// The contributions to each key for which a slot has been built, in the order of declaration.
  var allContributions: [ComponentKey: Contributions] {
    contributions.mapValues { contributions in
      var contributions = contributions
      contributions.sort()
      return contributions
    }
  }
}

/// A weak reference to a container; `nil` once the container is deallocated.
@usableFromInline
struct WeakContainer: Sendable {
  weak let container: ComponentContainer?
}

/// One version of a container's graph, ready to serve. It never changes; an update puts another in its place.
///
/// A child's graph lies over its parent's: it has what the child creates itself, and everything else is looked up in the
/// parent's, so that it costs what the child adds and not what the parent has.
@usableFromInline
final class Wiring: Sendable {
  /// The parent's graph.
  let base: Wiring?
  /// The components that this container creates and keeps, in dependency order.
  let own: [GraphNode]
  /// How many places there are in the order of declaration, the parent's included.
  let placeCount: Int
  // What is found here; the rest is in `base`. Of a key to which this container contributes, or for whose contributors it
  // stands in, every contribution is here.
  private let slots: [ComponentKey: any AnySlot]
  private let contributions: [ComponentKey: Contributions]
  /// The parent's components in whose place this container creates others.
  let replaced: Set<ObjectIdentifier>
  /// The slots without a name, and those with one.
  @usableFromInline let table: SlotTable
  @usableFromInline let names: NamedSlotTable
  /// Made when the first child asks.
  private let inheritance = Lock<Inheritance?>(nil)
  /// The slots, each before what it needs, so that in a long chain none is released inside the release of another. It is
  /// the last property because properties are released in their order.
  private let slotsInOrderOfRelease: [any AnySlot]

  /// - Parameters:
  ///   - own: the components, in dependency order.
  ///   - sources: the slots in which their instances are created, in the same order.
  init(_ builder: WiringBuilder, own: [GraphNode], sources: [any AnySlot], placeCount: Int) {
    base = builder.base
    self.own = own
    self.placeCount = placeCount
    slots = builder.slots
    contributions = builder.allContributions
    replaced = builder.replaced
    var named: [(key: ComponentKey, slot: any AnySlot)] = []
    table = SlotTable(slots) { named.append(($0, $1)) }
    names = NamedSlotTable(named)
    slotsInOrderOfRelease = sources.reversed()
  }

  /// What a deleted container serves: nothing.
  static var empty: Wiring {
    Wiring(WiringBuilder(WeakContainer(container: nil), over: nil), own: [], sources: [], placeCount: 0)
  }

  /// The slots in which the instances of `own` are created, in the same order.
  var sources: ReversedCollection<[any AnySlot]> { slotsInOrderOfRelease.reversed() }

  /// Returns the slot in which the instance of `own[index]` is created.
  func source(at index: Int) -> any AnySlot { slotsInOrderOfRelease[slotsInOrderOfRelease.count - 1 - index] }

  /// The components that this container creates and keeps, in dependency order.
  var components: [InstalledComponent] { sources.map(\.component) }

  // MARK: - Looking up

  /// The slot of a key.
  func slot(_ key: ComponentKey) -> (any AnySlot)? { slots[key] ?? base?.slot(key) }

  /// Every contribution to a key, in the order of declaration.
  func contributions(to key: ComponentKey) -> [any AnySlot] { allContributions(to: key).slots }

  /// The same with their places.
  func allContributions(to key: ComponentKey) -> Contributions {
    contributions[key] ?? base?.allContributions(to: key) ?? Contributions()
  }

  /// The place of a type without a name that isn't the first where it is looked for.
  @usableFromInline func place(ofOther type: UInt) -> SlotPlace? {
    table.place(of: type) ?? base?.place(ofOther: type)
  }

  /// The place of a type and a name; see `NamedSlotTable`.
  @usableFromInline func place(of type: any Any.Type, named name: String) -> SlotPlace? {
    if let place = names.place(of: type, named: name) { return place }
    // The parent's isn't the one if this graph has an equal name, written with other characters.
    guard let base, names.isEmpty || slots[ComponentKey(type, named: name)] == nil else { return nil }
    return base.place(of: type, named: name)
  }

  // MARK: - Everything

  /// The components that can be reached, the parent's included. Takes time in proportion to both.
  var nodes: [GraphNode] { (base.map { inherited($0.nodes) } ?? []) + own }

  /// Every key that is served, the parent's included.
  var keys: Set<ComponentKey> { Set(slots.keys).union(base?.keys ?? []) }

  /// Those of the parent's components that this container doesn't replace, with the keys that are left to them.
  private func inherited(_ nodes: [GraphNode]) -> [GraphNode] {
    nodes.compactMap { node in
      guard let component = node.component, !replaced.contains(ObjectIdentifier(component)) else {
        return nil
      }
      return node.serving(node.servedKeys.filter { slots[$0] == nil })
    }
  }

  // MARK: - Inheriting

  private var ownInheritance: Inheritance {
    inheritance.withLock { inheritance in
      let made = inheritance ?? Inheritance(of: self)
      inheritance = made
      return made
    }
  }

  /// The components that need a key, the parent's included, in no order.
  ///
  /// - Parameter isCollected: whether those are meant that need the contributions to the key, or the others.
  func nodes(needing key: ComponentKey, isCollected: Bool) -> [GraphNode] {
    let inheritance = ownInheritance
    let indices = (isCollected ? inheritance.collectors : inheritance.dependents)[key] ?? []
    return indices.map { own[$0] }
      + inherited(base?.nodes(needing: key, isCollected: isCollected) ?? [])
  }

  /// The longest row of `.unique` components that begins with a component, each needed by the one before.
  func uniqueChain(from component: InstalledComponent) -> UniqueChain? {
    ownInheritance.chains[ObjectIdentifier(component)] ?? base?.uniqueChain(from: component)
  }
}

/// The contributions to a key.
struct Contributions: Sendable {
  private var places: [Int] = []
  private(set) var slots: [any AnySlot] = []
  private var isInOrder = true

  /// Adds one, to be sorted later.
  mutating func add(_ slot: any AnySlot, at place: Int) {
    if let last = places.last, last > place { isInOrder = false }
    places.append(place)
    slots.append(slot)
  }

  /// Brings them into the order of declaration.
  mutating func sort() {
    if !isInOrder { keep(slots.indices.sorted { places[$0] < places[$1] }) }
    isInOrder = true
  }

  mutating func removeAll(where isMeant: (any AnySlot) -> Bool) {
    keep(slots.indices.filter { !isMeant(slots[$0]) })
  }

  private mutating func keep(_ indices: [Int]) {
    places = indices.map { places[$0] }
    slots = indices.map { slots[$0] }
  }
}

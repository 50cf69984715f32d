/// One version of a container's graph, ready to be used. It is immutable; an update replaces it.
///
/// A child's graph extends its parent's: it contains what the child creates itself, and looks everything else up in the
/// parent's. Its cost therefore depends on what the child adds, not on the size of the parent.
@usableFromInline
final class Wiring: Sendable {
  /// The parent's graph.
  let base: Wiring?
  /// The components that this container creates and keeps, in dependency order.
  let own: [GraphNode]
  /// The number of positions in the order of declaration, including the parent's.
  let placeCount: Int
  // The entries of this graph; all others are in `base`. If this container contributes to a key, or replaces one of its
  // contributors, all contributions to that key are here.
  private let slots: [ComponentKey: any AnySlot]
  private let contributions: [ComponentKey: Contributions]
  /// The parent's components that this container replaces.
  let replaced: Set<ObjectIdentifier>
  /// The lookup table of the slots whose keys have no name.
  @usableFromInline let table: SlotTable
  /// The lookup table of the slots whose keys have a name.
  @usableFromInline let names: NamedSlotTable
  /// The index for children, created for the first one.
  private let inheritance = Lock<Inheritance?>(nil)
  /// The slots, each before what it needs, so that in a long chain no release of a slot is nested in the release of another.
  /// This must be the last property, because properties are released in order.
  private let slotsInOrderOfRelease: [any AnySlot]

  /// - Parameters:
  ///   - builder: the builder of the slots.
  ///   - own: the components, in dependency order.
  ///   - sources: the slots in which their instances are created, in the same order.
  ///   - placeCount: the number of positions in the order of declaration.
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

  /// A graph that provides nothing, for deleted containers.
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

  /// Returns the slot of a key, here or in the parent's graph; `nil` if nothing provides it.
  func slot(_ key: ComponentKey) -> (any AnySlot)? { slots[key] ?? base?.slot(key) }

  /// Returns every contribution to a key, in the order of declaration.
  func contributions(to key: ComponentKey) -> [any AnySlot] { allContributions(to: key).slots }

  /// Returns every contribution to a key with its position.
  func allContributions(to key: ComponentKey) -> Contributions {
    contributions[key] ?? base?.allContributions(to: key) ?? Contributions()
  }

  /// Returns the place of a type without a name that isn't at its first position in the table.
  @usableFromInline func place(ofOther type: UInt) -> SlotPlace? {
    table.place(of: type) ?? base?.place(ofOther: type)
  }

  /// Returns the place of a type and a name; see `NamedSlotTable`.
  @usableFromInline func place(of type: any Any.Type, named name: String) -> SlotPlace? {
    if let place = names.place(of: type, named: name) { return place }
    // The parent's place is wrong if this graph has an equal name with other code units.
    guard let base, names.isEmpty || slots[ComponentKey(type, named: name)] == nil else { return nil }
    return base.place(of: type, named: name)
  }

  // MARK: - Everything

  /// The components that can be reached, including the parent's. Complexity: O(*n*) in the size of both graphs.
  var nodes: [GraphNode] { (base.map { inherited($0.nodes) } ?? []) + own }

  /// Every key that is served, including the parent's.
  var keys: Set<ComponentKey> { Set(slots.keys).union(base?.keys ?? []) }

  /// Returns those of the parent's nodes that this container doesn't replace, with their remaining keys.
  private func inherited(_ nodes: [GraphNode]) -> [GraphNode] {
    nodes.compactMap { node in
      guard let component = node.component, !replaced.contains(ObjectIdentifier(component)) else {
        return nil
      }
      return node.serving(node.servedKeys.filter { slots[$0] == nil })
    }
  }

  // MARK: - Inheriting

  /// The index of this graph, created on first use.
  private var ownInheritance: Inheritance {
    inheritance.withLock { inheritance in
      let made = inheritance ?? Inheritance(of: self)
      inheritance = made
      return made
    }
  }

  /// Returns the components that need a key, including the parent's, in no particular order.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - isCollected: whether to return the components that need the contributions to the key, rather than
  ///     its instance.
  func nodes(needing key: ComponentKey, isCollected: Bool) -> [GraphNode] {
    let inheritance = ownInheritance
    let indices = (isCollected ? inheritance.collectors : inheritance.dependents)[key] ?? []
    return indices.map { own[$0] }
      + inherited(base?.nodes(needing: key, isCollected: isCollected) ?? [])
  }

  /// Returns the longest chain of `.unique` components that begins with a component.
  func uniqueChain(from component: InstalledComponent) -> UniqueChain? {
    ownInheritance.chains[ObjectIdentifier(component)] ?? base?.uniqueChain(from: component)
  }
}

/// The contributions to a key, each with its position in the order of declaration.
struct Contributions: Sendable {
  private var places: [Int] = []
  private(set) var slots: [any AnySlot] = []
  private var isInOrder = true

  /// Adds a contribution, to be sorted later.
  mutating func add(_ slot: any AnySlot, at place: Int) {
    if let last = places.last, last > place { isInOrder = false }
    places.append(place)
    slots.append(slot)
  }

  /// Sorts the contributions by declaration.
  mutating func sort() {
    if !isInOrder { keep(slots.indices.sorted { places[$0] < places[$1] }) }
    isInOrder = true
  }

  /// Removes the contributions for which a predicate is true.
  mutating func removeAll(where isMeant: (any AnySlot) -> Bool) {
    keep(slots.indices.filter { !isMeant(slots[$0]) })
  }

  /// Keeps only the contributions at some indices, in the order of the indices.
  private mutating func keep(_ indices: [Int]) {
    places = indices.map { places[$0] }
    slots = indices.map { slots[$0] }
  }
}

import TenonBasics

/// One version of a container's graph, ready to be used. It is immutable; an update replaces it.
///
/// A child's graph extends its parent's: it contains what the child creates itself, and looks everything else
/// up in the parent's. Its cost therefore depends on what the child adds, not on the size of the parent.
///
/// A container retains its current graph, and a child's graph its parent's. A graph that has been replaced is
/// passed to `Reclamation.retire`, which releases it when no thread can read it any more; so a reader doesn't
/// have to retain it. A graph retains its slots, components and cells. The instances are in the cells, which
/// later versions of the graph share.
@usableFromInline
final class Wiring: Sendable {
  /// The parent's graph; `nil` without a parent.
  let base: Wiring?
  /// The components that this container creates and keeps, in dependency order. Each node has its
  /// `component`.
  let own: [GraphNode]
  /// This container's optional decorators that have nothing to decorate in this graph. A later version may
  /// contain them.
  let absent: [GraphNode]
  /// The number of positions in the order of declaration, including the parent's. A child numbers its own
  /// components from here.
  let placeCount: Int
  // The entries of this graph; all others are in `base`. If this container contributes to a key, or replaces
  // one of its contributors, all contributions to that key are here.
  private let slots: [ComponentKey: any AnySlot]
  private let contributions: [ComponentKey: Contributions]
  /// The identities of the parent's components that this container replaces. `base` retains the components.
  let replaced: Set<ObjectIdentifier>
  /// The lookup table of the slots whose keys have no name.
  @usableFromInline let table: SlotTable
  /// The lookup table of the slots whose keys have a name.
  @usableFromInline let names: NamedSlotTable
  /// The index for children; `nil` until the first child is planned. The lock is held while it is created,
  /// which runs no code outside Core.
  private let inheritance = Lock<Inheritance?>(nil)
  /// The slots, each before what it needs, so that in a long chain no release of a slot is nested in the
  /// release of another. This must be the last property, because properties are released in order.
  private let slotsInOrderOfRelease: [any AnySlot]

  /// Creates a graph from slots that have been built. The builder must not be used afterwards.
  ///
  /// - Parameters:
  ///   - builder: the builder of the slots.
  ///   - own: the components, in dependency order.
  ///   - absent: the optional decorators that are left out.
  ///   - sources: the slots in which their instances are created, in the same order.
  ///   - placeCount: the number of positions in the order of declaration.
  /// - Complexity: O(*n*) on average in the number of slots, in addition to sorting contributions that aren't
  ///   in order.
  @inline(never) init(
    _ builder: WiringBuilder, own: [GraphNode], absent: [GraphNode] = [], sources: [any AnySlot],
    placeCount: Int
  ) {
    base = builder.base
    self.own = own
    self.absent = absent
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
    @inline(never) get {
      Wiring(WiringBuilder(WeakContainer(container: nil), over: nil), own: [], sources: [], placeCount: 0)
    }
  }

  /// The slots in which the instances of `own` are created, in the same order.
  var sources: ReversedCollection<[any AnySlot]> { slotsInOrderOfRelease.reversed() }

  /// Returns the slot in which the instance of `own[index]` is created.
  ///
  /// - Parameter index: an index of `own`.
  func source(at index: Int) -> any AnySlot { slotsInOrderOfRelease[slotsInOrderOfRelease.count - 1 - index] }

  /// The components that this container creates and keeps, in dependency order.
  var components: [InstalledComponent] { sources.map(\.component) }

  /// The nodes of the components that the container declares itself, in order of declaration, without what
  /// this graph says about them: those from which the container's next graph is planned.
  var declared: [GraphNode] {
    let present = own.filter { !$0.isStandIn }.map { node in
      (node.place, node.component.map { GraphNode($0) } ?? node)
    }
    // What was left out has lost its instances, and starts over as a new component.
    let others = absent.map { ($0.place, GraphNode($0.definition, of: $0.library)) }
    return (present + others).ordered { $0.0 < $1.0 }.map(\.1)
  }

  // MARK: - Looking up

  /// Returns the slot of a key, here or in the parent's graph; `nil` if nothing provides it. The slot is that
  /// of the key's type, which may be a service of the component.
  ///
  /// - Complexity: O(*d*) in the number of graphs, this one and its ancestors.
  func slot(_ key: ComponentKey) -> (any AnySlot)? { slots[key] ?? base?.slot(key) }

  /// Returns every contribution to a key, in the order of declaration.
  func contributions(to key: ComponentKey) -> [any AnySlot] { allContributions(to: key).slots }

  /// Returns every contribution to a key with its position; empty if there are none. The parent's
  /// contributions are included, except those of components that this container replaces.
  func allContributions(to key: ComponentKey) -> Contributions {
    contributions[key] ?? base?.allContributions(to: key) ?? Contributions()
  }

  /// Returns the place of a type without a name that isn't at its first position in the table, searching the
  /// ancestors' tables as well. The place is valid as long as this graph.
  ///
  /// - Parameter type: the address of the type.
  /// - Returns: the place; `nil` if nothing provides the type.
  @usableFromInline func place(ofOther type: UInt) -> SlotPlace? {
    table.place(of: type) ?? base?.place(ofOther: type)
  }

  /// Returns the place of a type and a name, here or in the parent's graph; see `NamedSlotTable`. The place
  /// is valid as long as this graph.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - name: the name.
  /// - Returns: the place; `nil` if only the graph's dictionary may contain the key.
  @usableFromInline func place(of type: any Any.Type, named name: String) -> SlotPlace? {
    if let place = names.place(of: type, named: name) { return place }
    // The parent's place is wrong if this graph has an equal name with other code units.
    guard let base, names.isEmpty || slots[ComponentKey(type, named: name)] == nil else { return nil }
    return base.place(of: type, named: name)
  }

  // MARK: - Everything

  /// The components that can be reached, including the parent's, whose nodes are first.
  ///
  /// - Complexity: O(*n*) in the size of both graphs.
  var nodes: [GraphNode] { (base.map { inherited($0.nodes) } ?? []) + own }

  /// Every key that is served, including the parent's. For suggestions in errors.
  ///
  /// - Complexity: O(*n*) in the size of both graphs.
  var keys: Set<ComponentKey> { Set(slots.keys).union(base?.keys ?? []) }

  /// Returns those of the parent's nodes that this container doesn't replace, with the keys that it doesn't
  /// serve itself.
  ///
  /// - Parameter nodes: nodes of the parent's graph.
  private func inherited(_ nodes: [GraphNode]) -> [GraphNode] {
    nodes.compactMap { node in
      guard let component = node.component, !replaced.contains(ObjectIdentifier(component)) else {
        return nil
      }
      return node.serving(node.servedKeys.filter { slots[$0] == nil })
    }
  }

  /// Returns the components of this container that together make up the instance of a key: the one that
  /// serves it and those that it decorates; empty if none of them is this container's.
  func stack(of key: ComponentKey) -> Set<ObjectIdentifier> {
    var stack: Set<ObjectIdentifier> = []
    var next = own.first { $0.servedKeys.contains(key) }
    while let node = next, let component = node.component, stack.insert(ObjectIdentifier(component)).inserted
    {
      guard case .built(let slot)? = node.inner[key] else { break }
      next = own.first { $0.component === slot.component }
    }
    return stack
  }

  /// Returns the components, including the parent's, that a component of this graph decorates under a key,
  /// from the innermost; empty for most components.
  ///
  /// - Complexity: O(*n*) in the size of both graphs for a decorator, O(1) for other components.
  func decorated(by component: InstalledComponent, under key: ComponentKey) -> [InstalledComponent] {
    guard component.definition.decoratedKeys.contains(key) else { return [] }
    let inner = Dictionary(
      nodes.compactMap { node in node.component.map { (ObjectIdentifier($0), node.inner[key]) } },
      uniquingKeysWith: { first, _ in first })
    var decorated: [InstalledComponent] = []
    var outer = component
    while case .built(let slot)?? = inner[ObjectIdentifier(outer)] {
      outer = slot.component
      decorated.append(outer)
    }
    return decorated.reversed()
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

  /// Returns the components that decorate a component, including the parent's, in no particular order.
  func nodes(decorating component: InstalledComponent) -> [GraphNode] {
    let indices = ownInheritance.decorators[ObjectIdentifier(component)] ?? []
    return indices.map { own[$0] } + inherited(base?.nodes(decorating: component) ?? [])
  }
}

/// The contributions to a key, each with its position in the order of declaration. A graph is built in
/// dependency order, so contributions are added in that order and sorted once when all are known.
struct Contributions: Sendable {
  /// The position of each contribution, at the index of its slot.
  private var places: [Int] = []
  /// The slots of the contributions, in the order in which they were added until ``sort()`` is called.
  private(set) var slots: [any AnySlot] = []
  /// Whether the contributions were added in ascending order, so that sorting has nothing to do.
  private var isInOrder = true

  /// Adds a contribution, to be sorted later.
  ///
  /// - Parameters:
  ///   - slot: the slot of the contribution.
  ///   - place: the component's position in the order of declaration. Contributions of one component have the
  ///     same position.
  mutating func add(_ slot: any AnySlot, at place: Int) {
    if let last = places.last, last > place { isInOrder = false }
    places.append(place)
    slots.append(slot)
  }

  /// Sorts the contributions by declaration.
  ///
  /// - Complexity: O(*n* log *n*) in the number of contributions; O(1) if they are sorted.
  mutating func sort() {
    if !isInOrder { keep(slots.indices.ordered { places[$0] < places[$1] }) }
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

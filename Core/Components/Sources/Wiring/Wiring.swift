/// One version of a container's graph, ready to serve. It never changes; an update puts another in its place.
@usableFromInline
final class Wiring: Sendable {
  /// A component and its slots.
  struct Member: Sendable {
    let component: InstalledComponent
    let slots: ComponentSlots
    /// The keys under which it is served here; a child's own components may have taken some of them.
    let servedKeys: [ComponentKey]
    /// Its place in the order of declaration.
    let place: Int
    /// The parent's component in whose place a child creates this one; `nil` for the container's own.
    let origin: InstalledComponent?

    /// The same component in another graph.
    func serving(_ keys: [ComponentKey], place: Int) -> Member {
      Member(component: component, slots: slots, servedKeys: keys, place: place, origin: origin)
    }
  }

  /// The components that this container creates and keeps, in dependency order.
  let own: [Member]
  /// What else can be reached: the parent's components that this container doesn't replace.
  let inherited: [Member]
  let slots: [ComponentKey: any AnySlot]
  let contributions: [ComponentKey: [any AnySlot]]
  /// The slots without a name, and those with one.
  @usableFromInline let table: SlotTable
  @usableFromInline let names: NamedSlotTable
  /// The slots, each before what it needs, so that in a long chain none is released inside the release of another. It is
  /// the last property because properties are released in their order.
  private let slotsInOrderOfRelease: [any AnySlot]

  init(
    own: [Member], inherited: [Member], slots: [ComponentKey: any AnySlot],
    contributions: [ComponentKey: [any AnySlot]]
  ) {
    self.own = own
    self.inherited = inherited
    self.slots = slots
    self.contributions = contributions
    var named: [(key: ComponentKey, slot: any AnySlot)] = []
    table = SlotTable(slots) { named.append(($0, $1)) }
    names = NamedSlotTable(named)
    slotsInOrderOfRelease = own.reversed().map(\.slots.source)
  }

  /// What a deleted container serves: nothing.
  static var empty: Wiring { Wiring(own: [], inherited: [], slots: [:], contributions: [:]) }

  var members: [Member] { inherited + own }
}

// Part of the corner with unsafe lines; see `SharedInstances.swift`. A wiring and its tables are released together,
// when no thread reads any more that may have found them. So what a reader finds in a table stays valid until it has ended
// its read: the entries, which never change, and the cells and slots in them, which the wiring holds.

/// Finds the cell and the slot of a type: a frozen table with open addressing, keyed by the type's address.
@usableFromInline
struct SlotTable: Sendable {
  private let memory: SlotMemory
  /// The address of the first entry.
  @usableFromInline let base: UInt
  /// The number of entries, a power of two, less one.
  @usableFromInline let mask: UInt

  /// - Parameter skip: called with each slot whose key has a name; these aren't in the table.
  init(_ slots: [ComponentKey: any AnySlot], skip: (ComponentKey, any AnySlot) -> Void) {
    var capacity = 4
    while capacity < slots.count * 2 { capacity *= 2 }
    memory = SlotMemory(capacity)
    base = memory.base
    mask = UInt(capacity - 1)
    for (key, slot) in slots {
      guard key.name == nil else {
        skip(key, slot)
        continue
      }
      let type = UInt(bitPattern: key.type)
      var index = Self.start(type) & mask
      while memory.place(index).entry.pointee.type != 0 { index = (index &+ 1) & mask }
      memory.set(index, key, slot)
    }
  }

  /// The place of a type without a name, if it is where it is looked for first. Mostly it is; the others are looked for
  /// elsewhere, so that this is short where it is inlined.
  @inlinable @inline(__always) func firstPlace(of wanted: UInt) -> SlotPlace? {
    let place = SlotPlace(base, Self.start(wanted) & mask)
    return place.entry.pointee.type == wanted ? place : nil
  }

  /// The place of a type, given by its address, without a name.
  func place(of wanted: UInt) -> SlotPlace? {
    var index = Self.start(wanted) & mask
    while true {
      let place = SlotPlace(base, index)
      let type = place.entry.pointee.type
      if type == wanted { return place }
      if type == 0 { return nil }
      index = (index &+ 1) & mask
    }
  }

  @inlinable @inline(__always) static func start(_ type: UInt) -> UInt {
    (type &* 0x9E37_79B9_7F4A_7C15) &>> 32
  }
}

/// What is in a table.
@usableFromInline
struct SlotEntry {
  /// The type's address; 0 in an empty place.
  @usableFromInline var type: UInt
  // The addresses of the cell and the slot. Copying references instead would count them up and down in every look-up.
  @usableFromInline var cell: UInt
  @usableFromInline var slot: UInt
}

/// A place in a table: valid as long as the table.
@usableFromInline
struct SlotPlace {
  @usableFromInline let entry: UnsafePointer<SlotEntry>

  @inlinable @inline(__always) init(_ base: UInt, _ index: UInt) {
    let offset = index &* UInt(truncatingIfNeeded: MemoryLayout<SlotEntry>.stride)
    // A table's memory isn't at address 0.
    entry = UnsafePointer(bitPattern: base &+ offset).unsafelyUnwrapped
  }

  // Tables are built from keys: under `Value`'s address are a cell and a slot of `Value`.

  /// The published instance, not retained, if there is one.
  @inlinable @inline(__always)
  func instance<Value: Sendable>(of type: Value.Type) -> BorrowedInstance<Value>? {
    let cell = UnsafeRawPointer(bitPattern: entry.pointee.cell).unsafelyUnwrapped
    return Unmanaged<InstanceCell>.fromOpaque(cell)._withUnsafeGuaranteedRef { $0.instance(of: type) }
  }

  /// The slot, retained.
  @inlinable @inline(__always) func slot<Value: Sendable>(of type: Value.Type) -> Slot<Value> {
    let slot = UnsafeRawPointer(bitPattern: entry.pointee.slot).unsafelyUnwrapped
    return Unmanaged<Slot<Value>>.fromOpaque(slot).takeUnretainedValue()
  }
}

/// The entries of a table.
final class SlotMemory: Sendable {
  /// The address of the first entry.
  let base: UInt

  init(_ capacity: Int) {
    let entries = UnsafeMutablePointer<SlotEntry>.allocate(capacity: capacity)
    entries.initialize(repeating: SlotEntry(type: 0, cell: 0, slot: 0), count: capacity)
    base = UInt(bitPattern: entries)
  }

  deinit { pointer(0).deallocate() }

  func place(_ index: UInt) -> SlotPlace { SlotPlace(base, index) }

  /// Fills a place. Call it before other threads can know of the table.
  func set(_ index: UInt, _ key: ComponentKey, _ slot: any AnySlot) {
    pointer(index).pointee = SlotEntry(
      type: UInt(bitPattern: key.type),
      cell: UInt(bitPattern: Unmanaged.passUnretained(slot.cell).toOpaque()),
      slot: UInt(bitPattern: Unmanaged.passUnretained(slot as AnyObject).toOpaque()))
  }

  private func pointer(_ index: UInt) -> UnsafeMutablePointer<SlotEntry> {
    UnsafeMutablePointer(mutating: place(index).entry)
  }
}

extension AtomicReference where Object == Wiring {
  /// The place of a type without a name, given by its address; `nil` when nothing provides it. Call it between `enter` and
  /// `leave`.
  @inlinable @inline(__always)
  func place(of type: UInt) -> SlotPlace? {
    guard let wiring = unretained else { return nil }
    return wiring._withUnsafeGuaranteedRef { $0.table.firstPlace(of: type) ?? $0.place(ofOther: type) }
  }

  /// The place of a key in the graph's tables; `nil` where only its dictionary may know the key. Call it between `enter` and
  /// `leave`.
  @inlinable @inline(__always)
  func place(of type: any Any.Type, named name: String?) -> SlotPlace? {
    guard let name else { return place(of: UInt(bitPattern: ObjectIdentifier(type))) }
    return unretained?._withUnsafeGuaranteedRef { $0.place(of: type, named: name) } ?? nil
  }
}

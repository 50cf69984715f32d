// Unsafe code; see `SharedInstances.swift`. A wiring and its tables are released together, after every thread
// that may have found them has stopped reading. So what a reader finds in a table is valid until its read
// ends: the entries, which never change, and the cells and slots that they point to, which the wiring holds.

/// Maps a type to a cell and a slot: an immutable hash table with open addressing and linear probing, keyed
/// by the address of the type's metadata. At most half full, so a search ends.
///
/// Each ``Wiring`` has one for its own slots; what its parent's graph provides is in the parent's table. The
/// table is immutable, so lookups take no lock.
@usableFromInline
struct SlotTable: Sendable {
  /// Owns the entries. Every copy of the table shares them.
  private let memory: SlotMemory
  /// The address of the first entry.
  @usableFromInline let base: UInt
  /// The number of places, a power of two, minus one.
  @usableFromInline let mask: UInt

  /// Creates a table of the slots whose keys have no name.
  ///
  /// - Parameters:
  ///   - slots: all slots of the graph.
  ///   - skip: called with each slot whose key has a name.
  /// - Complexity: O(*n*) on average in the number of slots.
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

  /// Returns the place of a type without a name if it is the first that probing visits, as it usually is;
  /// otherwise `nil`. The rest of the search is in `place(of:)`, which keeps this short where it is inlined.
  ///
  /// - Parameter wanted: the address of the type.
  @export(implementation) @inline(__always) func firstPlace(of wanted: UInt) -> SlotPlace? {
    let place = SlotPlace(base, Self.start(wanted) & mask)
    return place.entry.pointee.type == wanted ? place : nil
  }

  /// Returns the place of a type without a name, or `nil` if the table doesn't contain it.
  ///
  /// - Parameter wanted: the address of the type.
  /// - Complexity: O(1) on average.
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

  /// Returns the hash of a type's address (Fibonacci hashing); masked, it is the first place to probe.
  ///
  /// The upper half of the product is used, because the lower bits of an address, in which types differ,
  /// influence all of it.
  ///
  /// - Parameter type: the address of the type.
  @export(implementation) @inline(__always) static func start(_ type: UInt) -> UInt {
    (type &* 0x9E37_79B9_7F4A_7C15) &>> 32
  }
}

/// An entry of a table.
@usableFromInline
struct SlotEntry {
  /// The type's address; 0 if the place is empty. Entries don't change once the table is visible to other
  /// threads.
  @usableFromInline var type: UInt
  // The unretained addresses of the cell and the slot. References would be retained and released in every
  // lookup.
  /// The address of the key's `InstanceCell`.
  @usableFromInline var cell: UInt
  /// The address of the key's `Slot`.
  @usableFromInline var slot: UInt
}

/// A place in a table: an entry, or an empty place. Valid as long as the table.
///
/// Only the place of an entry may be asked for an instance or a slot, and only in the type of the entry's
/// key. Neither is checked.
@usableFromInline
struct SlotPlace {
  /// The address of the entry.
  @usableFromInline let entry: UnsafePointer<SlotEntry>

  /// Computes the address of an entry.
  ///
  /// - Parameters:
  ///   - base: the address of the first entry.
  ///   - index: the index of the entry.
  @export(implementation) @inline(__always) init(_ base: UInt, _ index: UInt) {
    let offset = index &* UInt(truncatingIfNeeded: MemoryLayout<SlotEntry>.stride)
    // A table is never at address 0.
    entry = UnsafePointer(bitPattern: base &+ offset).unsafelyUnwrapped
  }

  // The table is built from keys, so the cell and the slot of `Value`'s address have the type `Value`.

  /// Returns the published instance, unretained, or `nil`. Call it between `enter` and `leave`.
  ///
  /// - Parameter type: the type whose place this is.
  @export(implementation) @inline(__always)
  func instance<Value: Sendable>(of type: Value.Type) -> BorrowedInstance<Value>? {
    let cell = UnsafeRawPointer(bitPattern: entry.pointee.cell).unsafelyUnwrapped
    return Unmanaged<InstanceCell>.fromOpaque(cell)._withUnsafeGuaranteedRef { $0.instance(of: type) }
  }

  /// Returns the slot, retained.
  ///
  /// - Parameter type: the type whose place this is.
  /// - Returns: the slot. To use it after the read, end that with `leave(_:returning:)`.
  @export(implementation) @inline(__always) func slot<Value: Sendable>(of type: Value.Type) -> Slot<Value> {
    let slot = UnsafeRawPointer(bitPattern: entry.pointee.slot).unsafelyUnwrapped
    return Unmanaged<Slot<Value>>.fromOpaque(slot).takeUnretainedValue()
  }
}

/// Owns the memory of a table's entries.
///
/// The entries are written before the table is visible to other threads, and are deallocated with this
/// object.
final class SlotMemory: Sendable {
  /// The address of the first entry.
  let base: UInt

  /// Allocates empty places.
  ///
  /// - Parameter capacity: the number of places, at least 1.
  init(_ capacity: Int) {
    let entries = UnsafeMutablePointer<SlotEntry>.allocate(capacity: capacity)
    entries.initialize(repeating: SlotEntry(type: 0, cell: 0, slot: 0), count: capacity)
    base = UInt(bitPattern: entries)
  }

  deinit { pointer(0).deallocate() }

  /// Returns the place at an index, which must be less than the capacity.
  func place(_ index: UInt) -> SlotPlace { SlotPlace(base, index) }

  /// Fills a place. Call it only before the table is visible to other threads.
  ///
  /// The entry doesn't retain the slot or its cell; the wiring does.
  ///
  /// - Parameters:
  ///   - index: the index of the place, less than the capacity.
  ///   - key: the key, whose name isn't stored.
  ///   - slot: the slot of the key.
  func set(_ index: UInt, _ key: ComponentKey, _ slot: any AnySlot) {
    pointer(index).pointee = SlotEntry(
      type: UInt(bitPattern: key.type),
      cell: UInt(bitPattern: Unmanaged.passUnretained(slot.cell).toOpaque()),
      slot: UInt(bitPattern: Unmanaged.passUnretained(slot as AnyObject).toOpaque()))
  }

  /// Returns the address of the entry at an index, for writing.
  private func pointer(_ index: UInt) -> UnsafeMutablePointer<SlotEntry> {
    UnsafeMutablePointer(mutating: place(index).entry)
  }
}

extension AtomicReference where Object == Wiring {
  /// Returns the place of a type without a name, or `nil` if nothing provides it. Call it between `enter` and
  /// `leave`.
  ///
  /// - Parameter type: the address of the type.
  /// - Returns: the place, here or in the table of a graph that this one extends. Valid until the read ends.
  @export(implementation) @inline(__always)
  func place(of type: UInt) -> SlotPlace? {
    guard let wiring = unretained else { return nil }
    return wiring._withUnsafeGuaranteedRef { $0.table.firstPlace(of: type) ?? $0.place(ofOther: type) }
  }

  /// Returns the place of a key in the graph's tables, or `nil` if only the graph's dictionary may contain
  /// the key. Call it between `enter` and `leave`.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; `nil` for the key without one.
  @export(implementation) @inline(__always)
  func place(of type: any Any.Type, named name: String?) -> SlotPlace? {
    guard let name else { return place(of: UInt(bitPattern: ObjectIdentifier(type))) }
    return unretained?._withUnsafeGuaranteedRef { $0.place(of: type, named: name) } ?? nil
  }
}

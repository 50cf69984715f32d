// Part of the corner with unsafe lines; see `SharedInstances.swift` and `SlotTable.swift`. The one here reads the
// characters of a name, which stay in place for the length of a call, in words.

/// Finds the cell and the slot of a type and a name: a frozen table with open addressing, like ``SlotTable``, with a hash
/// that is cheaper than a dictionary's.
@usableFromInline
struct NamedSlotTable: Sendable {
  /// The hash of each place; 0 in an empty one.
  private let hashes: [UInt]
  private let names: [String]
  private let memory: SlotMemory
  private let mask: UInt
  let isEmpty: Bool

  init(_ named: [(key: ComponentKey, slot: any AnySlot)]) {
    var capacity = 4
    while capacity < named.count * 2 { capacity *= 2 }
    let mask = UInt(capacity - 1)
    var hashes = [UInt](repeating: 0, count: capacity)
    var names = [String](repeating: "", count: capacity)
    let memory = SlotMemory(capacity)
    for (key, slot) in named {
      guard let name = key.name, let hash = Self.hash(UInt(bitPattern: key.type), name) else { continue }
      var index = hash & mask
      while hashes[Int(index)] != 0 { index = (index &+ 1) & mask }
      hashes[Int(index)] = hash
      names[Int(index)] = name
      memory.set(index, key, slot)
    }
    self.hashes = hashes
    self.names = names
    self.memory = memory
    self.mask = mask
    isEmpty = named.isEmpty
  }

  /// The place of a type and a name.
  ///
  /// `nil` doesn't say that there is none: names that are equal but written with other characters (an umlaut as one or as
  /// two) have other hashes. The graph's dictionary knows.
  func place(of type: any Any.Type, named name: String) -> SlotPlace? {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    guard let hash = Self.hash(type, name) else { return nil }
    var index = hash & mask
    while true {
      let found = hashes[Int(truncatingIfNeeded: index)]
      if found == 0 { return nil }
      let place = memory.place(index)
      if found == hash, place.entry.pointee.type == type, names[Int(truncatingIfNeeded: index)] == name {
        return place
      }
      index = (index &+ 1) & mask
    }
  }

  /// A hash, never 0; `nil` for a string whose characters aren't in one place (one that Objective-C has made).
  private static func hash(_ type: UInt, _ name: String) -> UInt? {
    name.utf8.withContiguousStorageIfAvailable { characters in
      let bytes = UnsafeRawBufferPointer(characters)
      var hash = type &* factor
      var index = 0
      while index &+ 8 <= bytes.count {
        hash = mixed(
          hash, UInt(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
        index &+= 8
      }
      var rest = UInt(bytes.count)
      while index < bytes.count {
        rest = rest &<< 8 | UInt(bytes[index])
        index &+= 1
      }
      return mixed(hash, rest) | 1
    }
  }

  private static var factor: UInt { UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64) }

  private static func mixed(_ hash: UInt, _ word: UInt) -> UInt {
    let product = (hash ^ word) &* factor
    return product ^ (product &>> (UInt(UInt.bitWidth) / 2))
  }
}

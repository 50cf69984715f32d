// Unsafe code; see `SharedInstances.swift` and `SlotTable.swift`. This file reads the characters of a name
// word by word, from storage that is valid for the duration of the call.

/// Maps a type and a name to a cell and a slot: an immutable hash table with open addressing and linear
/// probing, like ``SlotTable``, at most half full. Its hash is cheaper than a dictionary's.
///
/// A ``Wiring`` owns the table and the slots to which it leads. Lookups take no lock, because nothing changes
/// after the initializer. The table is a shortcut: the graph's dictionary may contain a key that it doesn't
/// find.
@usableFromInline
struct NamedSlotTable: Sendable {
  /// The hash of each place; 0 if it is empty. `hash(_:_:)` never returns 0.
  private let hashes: [UInt]
  /// The name of each place; empty if the place is.
  private let names: [String]
  /// The entries, at the same indices.
  private let memory: SlotMemory
  /// The number of places, a power of two, minus one.
  private let mask: UInt
  /// Whether the table was created without entries. `false` if there were entries but all of them were left
  /// out.
  let isEmpty: Bool

  /// Creates a table.
  ///
  /// - Parameter named: the slots of the graph whose keys have a name; keys without a name are ignored. A key
  ///   whose name has no contiguous UTF-8 storage is left out.
  /// - Complexity: O(*n*) on average in the number of entries, in addition to the total length of their
  ///   names.
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

  /// Returns the place of a type and a name.
  ///
  /// `nil` doesn't mean that there is no entry: names that are equal but consist of different code units
  /// (canonically equivalent, such as a precomposed and a decomposed umlaut) have different hashes. The
  /// graph's dictionary is authoritative.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key.
  /// - Returns: the place, valid until the read in which the table was found ends.
  /// - Complexity: O(*k*) on average in the length of the name. It doesn't depend on the number of entries.
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

  /// Returns a hash of a type's address and a name: the UTF-8 code units are mixed in words of eight bytes,
  /// the rest together with the length.
  ///
  /// - Parameters:
  ///   - type: the address of the type.
  ///   - name: the name.
  /// - Returns: a number other than 0; `nil` for a string without contiguous UTF-8 storage (one bridged from
  ///   Objective-C).
  /// - Complexity: O(*k*) in the length of the name.
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

  /// 2⁶⁴ divided by the golden ratio, truncated to the width of a word (Fibonacci hashing; D. Knuth, *The Art
  /// of Computer Programming*, volume 3, section 6.4). It is odd, so that multiplying by it is a permutation
  /// of all words.
  private static var factor: UInt { UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64) }

  /// Returns a hash combined with one more word: a multiplication whose high half is folded into the low
  /// half.
  ///
  /// Without the folding, the low bits, from which the first place is computed, would depend only on the low
  /// bits of the word.
  ///
  /// - Parameters:
  ///   - hash: the hash so far.
  ///   - word: the next word; the characters of a name or their count.
  private static func mixed(_ hash: UInt, _ word: UInt) -> UInt {
    let product = (hash ^ word) &* factor
    return product ^ (product &>> (UInt(UInt.bitWidth) / 2))
  }
}

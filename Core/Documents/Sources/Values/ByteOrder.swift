import TenonStoreInterop

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Compares strings and bytes as Firestore does: by UTF-8 bytes, which is the order of Unicode code points.
///
/// Swift's `==` and `<` on `String` are not suitable because they treat canonically equivalent strings as equal.
///
/// All documents that are read, written or sorted pass through these functions, so they compare eight bytes at a time. Unsafe
/// pointers are confined to this file, and none outlives the call that receives it.
package enum ByteOrder {
  /// Compares strings by their UTF-8 bytes; a prefix precedes longer strings.
  ///
  /// - Returns: -1, 0 or 1.
  package static func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  /// Compares bytes as unsigned numbers, lexicographically; a prefix precedes longer data.
  ///
  /// - Returns: -1, 0 or 1.
  package static func compare(_ left: Data, _ right: Data) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  /// Compares bytes as unsigned numbers, lexicographically; a prefix precedes longer arrays.
  ///
  /// - Returns: -1, 0 or 1.
  static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  /// Finds a name by binary search: O(log n) comparisons.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - entries: entries sorted by the UTF-8 bytes of their names.
  /// - Returns: the index of the entry with the name, or the index at which it would be inserted.
  static func position(of name: String, in entries: [Fields.Entry]) -> (index: Int, isFound: Bool) {
    var name = name
    return name.withUTF8 { name in
      let name = UnsafeRawBufferPointer(name)
      return entries.withUnsafeBufferPointer { entries in
        var (low, high) = (0, entries.count)
        while low < high {
          let middle = (low + high) / 2
          let order =
            entries[middle].name.utf8.withContiguousStorageIfAvailable {
              compare(UnsafeRawBufferPointer($0), name)
            } ?? compare(Data(entries[middle].name.utf8), Data(name))
          if order == 0 { return (middle, true) }
          if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
      }
    }
  }

  /// Returns the index of the entry with a name; `nil` if there is none.
  ///
  /// Up to 16 entries are searched linearly, which is faster than a binary search for so few. The entries must be sorted.
  static func index(of name: String, in entries: [Fields.Entry]) -> Int? {
    guard entries.count <= 16 else {
      let (index, isFound) = position(of: name, in: entries)
      return isFound ? index : nil
    }
    let length = name.utf8.count
    var name = name
    return name.withUTF8 { name in
      let name = UnsafeRawBufferPointer(name)
      return entries.withUnsafeBufferPointer { entries in
        entries.firstIndex { entry in
          entry.name.utf8.count == length
            && entry.name.utf8.withContiguousStorageIfAvailable {
              compare(UnsafeRawBufferPointer($0), name) == 0
            } ?? entry.name.utf8.elementsEqual(name)
        }
      }
    }
  }

  /// Whether any byte is 0, which is rare in text. It reads eight bytes at a time.
  static func containsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while bytes.count - position >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      // Subtracting 1 sets the high bit of a byte only if the byte was 0 or its high bit was set before, which `~word` excludes.
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      position += 8
    }
    return bytes[position...].contains(0)
  }

  /// Returns the length in bytes of the longest common prefix.
  static func commonPrefix(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        let count = min(left.count, right.count)
        var position = 0
        while count - position >= 8 {
          let first = left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
          let second = right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
          let difference = UInt64(littleEndian: first ^ second)
          if difference != 0 { return position + difference.trailingZeroBitCount / 8 }
          position += 8
        }
        while position < count, left[position] == right[position] { position += 1 }
        return position
      }
    }
  }

  /// Returns the first eight bytes as a big-endian number, so that numbers compare like the bytes. Missing bytes count as 0.
  static func rank(of bytes: Span<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
      var rank: UInt64 = 0
      for position in 0..<8 { rank = rank << 8 | (position < bytes.count ? UInt64(bytes[position]) : 0) }
      return rank
    }
  }

  /// Compares two buffers lexicographically, eight bytes at a time. Differing words are compared as big-endian numbers.
  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let count = min(left.count, right.count)
    var position = 0
    while count - position >= 8 {
      let first = left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let second = right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if first != second { return UInt64(bigEndian: first) < UInt64(bigEndian: second) ? -1 : 1 }
      position += 8
    }
    while position < count {
      if left[position] != right[position] { return left[position] < right[position] ? -1 : 1 }
      position += 1
    }
    return left.count == right.count ? 0 : (left.count < right.count ? -1 : 1)
  }
}

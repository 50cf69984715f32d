import TenonStoreInterop

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Compares text as Firestore does: by its UTF-8 bytes, which is the order of Unicode code points. Swift's own `==`
/// and `<` hold canonically equivalent strings for equal.
///
/// Whatever is read, written or put in order passes through here, so bytes are compared eight at a time. The pointers live in
/// this file only, each within the call that receives it.
package enum ByteOrder {
  package static func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  package static func compare(_ left: Data, _ right: Data) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  /// Where a name stands among sorted ones, or where it would stand.
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

  /// Where a name stands; `nil` when it isn't there. Few names are looked through faster than they are halved.
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

  /// Whether a byte is 0, which hardly any text has.
  static func containsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while bytes.count - position >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      // The highest bit of a byte is set by taking 1 from 0 only, or was set before.
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      position += 8
    }
    return bytes[position...].contains(0)
  }

  /// How many bytes both begin with.
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

  /// The first eight bytes as a number of the same order; fewer ones as if zeros followed.
  static func rank(of bytes: Span<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
      var rank: UInt64 = 0
      for position in 0..<8 { rank = rank << 8 | (position < bytes.count ? UInt64(bytes[position]) : 0) }
      return rank
    }
  }

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

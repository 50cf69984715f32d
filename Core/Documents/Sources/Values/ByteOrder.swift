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

  package static func areEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && compare(left, right) == 0
  }

  /// Feeds the bytes of text.
  static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
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

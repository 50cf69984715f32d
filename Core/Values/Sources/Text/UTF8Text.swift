/// Text that is identified by its UTF-8 bytes, as in Firestore. Swift's `==` treats canonically equivalent
/// strings as equal.
///
/// As a key of a `Dictionary` or an element of a `Set`, it keeps names apart that Firestore distinguishes. It
/// has no order; ``ByteOrder`` compares strings by their bytes.
package struct UTF8Text: Sendable {
  /// The text.
  package let string: String

  /// Creates the value from its text.
  package init(_ string: String) { self.string = string }
}

extension UTF8Text: Hashable {
  /// Returns whether both texts have the same bytes.
  package static func == (left: UTF8Text, right: UTF8Text) -> Bool { areEqual(left.string, right.string) }

  /// Returns whether both strings have the same bytes.
  ///
  /// - Parameters:
  ///   - left: a string.
  ///   - right: the string to compare with. Strings of different lengths are never compared byte by byte.
  /// - Complexity: O(*n*) in the length of the common prefix.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  /// Hashes the bytes, without normalizing the text first.
  package func hash(into hasher: inout Hasher) {
    var text = string
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Compares two buffers of the same length, eight bytes at a time, at any alignment. Neither pointer
  /// outlives the call.
  private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while left.count - position >= 8 {
      let first = left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      guard first == right.loadUnaligned(fromByteOffset: position, as: UInt64.self) else { return false }
      position += 8
    }
    while position < left.count {
      guard left[position] == right[position] else { return false }
      position += 1
    }
    return true
  }
}

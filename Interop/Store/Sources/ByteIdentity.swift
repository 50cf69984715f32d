/// Compares and hashes text by its UTF-8 bytes, as Firestore does. Swift's `==` treats canonically equivalent strings as equal.
package enum ByteIdentity {
  /// Returns whether both strings have the same bytes.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  /// Hashes the bytes of a string.
  package static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Compares two buffers of the same length, eight bytes at a time.
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

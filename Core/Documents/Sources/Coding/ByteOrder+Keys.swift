import TenonValues

/// What sorts and encodes the keys of indexes. No unsafe pointer outlives the call that receives it.
extension ByteOrder {
  /// Whether any byte is 0, which is rare in text.
  ///
  /// Eight bytes are tested together by the expression `(v - 0x01…) & ~v & 0x80…` (Sean Eron Anderson, Bit
  /// Twiddling Hacks, "Determine if a word has a zero byte"). A borrow can mark bytes above the lowest zero
  /// byte incorrectly, but the result is nonzero exactly if the word has a zero byte. It doesn't depend on
  /// the byte order of the processor.
  ///
  /// - Parameter bytes: the bytes, at any alignment. They aren't retained.
  /// - Complexity: O(*n*) in the number of bytes before the first zero byte.
  static func containsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while bytes.count - position >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      // Subtracting 1 sets the high bit of a byte only if the byte was 0 or its high bit was set before,
      // which `~word` excludes.
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      position += 8
    }
    return bytes[position...].contains(0)
  }

  /// Returns the length in bytes of the longest common prefix.
  ///
  /// In the exclusive or of two words, the first byte in memory that isn't 0 is the first one that differs.
  /// As a little-endian number, that byte contains the least significant set bit.
  ///
  /// - Returns: a number from 0 to the length of the shorter span.
  /// - Complexity: O(*n*) in the result.
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

  /// Returns the first eight bytes as a big-endian number, so that numbers compare like the bytes. Missing
  /// bytes count as 0.
  ///
  /// A lesser rank means that the bytes come first in the order of `compare`. Equal ranks decide nothing: the
  /// bytes may differ after the first eight, or one may lack zero bytes that the other has.
  ///
  /// - Parameter bytes: any number of bytes. Those after the first eight are ignored.
  static func rank(of bytes: Span<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
      var rank: UInt64 = 0
      for position in 0..<8 { rank = rank << 8 | (position < bytes.count ? UInt64(bytes[position]) : 0) }
      return rank
    }
  }
}

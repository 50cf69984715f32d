package import TenonFoundation

extension Data {
  /// Creates bytes from Base64 as the JSON mapping of protobuf permits it: in the standard or the URL-safe
  /// alphabet (RFC 4648, sections 4 and 5), with complete padding or without any. Bits that are left over at
  /// the end are ignored.
  ///
  /// - Parameter text: the text, without spaces and line breaks.
  /// - Returns: `nil` for any other text.
  /// - Complexity: O(*n*) in the length of the text.
  package init?(wireBase64 text: String) {
    self.init()
    reserveCapacity(text.utf8.count / 4 * 3)
    var (buffer, bits, characters, padding): (UInt32, UInt32, Int, Int) = (0, 0, 0, 0)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let digit = Self.digit(byte) else { return nil }
      characters += 1
      buffer = buffer << 6 | digit
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      append(UInt8(truncatingIfNeeded: buffer >> bits))
    }
    // One character alone is less than a byte.
    guard characters % 4 != 1, padding == 0 || padding == [0, 3, 2, 1][characters % 4] else { return nil }
  }

  /// Returns the value of a character of either alphabet; `nil` for other characters.
  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(truncatingIfNeeded: byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(truncatingIfNeeded: byte - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(truncatingIfNeeded: byte - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

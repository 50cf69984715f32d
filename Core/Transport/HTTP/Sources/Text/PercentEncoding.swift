/// The percent-encoding of texts in URLs and forms (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// Encodes a whole path as one segment, including its slashes, as the protocol of Storage requires for
  /// object names.
  ///
  /// - Complexity: O(*n*).
  package static func segment(_ text: String) -> String { encode(text, keeping: "-._~!$'()*,=:@") }

  /// Encodes the value of a query parameter or of a form's field: all bytes except those of unreserved
  /// characters (RFC 3986, section 2.3).
  ///
  /// - Complexity: O(*n*).
  package static func queryValue(_ text: String) -> String { encode(text, keeping: "-._~") }

  /// Returns the text with its percent-encoded bytes decoded. A plus sign isn't decoded to a space.
  ///
  /// - Parameter text: the encoded text. Characters other than the percent sign are kept.
  /// - Returns: `nil` if a percent sign isn't followed by two hexadecimal digits, or if the decoded bytes
  ///   aren't UTF-8.
  /// - Complexity: O(*n*).
  package static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var encoded = text.utf8.makeIterator()
    while let byte = encoded.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = encoded.next().flatMap(hexadecimalDigit),
          let low = encoded.next().flatMap(hexadecimalDigit)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns the value of a hexadecimal digit in ASCII, 0 to 15; `nil` for any other byte.
  private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Encodes all bytes except ASCII letters, ASCII digits and some other characters.
  ///
  /// - Parameters:
  ///   - text: the text, whose UTF-8 bytes are encoded.
  ///   - marks: the ASCII characters to keep.
  /// - Complexity: O(*n*).
  private static func encode(_ text: String, keeping marks: String) -> String {
    let kept = Set(marks.utf8)
    var result = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      if byte < 0x80, isPlain || kept.contains(byte) {
        result.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}

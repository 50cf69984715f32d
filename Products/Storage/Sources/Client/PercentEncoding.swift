/// Percent-encoding of UTF-8 bytes (RFC 3986, section 2.1).
enum PercentEncoding {
  /// Encodes a whole path as one segment, including its slashes, as the protocol requires for object names.
  static func segment(_ text: String) -> String { encode(text, keeping: "-._~!$'()*,=:@") }

  /// Encodes the value of a query parameter.
  static func queryValue(_ text: String) -> String { encode(text, keeping: "-._~") }

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

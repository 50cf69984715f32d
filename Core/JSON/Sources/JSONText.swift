/// The text of strings in JSON.
extension [UInt8] {
  /// Appends a string with its quotation marks (RFC 8259, section 7): quotation marks, backslashes and
  /// control characters are escaped, and nothing else.
  ///
  /// - Complexity: O(*n*). The bytes between escapes are copied together.
  package mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    appendEscaped(text)
    append(UInt8(ascii: "\""))
  }

  /// Appends the contents of a string, without quotation marks.
  package mutating func appendEscaped(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      for (position, byte) in bytes.enumerated()
      where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        // Checked: positions only increase.
        append(contentsOf: bytes[start..<position])
        appendEscape(of: byte)
        start = position + 1
      }
      append(contentsOf: bytes[start...])
    }
  }

  /// Appends the escape of a character: of one letter if there is one, otherwise of four hexadecimal digits.
  private mutating func appendEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(contentsOf: #"\""#.utf8)
    case UInt8(ascii: "\\"): append(contentsOf: #"\\"#.utf8)
    case 0x08: append(contentsOf: #"\b"#.utf8)
    case 0x09: append(contentsOf: #"\t"#.utf8)
    case 0x0A: append(contentsOf: #"\n"#.utf8)
    case 0x0C: append(contentsOf: #"\f"#.utf8)
    case 0x0D: append(contentsOf: #"\r"#.utf8)
    default: append(contentsOf: ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8)
    }
  }
}

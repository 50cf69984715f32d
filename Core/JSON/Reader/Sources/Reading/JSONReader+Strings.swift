extension JSONReader {
  /// Reads a string, whose quotation mark is next (RFC 8259, section 7).
  ///
  /// The bytes between escapes are checked and copied together, so that the time is proportional to the
  /// length, whatever the number of escapes. UTF-8 is checked as RFC 3629 requires: no overlong forms, no
  /// surrogates, nothing beyond U+10FFFF.
  ///
  /// - Precondition: a quotation mark is next. It is skipped without a check.
  /// - Returns: the string without its quotation marks. The closing one has been skipped.
  /// - Throws: ``JSONError`` with ``JSONError/Code/syntax`` for control characters below U+0020, unknown
  ///   escapes and a missing end, and with ``JSONError/Code/invalidUnicode`` for invalid UTF-8 and for half
  ///   of a surrogate pair.
  /// - Complexity: O(*n*) in the number of bytes.
  mutating func string() throws(JSONError) -> String {
    position += 1
    var start = position
    var text: [UInt8] = []
    var isASCII = true
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        // Checked: the position only increases.
        let rest = bytes[start..<position]
        guard let result = Self.string(text.isEmpty ? rest : (text + rest)[...], isASCII: isASCII) else {
          throw failure("a string isn't UTF-8", .invalidUnicode)
        }
        position += 1
        return result
      case UInt8(ascii: "\\"):
        // Checked: the position only increases.
        text += bytes[start..<position]
        try appendEscaped(to: &text)
        isASCII = false
        start = position
      case 0..<0x20:
        throw failure("a string has a control character")
      default:
        isASCII = isASCII && byte < 0x80
        position += 1
      }
    }
    throw failure("a string doesn't end")
  }

  /// Returns the string of bytes; `nil` if they aren't UTF-8.
  ///
  /// - Parameter isASCII: whether all bytes are below 0x80, and need no validation. Most strings of protocols
  ///   are, and the initializer that validates costs more than the rest of the parser.
  private static func string(_ bytes: ArraySlice<UInt8>, isASCII: Bool) -> String? {
    isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  /// Reads an escape, whose backslash is next, and appends its character in UTF-8.
  ///
  /// The escapes of one letter are those of RFC 8259, section 7; others, such as `\v` or `\x41` in
  /// JavaScript, are errors. Surrogates must form a pair, because a Swift string can't contain one alone.
  ///
  /// - Parameter text: the bytes of the string so far.
  /// - Throws: ``JSONError``, with ``JSONError/Code/invalidUnicode`` for half of a surrogate pair.
  private mutating func appendEscaped(to text: inout [UInt8]) throws(JSONError) {
    position += 1
    guard let letter = peek() else { throw failure("a string doesn't end") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += UTF8.encode(try escapedScalar()) ?? UTF8.encodedReplacementCharacter
    default: throw failure("an escape isn't known")
    }
  }

  /// Reads the digits of an escape, and those of a second one if the first is half of a surrogate pair.
  ///
  /// A character beyond the Basic Multilingual Plane is written as two escapes, of a high surrogate (U+D800
  /// to U+DBFF) and a low one (U+DC00 to U+DFFF) in this order. Each contributes 10 bits to the character's
  /// offset from U+10000.
  ///
  /// - Returns: the character; U+FFFD for half of a pair if ``replacesLoneSurrogates`` is set.
  /// - Throws: ``JSONError`` with ``JSONError/Code/invalidUnicode`` for half of a pair otherwise.
  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let high = try hexadecimal()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xDC00, bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
      return try loneSurrogate()
    }
    let second = position
    position += 2
    let low = try hexadecimal()
    if (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    {
      return scalar
    }
    let replacement = try loneSurrogate()
    // The second escape is another character, or another half.
    position = second
    return replacement
  }

  /// Returns what half of a surrogate pair becomes.
  private func loneSurrogate() throws(JSONError) -> Unicode.Scalar {
    guard replacesLoneSurrogates else {
      throw failure("half of a surrogate pair is missing", .invalidUnicode)
    }
    return "\u{FFFD}"
  }

  /// Reads the four hexadecimal digits of an escape, of either case, and returns the UTF-16 code unit.
  ///
  /// - Throws: ``JSONError`` if there are fewer.
  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek() else { throw failure("a string doesn't end") }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw failure("an escape isn't known")
      }
      unit = unit << 4 | UInt32(truncatingIfNeeded: digit)
      position += 1
    }
    return unit
  }
}

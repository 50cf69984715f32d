extension Parser {
  /// Returns the value of a number with a point.
  static func float(_ text: String) -> Double {
    // Swift requires digits on both sides of the point.
    Double((text.hasPrefix(".") ? "0" : "") + text + (text.hasSuffix(".") ? "0" : "")) ?? 0
  }

  /// Removes the percent encoding of a path's segment.
  static func decoded(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = hexadecimalDigit(bytes[index + 1]),
        let low = hexadecimalDigit(bytes[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// Returns the text of a literal, without its quotes and escapes.
  static func unescaped(_ literal: String) -> String {
    let text = literal.dropFirst().dropLast()
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var units: [UInt16] = []
    var rest = Array(text.utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == UInt16(UInt8(ascii: "\\")), let escape = rest.popFirst() else {
        units.append(unit)
        continue
      }
      units.append(Self.unit(escape, &rest))
    }
    // Unpaired surrogates become U+FFFD.
    return String(decoding: units, as: UTF16.self)
  }

  /// Returns the bytes of a literal like `b'…'`, or `nil` if it has an escape that denotes no byte.
  static func unescapedBytes(_ literal: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(literal.utf8.dropFirst(2).dropLast())[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      if escape == UInt8(ascii: "u") { return nil }
      var units = rest.map(UInt16.init)[...]
      let count = units.count
      bytes.append(UInt8(truncatingIfNeeded: Self.unit(UInt16(escape), &units)))
      rest = rest.dropFirst(count - units.count)
    }
    return bytes
  }

  /// Returns the unit that an escape sequence denotes. The lexer has checked the sequence.
  private static func unit(_ escape: UInt16, _ rest: inout ArraySlice<UInt16>) -> UInt16 {
    func number(_ count: Int, radix: Int) -> UInt16 {
      var value: UInt16 = 0
      for _ in 0..<count {
        let digit = rest.popFirst().flatMap { UInt8(exactly: $0) }.flatMap(hexadecimalDigit) ?? 0
        value = value &* UInt16(truncatingIfNeeded: radix) &+ UInt16(digit)
      }
      return value
    }
    switch UInt8(truncatingIfNeeded: escape) {
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "f"): return 12
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "u"): return number(4, radix: 16)
    case UInt8(ascii: "x"): return number(2, radix: 16)
    case let digit where (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(digit):
      return number(2, radix: 8) &+ 64 &* UInt16(digit - UInt8(ascii: "0"))
    default: return escape
    }
  }
}

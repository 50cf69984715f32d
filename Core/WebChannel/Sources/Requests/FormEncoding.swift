/// The encoding of names and values in queries and forms (`application/x-www-form-urlencoded`).
enum FormEncoding {
  /// Appends bytes; all except the unreserved characters of RFC 3986 (section 2.3) become `%XX`.
  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in bytes {
      if isUnreserved(byte) {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
      }
    }
  }

  /// Returns the number of bytes that ``append(_:to:)`` appends.
  static func size(of bytes: some Sequence<UInt8>) -> Int {
    var size = 0
    for byte in bytes { size += isUnreserved(byte) ? 1 : 3 }
    return size
  }

  /// Decodes a name or a value. A plus sign is a space.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badRequest`` for a percent sign without two
  ///   hexadecimal digits.
  static func decode(_ text: ArraySlice<UInt8>) throws(ChannelError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
          throw ChannelError(.badRequest, "A percent sign isn't followed by two hexadecimal digits.")
        }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  /// Splits a query or a form at `&` and `=`, and calls a function with each name and encoded value. Empty
  /// parts are skipped.
  static func forEachPart(
    of text: ArraySlice<UInt8>,
    _ body: (_ name: String, _ value: ArraySlice<UInt8>) throws(ChannelError) -> Void
  ) throws(ChannelError) {
    for part in text.split(separator: UInt8(ascii: "&")) {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair.first else { continue }
      guard name.count <= 256 else { throw ChannelError(.badRequest, "A parameter's name is too long.") }
      try body(try string(name), pair.count == 2 ? pair[1] : [])
    }
  }

  /// Decodes a value as text.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badUnicode`` if it isn't valid UTF-8.
  static func string(_ text: ArraySlice<UInt8>) throws(ChannelError) -> String {
    guard let string = String(validating: try decode(text), as: UTF8.self) else {
      throw ChannelError(.badUnicode, "A parameter isn't valid UTF-8.")
    }
    return string
  }

  /// Letters, digits, and `-._~`.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

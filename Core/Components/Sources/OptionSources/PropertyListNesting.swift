import TenonBasics

/// The limit for the nesting of property lists, which Foundation parses recursively and without one: 20,000
/// nested arrays overflow the stack and end the process.
///
/// The containers of a text, or the values of a binary file, are counted before it is parsed; it can't be
/// nested deeper than that. A `GoogleService-Info.plist` has one dictionary and about 20 strings.
enum PropertyListNesting {
  /// The maximum number of containers, or of values in a binary file.
  static let limit = 512

  /// Returns whether a file may be parsed. Complexity: O(*n*).
  ///
  /// - Parameter content: the file. Texts in UTF-16 or UTF-32 may not be parsed, because their containers
  ///   aren't counted.
  static func isLimited(_ content: Data) -> Bool {
    let content = Array(content)
    if content.starts(with: "bplist".utf8) { return valueCount(ofBinary: content) <= limit }
    // Every container begins with `<array>` or `<dict>`; in the older format with a parenthesis or a brace.
    // `<data>` and `<date>` are counted too.
    var count = 0
    var previous: UInt8 = 0
    for byte in content {
      switch (previous, byte) {
      case (_, 0): return false
      case (UInt8(ascii: "<"), UInt8(ascii: "a")), (UInt8(ascii: "<"), UInt8(ascii: "d")),
        (_, UInt8(ascii: "(")), (_, UInt8(ascii: "{")):
        count += 1
      default: break
      }
      previous = byte
    }
    return count <= limit
  }

  /// Returns the number of values in a binary file, which its last 32 bytes contain as a big-endian number of
  /// 64 bits.
  private static func valueCount(ofBinary content: [UInt8]) -> UInt64 {
    guard content.count >= 32 else { return .max }
    return content.suffix(24).prefix(8).reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
  }
}

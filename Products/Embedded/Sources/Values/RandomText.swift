import TenonDocuments

/// Unpredictable text of letters and digits, from the system's random number generator.
enum RandomText {
  /// Returns a text of a given length.
  ///
  /// - Parameter count: the number of letters and digits.
  static func make(count: Int) -> String { AutomaticID.text(count: count) }

  /// Returns a user ID in Firebase's form: 28 letters and digits.
  static func userID() -> String { make(count: 28) }

  /// Returns a secret with more than 256 bits of randomness.
  static func secret() -> String { make(count: 48) }

  /// Returns a random UUID in lower case (RFC 9562, section 5.4).
  static func uuid() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
      .map { $0.joined() }.joined(separator: "-")
  }
}

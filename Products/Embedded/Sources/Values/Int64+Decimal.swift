extension Int64 {
  /// Reads a whole number in decimal digits, with or without a minus sign. Unlike `Int64(_:)`, it accepts no plus sign.
  ///
  /// - Returns: `nil` if the text is anything else, or beyond 64 bits.
  init?(decimal text: some StringProtocol) {
    guard text.utf8.first != UInt8(ascii: "+"), let number = Int64(text) else { return nil }
    self = number
  }
}

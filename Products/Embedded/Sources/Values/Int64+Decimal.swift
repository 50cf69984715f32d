extension Int64 {
  /// Creates an integer from decimal digits, with or without a minus sign. Unlike `Int64(_:)`, this
  /// initializer doesn't accept a plus sign.
  ///
  /// - Returns: `nil` if the text is anything else, or exceeds 64 bits.
  init?(decimal text: some StringProtocol) {
    guard text.utf8.first != UInt8(ascii: "+"), let number = Int64(text) else { return nil }
    self = number
  }
}

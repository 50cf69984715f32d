extension FixedWidthInteger {
  /// Creates an integer from decimal digits, with or without a minus sign.
  ///
  /// Use this for numbers from outside: `init(_:)` of the same form accepts a plus sign, and for a number
  /// instead of a text it traps.
  ///
  /// - Parameter text: ASCII digits, without spaces. Leading zeros are accepted.
  /// - Returns: `nil` for any other text, for example `+5`, `0x10`, `1e3`, ` 5` or an empty one, and for a
  ///   number that this type can't represent.
  package init?(decimal text: some StringProtocol) {
    guard text.utf8.first != UInt8(ascii: "+"), let number = Self(text) else { return nil }
    self = number
  }
}

extension Double {
  /// Creates a number from decimal digits, with an optional sign, decimal point and exponent.
  ///
  /// - Parameter text: the number in ASCII, without spaces.
  /// - Returns: `nil` for any other text, including hexadecimal numbers and names such as `inf`, and for a
  ///   number beyond the range of `Double`. A number that is nearer to 0 than every other `Double` is 0.
  package init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let number = Double(text), number.isFinite
    else { return nil }
    self = number
  }
}

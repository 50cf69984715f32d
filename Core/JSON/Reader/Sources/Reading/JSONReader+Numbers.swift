extension JSONReader {
  /// Reads a number (RFC 8259, section 6).
  ///
  /// Integers of 64 bits are exact. All other numbers are rounded to the nearest double, which is 0 for those
  /// whose magnitude is less than half of the least positive double. A double that is written with a fraction
  /// or an exponent and whose value is an integer becomes one, because servers write `1.0` for 1. Integers
  /// beyond 64 bits don't: they were rounded.
  ///
  /// - Returns: ``Value/int(_:)`` or ``Value/unsigned(_:)`` for integers of 64 bits without a fraction or an
  ///   exponent; ``Value/int(_:)`` for numbers with one whose value, after rounding, is an integer that an
  ///   `Int64` can represent; ``Value/double(_:)``, which is finite, for all others and for negative zero,
  ///   whose sign an integer would lose.
  /// - Throws: ``JSONError``, with ``JSONError/Code/syntax`` if there is no number or it violates the
  ///   grammar, for example `01`, `1.` or `+1`, and with ``JSONError/Code/numberOutOfRange`` if the magnitude
  ///   exceeds that of every double.
  mutating func number() throws(JSONError) -> Value {
    let start = position
    let isNegative = peek() == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let first = position
    let isZero = peek() == UInt8(ascii: "0")
    guard let whole = skipDigits() else { throw failure("there is no value") }
    guard !isZero || position == first + 1 else { throw failure("a number begins with a superfluous 0") }
    var isWhole = true
    if peek() == UInt8(ascii: ".") {
      position += 1
      isWhole = false
      guard skipDigits() != nil else { throw failure("a number has no fraction") }
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      position += 1
      isWhole = false
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() != nil else { throw failure("a number has no exponent") }
    }
    if isWhole, let integer = Self.integer(whole, isNegative: isNegative) { return integer }
    // Checked: the position only increases.
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite
    else {
      throw failure("a number is out of range", .numberOutOfRange)
    }
    if !isWhole, let whole = Int64(exactly: number), whole != 0 || number.sign == .plus { return .int(whole) }
    return .double(number)
  }

  /// The value of decimal digits.
  private enum Digits {
    /// The value, if an `UInt64` can represent it.
    case value(UInt64)
    /// The value exceeds `UInt64.max`.
    case overflow
  }

  /// Returns an integer, or `nil` for negative zero and for values that neither an `Int64` nor an `UInt64`
  /// can represent.
  ///
  /// - Parameters:
  ///   - digits: the digits behind the sign.
  ///   - isNegative: whether there is a minus sign. The least `Int64` has a magnitude that exceeds the
  ///     greatest by one.
  private static func integer(_ digits: Digits, isNegative: Bool) -> Value? {
    guard case .value(let magnitude) = digits else { return nil }
    guard isNegative else { return Int64(exactly: magnitude).map(Value.int) ?? .unsigned(magnitude) }
    guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
    return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// Skips digits and returns their value, or `nil` if there are none.
  ///
  /// Once the value has overflowed, the remaining digits are skipped without calculation, so that long
  /// numbers cost linear time. The value is used for integers only; doubles are converted from their text.
  private mutating func skipDigits() -> Digits? {
    let start = position
    var value: UInt64 = 0
    var overflows = false
    while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      position += 1
      guard !overflows else { continue }
      let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isSumTooLarge) = tenfold.addingReportingOverflow(
        UInt64(truncatingIfNeeded: byte - UInt8(ascii: "0")))
      value = sum
      overflows = isTooLarge || isSumTooLarge
    }
    guard position > start else { return nil }
    return overflows ? .overflow : .value(value)
  }
}

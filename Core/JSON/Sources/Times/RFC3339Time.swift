/// A time in the format of RFC 3339, section 5.6, for example `2026-11-21T09:30:00.5+01:00`: the form of
/// times in JSON.
package struct RFC3339Time: Sendable, Hashable {
  /// The number of whole seconds since 1970-01-01T00:00:00Z, rounded down.
  package let seconds: Int
  /// The decimal digits of the fraction of a second; empty if there is none.
  package let fraction: Substring

  /// Parses a text.
  ///
  /// `T` and `Z` may be in lower case. Days and times that don't exist, such as 30 February, are rejected,
  /// and so are leap seconds, which seconds since 1970 can't represent.
  ///
  /// - Parameters:
  ///   - text: the complete text, without spaces, in ASCII digits.
  ///   - requiresColon: whether the offset must have a colon, as RFC 3339 requires and ISO 8601 doesn't.
  /// - Returns: `nil` for any other text.
  /// - Complexity: O(*n*) in the length of the text. Responses of servers contain several times for each
  ///   document.
  package init?(_ text: String, requiresColon: Bool) {
    var rest = text.utf8[...]
    guard let year = Self.number(&rest, digits: 4), Self.skip("-", &rest),
      let month = Self.number(&rest, digits: 2), Self.skip("-", &rest),
      let day = Self.number(&rest, digits: 2), Self.skip("T", &rest) || Self.skip("t", &rest),
      let hour = Self.number(&rest, digits: 2), Self.skip(":", &rest),
      let minute = Self.number(&rest, digits: 2), Self.skip(":", &rest),
      let second = Self.number(&rest, digits: 2), let fraction = Self.fraction(&rest),
      let zone = Self.zone(&rest, requiresColon: requiresColon), rest.isEmpty
    else { return nil }
    guard (1...12).contains(month),
      // Checked: a month has at least 28 days.
      (1...GregorianCalendar.days(of: month, in: year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let time = hour * 3_600 + minute * 60 + second - zone
    // Numbers of at most four digits: no sum or product overflows.
    seconds = GregorianCalendar.days(to: day, month, year) * 86_400 + time
    self.fraction = fraction
  }

  /// Removes a number with leading zeros; `nil` if there are fewer digits.
  private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int? {
    var number = 0
    // Checked: 2 or 4 digits.
    for _ in 0..<digits {
      guard let byte = rest.popFirst(), isDigit(byte) else { return nil }
      number = number * 10 + Int(truncatingIfNeeded: byte - UInt8(ascii: "0"))
    }
    return number
  }

  /// Removes a character if it is next, and returns whether it was.
  private static func skip(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Removes the fraction and returns its digits, at least one behind a decimal point; empty if there is no
  /// fraction.
  private static func fraction(_ rest: inout Substring.UTF8View) -> Substring? {
    guard skip(".", &rest) else { return "" }
    let digits = rest.prefix(while: isDigit)
    rest = rest[digits.endIndex...]
    return digits.isEmpty ? nil : Substring(digits)
  }

  /// Removes the offset from UTC and returns it in seconds; `nil` if it is missing, or of 24 hours or more.
  private static func zone(_ rest: inout Substring.UTF8View, requiresColon: Bool) -> Int? {
    if skip("Z", &rest) || skip("z", &rest) { return 0 }
    let isNegative = rest.first == UInt8(ascii: "-")
    guard skip("-", &rest) || skip("+", &rest), let hour = number(&rest, digits: 2),
      skip(":", &rest) || !requiresColon, let minute = number(&rest, digits: 2), hour < 24, minute < 60
    else { return nil }
    return (hour * 60 + minute) * (isNegative ? -60 : 60)
  }

  /// Whether a byte is a decimal digit in ASCII.
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

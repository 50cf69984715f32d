/// A time in the format of RFC 3339, section 5.6, for example `2026-11-21T09:30:00.5+01:00`: the form of times in JSON.
package struct RFC3339Time: Sendable, Hashable {
  /// The number of whole seconds since 1970-01-01T00:00:00Z, rounded down.
  package let seconds: Int
  /// The decimal digits of the fraction of a second; empty if there is none.
  package let fraction: Substring

  /// Parses a text.
  ///
  /// `T` and `Z` may be in lower case. Days and times that don't exist, such as 30 February, are rejected, and so are leap seconds,
  /// which seconds since 1970 can't represent.
  ///
  /// - Parameters:
  ///   - text: the complete text, without spaces, in ASCII digits.
  ///   - requiresColon: whether the offset must have a colon, as RFC 3339 requires and ISO 8601 does not.
  /// - Returns: `nil` for any other text.
  package init?(_ text: String, requiresColon: Bool) {
    let format =
      /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d)(:?)(\d\d))/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: format), !requiresColon || match.10 != "" else { return nil }
    /// Returns the value of decimal digits; 0 if the group is missing.
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int(decimal: $0) } ?? 0 }
    let (year, month, day) = (number(match.1), number(match.2), number(match.3))
    let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
    let (zoneHour, zoneMinute) = (number(match.9), number(match.11))
    guard (1...12).contains(month),
      // Checked: a month has at least 28 days.
      (1...GregorianCalendar.days(of: month, in: year)).contains(day), hour < 24, minute < 60, second < 60,
      zoneHour < 24, zoneMinute < 60
    else { return nil }
    let zone = (zoneHour * 60 + zoneMinute) * (match.8 == "-" ? -60 : 60)
    let time = hour * 3_600 + minute * 60 + second - zone
    // Numbers of at most four digits: no sum or product overflows.
    seconds = GregorianCalendar.days(to: day, month, year) * 86_400 + time
    fraction = match.7 ?? ""
  }
}

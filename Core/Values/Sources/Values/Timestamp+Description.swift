extension Timestamp: CustomStringConvertible {
  /// The time in RFC 3339 format, section 5.6, in UTC, for example `2026-11-22T10:15:00.25Z`. The fraction
  /// has up to nine digits, and none for a whole second.
  ///
  /// A time outside the years 1 to 9999, or with nanoseconds outside 0 to 999,999,999, has no such form. It
  /// is described by its seconds and nanoseconds instead, for example
  /// `Timestamp(seconds: 9223372036854775807, nanoseconds: 0)`.
  public var description: String {
    let years1To9999: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    guard years1To9999.contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
      return "Timestamp(seconds: \(seconds), nanoseconds: \(nanoseconds))"
    }
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let second = seconds - day * 86_400
    let date = Self.date(ofDay: day)
    return Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-" + Self.padded(date.day, 2)
      + "T" + Self.padded(second / 3600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":"
      + Self.padded(second % 60, 2) + fraction + "Z"
  }

  /// The fraction of the second with its decimal point and without trailing zeros; empty for a whole second.
  private var fraction: String {
    guard nanoseconds != 0 else { return "" }
    var digits = Self.padded(Int64(clamping: nanoseconds), 9)
    while digits.hasSuffix("0") { digits.removeLast() }
    return ".\(digits)"
  }

  /// Returns a number in decimal, padded with leading zeros to a width.
  ///
  /// - Parameters:
  ///   - number: a number that isn't negative.
  ///   - width: the minimum number of digits. A number with more digits isn't truncated.
  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    // Checked: not negative, and at most the width.
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Returns the proleptic Gregorian date of a day, counted from 1970-01-01.
  ///
  /// Days are counted from 0000-03-01, so that the leap day is the last day of a year: a cycle of 400 years
  /// has 146,097 days, and the five months from March on have 153. The source of the computation is
  /// `civil_from_days` in Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
  /// (https://howardhinnant.github.io/date_algorithms.html).
  ///
  /// - Parameter day: the number of days since 1970-01-01, negative for earlier ones.
  /// - Returns: the year, the month from 1 to 12, and the day of the month from 1 to 31.
  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfCycle = shifted - cycle * 146_097
    let year = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      year: year + cycle * 400 + (month >= 10 ? 1 : 0), month: month < 10 ? month + 3 : month - 9,
      day: dayOfYear - (153 * month + 2) / 5 + 1
    )
  }
}

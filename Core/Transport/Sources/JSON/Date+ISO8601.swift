package import Foundation
import TenonJSON

extension Date {
  /// The date as RFC 3339 text in UTC with milliseconds, for example `2026-11-21T08:30:00.000Z`; `nil` outside the
  /// years 0 to 9999 and for dates that aren't finite. Fractions of a millisecond are rounded down.
  ///
  /// The calendar is the proleptic Gregorian one, as in RFC 3339 and in JavaScript. `ISO8601FormatStyle` uses the
  /// Julian calendar for days before 15 October 1582.
  ///
  /// The text is 24 ASCII characters long, and the texts of dates sort like the dates. ``init(iso8601:)`` restores a
  /// multiple of 1/8 second exactly, and any other date to within a millisecond.
  package var iso8601Milliseconds: String? {
    guard let all = Int(exactly: (timeIntervalSince1970 * 1_000).rounded(.down)),
      (Self.first...Self.last).contains(all)
    else { return nil }
    let days = Self.floor(all, 86_400_000)
    let time = all - days * 86_400_000
    let (year, month, day) = Self.day(days)
    /// Returns a number as decimal text, with leading zeros up to `count` digits.
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      // Checked: the numbers have at most as many digits.
      return String(repeating: "0", count: count - text.count) + text
    }
    let clock =
      "\(digits(time / 3_600_000, 2)):\(digits(time / 60_000 % 60, 2)):\(digits(time / 1_000 % 60, 2))"
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(clock).\(digits(time % 1_000, 3))Z"
  }

  /// The first millisecond of the year 0, counted from 1970.
  private static let first = days(to: 1, 1, 0) * 86_400_000
  /// The last millisecond of the year 9999, counted from 1970.
  private static let last = days(to: 1, 1, 10_000) * 86_400_000 - 1

  /// Creates a date from RFC 3339 text, for example `2026-11-21T09:30:00.5+01:00`.
  ///
  /// Days and times that don't exist, such as 30 February, are rejected, whereas `ISO8601FormatStyle` returns the day
  /// after them. Leap seconds are rejected too, because a `Date` can't represent them. A time zone may be written
  /// without its colon.
  ///
  /// - Parameter text: the date, time and time zone. Of a fraction of a second, 18 digits are used.
  /// - Returns: `nil` for any other text.
  package init?(iso8601 text: String) {
    let format =
      /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):?(\d\d))/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: format) else { return nil }
    /// Returns the value of decimal digits; 0 if the group is missing.
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int(decimal: $0) } ?? 0 }
    let (year, month, day) = (number(match.1), number(match.2), number(match.3))
    let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
    let (zoneHour, zoneMinute) = (number(match.9), number(match.10))
    // Checked: a month has at least 28 days.
    guard (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day), hour < 24,
      minute < 60, second < 60, zoneHour < 24, zoneMinute < 60
    else { return nil }
    let zone = (zoneHour * 60 + zoneMinute) * (match.8 == "-" ? -60 : 60)
    let seconds = Self.days(to: day, month, year) * 86_400 + hour * 3_600 + minute * 60 + second - zone
    self.init(
      timeIntervalSince1970: Double(seconds) + (match.7.flatMap { Double("0.\($0.prefix(18))") } ?? 0))
  }

  /// Returns the number of days of a month of the Gregorian calendar.
  ///
  /// - Parameters:
  ///   - month: the month, 1 to 12.
  ///   - year: the year, which decides on leap days.
  private static func days(of month: Int, in year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the number of days from 1 January 1970 to a day of the proleptic Gregorian calendar, which may be
  /// negative.
  ///
  /// A year begins in March here, so the leap day is its last day, and the days before a month are (153 · *m* + 2) / 5,
  /// with *m* = 0 for March: five months from March or August have 153 days. 719,468 is the number of days from 1 March
  /// of the year 0 to 1 January 1970. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
  /// (`days_from_civil`).
  ///
  /// - Parameters:
  ///   - day: the day of the month, from 1. It isn't checked.
  ///   - month: the month, 1 to 12.
  ///   - year: the year; 0 is the year before 1.
  private static func days(to day: Int, _ month: Int, _ year: Int) -> Int {
    // In a year that begins in March, the leap day is the last day.
    let (shifted, first) = (year - (month <= 2 ? 1 : 0), (month + 9) % 12)
    let leapDays = Self.floor(shifted, 4) - Self.floor(shifted, 100) + Self.floor(shifted, 400)
    return 365 * shifted + leapDays + (153 * first + 2) / 5 + day - 1 - 719_468
  }

  /// Returns the day of the proleptic Gregorian calendar that is `days` after 1 January 1970.
  ///
  /// The calculation uses eras of 400 years (146,097 days) and years that begin in March, so that the leap day is the
  /// last one. It is the inverse of ``days(to:_:_:)``. Source: Howard Hinnant's `civil_from_days`, in the same text.
  ///
  /// - Parameter days: the number of days, negative before 1970.
  private static func day(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floor(shifted, 146_097)
    let inEra = shifted - era * 146_097
    let yearOfEra = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let first = (5 * inYear + 2) / 153
    let month = first < 10 ? first + 3 : first - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, inYear - (153 * first + 2) / 5 + 1)
  }

  /// Returns the quotient of two integers, rounded towards negative infinity. Swift's own division rounds towards zero.
  ///
  /// - Parameters:
  ///   - number: the dividend, of either sign.
  ///   - divisor: the divisor, greater than zero.
  private static func floor(_ number: Int, _ divisor: Int) -> Int {
    (number - (number % divisor + divisor) % divisor) / divisor
  }
}

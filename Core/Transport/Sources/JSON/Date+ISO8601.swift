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
    // Checked: the days of the range were counted.
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
  private static let first = days(to: 1, 1, 0) * 86_400_000  // Checked: constants.
  /// The last millisecond of the year 9999, counted from 1970.
  private static let last = days(to: 1, 1, 10_000) * 86_400_000 - 1  // Checked: constants.

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
    // Checked: numbers of at most four digits.
    let seconds = Self.days(to: day, month, year) * 86_400 + hour * 3_600 + minute * 60 + second - zone
    self.init(
      // Checked: numbers with a fraction.
      timeIntervalSince1970: Double(seconds) + (match.7.flatMap { Double("0.\($0.prefix(18))") } ?? 0))
  }
}

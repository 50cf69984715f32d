package import TenonFoundation

extension Date {
  /// The date as RFC 3339 text in UTC with milliseconds, for example `2026-11-21T08:30:00.000Z`; `nil`
  /// outside the years 0 to 9999 and for dates that aren't finite. Fractions of a millisecond are rounded
  /// down.
  ///
  /// The calendar is the proleptic Gregorian one, as in RFC 3339 and in JavaScript. `ISO8601FormatStyle` uses
  /// the Julian calendar for days before 15 October 1582.
  ///
  /// The text is 24 ASCII characters long, and the texts of dates sort like the dates. ``init(iso8601:)``
  /// restores a multiple of 1/8 second exactly, and any other date to within a millisecond.
  package var iso8601Milliseconds: String? {
    guard let all = Int(exactly: (timeIntervalSince1970 * 1_000).rounded(.down)),
      (Self.first...Self.last).contains(all)
    else { return nil }
    let days = GregorianCalendar.floor(all, 86_400_000)
    // Checked: the days of the range were counted.
    let time = all - days * 86_400_000
    let (year, month, day) = GregorianCalendar.day(days)
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
  private static let first = GregorianCalendar.days(to: 1, 1, 0) * 86_400_000
  /// The last millisecond of the year 9999, counted from 1970.
  private static let last = GregorianCalendar.days(to: 1, 1, 10_000) * 86_400_000 - 1

  /// Creates a date from RFC 3339 text, for example `2026-11-21T09:30:00.5+01:00`.
  ///
  /// Days and times that don't exist, such as 30 February, are rejected, whereas `ISO8601FormatStyle` returns
  /// the day after them. Leap seconds are rejected too, because a `Date` can't represent them. A time zone
  /// may be written without its colon.
  ///
  /// - Parameter text: the date, time and time zone. Of a fraction of a second, 18 digits are used.
  /// - Returns: `nil` for any other text.
  package init?(iso8601 text: String) {
    guard let time = RFC3339Time(text, requiresColon: false) else { return nil }
    let fraction = Double(decimal: "0.\(time.fraction.prefix(18))") ?? 0
    // Checked: floating point.
    self.init(timeIntervalSince1970: Double(time.seconds) + fraction)
  }
}

/// The proleptic Gregorian calendar, as in RFC 3339 and in JavaScript. Foundation's `ISO8601FormatStyle` uses
/// the Julian calendar for days before 15 October 1582.
///
/// Years have at most four digits, so that no calculation overflows.
package enum GregorianCalendar {
  /// Returns the number of days of a month.
  ///
  /// - Parameters:
  ///   - month: the month, 1 to 12.
  ///   - year: the year, which decides on leap days.
  package static func days(of month: Int, in year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the number of days from 1 January 1970 to a day, which may be negative.
  ///
  /// A year begins in March here, so the leap day is its last day, and the days before a month are (153 ·
  /// *m* + 2) / 5, with *m* = 0 for March: five months from March or August have 153 days. 719,468 is the
  /// number of days from 1 March of the year 0 to 1 January 1970. Source: Howard Hinnant, "chrono-Compatible
  /// Low-Level Date Algorithms" (`days_from_civil`).
  ///
  /// - Parameters:
  ///   - day: the day of the month, from 1. It isn't checked.
  ///   - month: the month, 1 to 12.
  ///   - year: the year; 0 is the year before 1.
  package static func days(to day: Int, _ month: Int, _ year: Int) -> Int {
    // In a year that begins in March, the leap day is the last day.
    let (shifted, first) = (year - (month <= 2 ? 1 : 0), (month + 9) % 12)
    let leapDays = Self.floor(shifted, 4) - Self.floor(shifted, 100) + Self.floor(shifted, 400)
    return 365 * shifted + leapDays + (153 * first + 2) / 5 + day - 1 - 719_468
  }

  /// Returns the day that is `days` after 1 January 1970.
  ///
  /// The calculation uses eras of 400 years (146,097 days) and years that begin in March, so that the leap
  /// day is the last one. It is the inverse of ``days(to:_:_:)``. Source: Howard Hinnant's `civil_from_days`,
  /// in the same text.
  ///
  /// - Parameter days: the number of days, negative before 1970.
  package static func day(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floor(shifted, 146_097)
    let inEra = shifted - era * 146_097
    let yearOfEra = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let first = (5 * inYear + 2) / 153
    let month = first < 10 ? first + 3 : first - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, inYear - (153 * first + 2) / 5 + 1)
  }

  /// Returns the quotient of two integers, rounded towards negative infinity. Swift's own division rounds
  /// towards zero.
  ///
  /// - Parameters:
  ///   - number: the dividend, of either sign.
  ///   - divisor: the divisor, greater than zero.
  package static func floor(_ number: Int, _ divisor: Int) -> Int {
    (number - (number % divisor + divisor) % divisor) / divisor
  }
}

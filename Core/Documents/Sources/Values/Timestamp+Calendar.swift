import TenonStoreInterop

/// The proleptic Gregorian calendar. The numbers are those of dates whose parts were checked.
extension Timestamp {
  /// Returns the number of days of a month.
  ///
  /// - Parameters:
  ///   - month: 1 to 12.
  ///   - year: the year, which determines the length of February.
  static func days(of month: Int64, in year: Int64) -> Int64 {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the number of days from 1970-01-01 to a day, which may be negative.
  ///
  /// Years are counted from March, so that the leap day is the last day of the year.
  ///
  /// - Parameters:
  ///   - year: the year, 0 to 9999.
  ///   - month: 1 to 12.
  ///   - day: the day of the month, from 1.
  static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

import TenonFoundation
import TenonJSON

/// The times of a schedule in the format of cron: minute, hour, day of the month, month and day of the week
/// (https://man7.org/linux/man-pages/man5/crontab.5.html).
///
/// A field is `*`, a number, a range `1-5`, either of them with a step (`*/15`, `8-18/2`), or a list of these.
/// Months and days of the week also have English names of three letters; Sunday is 0 or 7. If both days are
/// restricted, either suffices.
struct CronExpression: Sendable, Hashable {
  /// The allowed values.
  private var minutes: Set<Int>
  private var hours: Set<Int>
  private var days: Set<Int>
  private var months: Set<Int>
  private var weekdays: Set<Int>
  /// Whether the day of the month, and that of the week, is restricted.
  private var restrictsDays = false
  private var restrictsWeekdays = false

  private static let monthNames = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  /// The names of the days of the week, beginning with 0.
  static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Parses an expression.
  ///
  /// - Throws: ``Problem``.
  init(_ text: String) throws(Problem) {
    let fields = text.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    guard fields.count == 5 else {
      throw Problem(
        "it has \(fields.count) fields instead of 5: minute, hour, day of the month, month, day of the week")
    }
    minutes = try Self.values(fields[0], "minute", 0...59)
    hours = try Self.values(fields[1], "hour", 0...23)
    days = try Self.values(fields[2], "day of the month", 1...31)
    months = try Self.values(fields[3], "month", 1...12, names: Self.monthNames, firstName: 1)
    weekdays = try Self.values(fields[4], "day of the week", 0...7, names: Self.weekdayNames, firstName: 0)
    if weekdays.remove(7) != nil { weekdays.insert(0) }
    restrictsDays = !fields[2].hasPrefix("*")
    restrictsWeekdays = !fields[4].hasPrefix("*")
  }

  /// Creates the expression for a time of day on some days of the week.
  init(minute: Int, hour: Int, weekdays: Set<Int>) {
    minutes = [minute]
    hours = [hour]
    days = Set(1...31)
    months = Set(1...12)
    self.weekdays = weekdays
    restrictsWeekdays = true
  }

  /// What is wrong with an expression, as the end of a sentence.
  struct Problem: Error { let text: String; init(_ text: String) { self.text = text } }

  /// Parses a field.
  private static func values(
    _ field: String, _ what: String, _ range: ClosedRange<Int>, names: [String] = [], firstName: Int = 0
  ) throws(Problem) -> Set<Int> {
    func number(_ text: Substring) throws(Problem) -> Int {
      if let index = names.firstIndex(of: String(text)) { return index + firstName }
      guard text.utf8.count <= 4, let value = Int(decimal: text), range.contains(value) else {
        throw Problem(
          "\"\(text.prefix(20))\" isn't a value for the \(what), which is a number from \(range.lowerBound) to \(range.upperBound)"
        )
      }
      return value
    }
    var values: Set<Int> = []
    for item in field.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      var step = 1
      if sides.count == 2 {
        guard sides[1].utf8.count <= 4, let value = Int(decimal: sides[1]), value > 0 else {
          throw Problem("\"\(sides[1].prefix(20))\" isn't a step of the \(what), which is a number from 1")
        }
        step = value
      }
      let first: Int, last: Int
      if sides[0] == "*" {
        (first, last) = (range.lowerBound, range.upperBound)
      } else {
        let bounds = sides[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        first = try number(bounds[0])
        // As in cron, a step without a range begins with the number.
        last = try bounds.count == 2 ? number(bounds[1]) : (sides.count == 2 ? range.upperBound : first)
      }
      guard first <= last else {
        throw Problem("the range \"\(sides[0].prefix(20))\" of the \(what) ends before it begins")
      }
      for value in stride(from: first, through: last, by: step) { values.insert(value) }
    }
    return values
  }

  /// Returns whether a day has times.
  private func includes(_ day: CivilDay) -> Bool {
    guard months.contains(day.month) else { return false }
    let isDay = days.contains(day.day)
    let isWeekday = weekdays.contains(day.weekday)
    return restrictsDays && restrictsWeekdays ? isDay || isWeekday : isDay && isWeekday
  }

  /// Returns the first time after another one; `nil` if there is none within 28 years, in which every
  /// combination of a date and a day of the week occurs.
  ///
  /// - Parameter time: seconds since 1970 on a clock of the place.
  func next(after time: Int64) -> Int64? {
    var day = time.floorDivided(by: 86_400)
    var minute = (time - day * 86_400) / 60 + 1
    for _ in 0..<28 * 366 {
      if includes(CivilDay(day)) {
        for candidate in stride(from: minute, to: 1_440, by: 1)
        where hours.contains(Int(clamping: candidate / 60)) && minutes.contains(Int(clamping: candidate % 60))
        {
          return day * 86_400 + candidate * 60
        }
      }
      day += 1
      minute = 0
    }
    return nil
  }
}

/// A day of the Gregorian calendar.
struct CivilDay: Sendable, Hashable {
  let month: Int
  let day: Int
  /// The day of the week; Sunday is 0.
  let weekday: Int

  /// Creates the day with a number of days since 1970-01-01
  /// (https://howardhinnant.github.io/date_algorithms.html#civil_from_days).
  init(_ days: Int64) {
    let shifted = days + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(clamping: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(clamping: shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    // 1970-01-01 was a Thursday.
    weekday = Int(clamping: (days + 4) - (days + 4).floorDivided(by: 7) * 7)
  }
}

extension Int64 {
  /// Returns the quotient, rounded down. The divisor must be positive.
  func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

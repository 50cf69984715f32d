import TenonFoundation
import TenonJSON
import TenonValues

/// The times at which a scheduled function is called.
struct Schedule: Sendable {
  /// A form of schedules.
  private enum Rule: Sendable {
    /// A number of seconds, counted from 1970 in UTC.
    case interval(Int64)
    /// Times on a clock of the time zone.
    case cron(CronExpression)
  }

  private let rule: Rule
  private let timeZone: TimeZone

  /// The latest time of a schedule, in seconds since 1970: the end of the year 9000.
  private static let end: Int64 = 221_845_392_000

  /// Parses a schedule.
  ///
  /// - Parameters:
  ///   - text: an expression of cron, or App Engine's `every 5 minutes`, `every 2 hours`, `every day 09:00` or
  ///     `every mon,fri 17:30`.
  ///   - timeZone: the ID of a time zone, for example `Europe/Berlin`.
  ///   - now: the current time. A schedule must have a time after it.
  /// - Throws: ``FunctionRegistrationError`` with `invalidSchedule` or `unknownTimeZone`.
  init(_ text: String, timeZone: String, now: Timestamp) throws(FunctionRegistrationError) {
    guard timeZone.utf8.count <= 100, let zone = TimeZone(identifier: timeZone) else {
      throw FunctionRegistrationError(
        .unknownTimeZone,
        "There is no time zone \"\(timeZone.prefix(100))\". Use UTC or a name of the IANA database such as Europe/Berlin."
      )
    }
    self.timeZone = zone
    do throws(CronExpression.Problem) {
      guard text.utf8.count <= 1_000 else { throw CronExpression.Problem("it has more than 1,000 bytes") }
      let words = text.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
      rule = words.first == "every" ? try Self.rule(words) : .cron(try CronExpression(text))
    } catch {
      throw FunctionRegistrationError(
        .invalidSchedule,
        "\"\(text.prefix(100))\" isn't a schedule: \(error.text). Write it as \"every 5 minutes\", \"every day 09:00\" or, as "
          + "in cron, \"*/5 * * * *\".")
    }
    guard next(after: now) != nil else {
      throw FunctionRegistrationError(
        .invalidSchedule, "\"\(text.prefix(100))\" is a schedule without a time: its date never comes.")
    }
  }

  /// Parses a schedule in the form of App Engine
  /// (https://cloud.google.com/appengine/docs/flexible/scheduling-jobs-with-cron-yaml#formatting_the_schedule).
  private static func rule(_ words: [String]) throws(CronExpression.Problem) -> Rule {
    if words.count == 3, let count = Int64(decimal: words[1]) {
      let unit: Int64
      switch words[2] {
      case "minutes", "mins", "minute": unit = 60
      case "hours", "hour": unit = 3_600
      default: throw CronExpression.Problem("\"\(words[2].prefix(20))\" isn't minutes or hours")
      }
      guard (1...10_000).contains(count) else {
        throw CronExpression.Problem("the interval must be from 1 to 10,000 \(words[2])")
      }
      return .interval(count &* unit)
    }
    guard words.count == 3 else {
      throw CronExpression.Problem("\"every\" is followed by a number and a unit, or by days and a time")
    }
    let time = words[2].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 2, time.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(decimal: time[0]),
      let minute = Int(decimal: time[1]), (0...23).contains(hour), (0...59).contains(minute)
    else { throw CronExpression.Problem("\"\(words[2].prefix(20))\" isn't a time such as 09:00") }
    guard words[1] != "day" else {
      return .cron(CronExpression(minute: minute, hour: hour, weekdays: Set(0...6)))
    }
    var weekdays: Set<Int> = []
    for name in words[1].split(separator: ",", omittingEmptySubsequences: false) {
      guard let day = Self.weekdays.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else {
        throw CronExpression.Problem("\"\(name.prefix(20))\" isn't a day of the week")
      }
      weekdays.insert(day)
    }
    return .cron(CronExpression(minute: minute, hour: hour, weekdays: weekdays))
  }

  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  /// Returns the first time after another one; `nil` if there is none.
  ///
  /// Times that the clock skips when summer time begins come that much later. Of those that it shows twice, the
  /// first one counts.
  func next(after past: Timestamp) -> Timestamp? {
    let past = min(max(past.seconds, 0), Self.end)
    switch rule {
    case .interval(let seconds):
      return Timestamp(seconds: (past / seconds + 1) * seconds)
    case .cron(let expression):
      var local = past + offset(at: past)
      // The clock goes back by less than a day: the times that it shows again are in the past.
      for _ in 0..<1_440 {
        guard let next = expression.next(after: local) else { return nil }
        let time = time(ofLocal: next)
        if time > past { return Timestamp(seconds: time) }
        local = next
      }
      return nil
    }
  }

  /// Returns the time at which a clock of the place shows a time, in seconds since 1970.
  private func time(ofLocal local: Int64) -> Int64 {
    let early = local - offset(at: local - 86_400)
    if offset(at: early) == local - early { return early }
    let late = local - offset(at: early)
    return offset(at: late) == local - late ? late : early
  }

  /// Returns the offset of the place from UTC in seconds.
  private func offset(at time: Int64) -> Int64 {
    Int64(clamping: timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time))))
  }
}

import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ScheduleTests {
  private static func seconds(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
  }

  /// Returns the next times after 2026-11-29T08:00:00Z, a Sunday.
  private func times(
    _ schedule: String, _ count: Int, in zone: String = "UTC", after start: String = "2026-11-29T08:00:00Z"
  ) throws -> [String] {
    var time = Timestamp(seconds: try Self.seconds(start))
    let schedule = try Schedule(schedule, timeZone: zone, now: time)
    return try (0..<count).map { _ in
      time = try #require(schedule.next(after: time))
      return Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601)
    }
  }

  @Test(arguments: [
    ("every 5 minutes", ["2026-11-29T08:05:00Z", "2026-11-29T08:10:00Z"]),
    ("*/5 * * * *", ["2026-11-29T08:05:00Z", "2026-11-29T08:10:00Z"]),
    ("every 12 hours", ["2026-11-29T12:00:00Z", "2026-11-30T00:00:00Z"]),
    ("every day 09:30", ["2026-11-29T09:30:00Z", "2026-11-30T09:30:00Z"]),
    ("every mon,friday 17:00", ["2026-11-30T17:00:00Z", "2026-12-04T17:00:00Z"]),
    ("0 9 * * MON-FRI", ["2026-11-30T09:00:00Z", "2026-12-01T09:00:00Z"]),
    ("15,45 8-9 * * *", ["2026-11-29T08:15:00Z", "2026-11-29T08:45:00Z", "2026-11-29T09:15:00Z"]),
    ("0 0 1 jan *", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"]),
    ("0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
    // Either of both days suffices, and Sunday is 0 and 7.
    ("0 0 1 * 7", ["2026-12-01T00:00:00Z", "2026-12-06T00:00:00Z"]),
    ("10/20 0 30 11 *", ["2026-11-30T00:10:00Z", "2026-11-30T00:30:00Z", "2026-11-30T00:50:00Z"]),
  ])
  func aScheduleHasTheTimesThatItSays(schedule: String, expected: [String]) throws {
    #expect(try times(schedule, expected.count) == expected)
  }

  @Test func timesFollowTheClockOfTheTimeZone() throws {
    #expect(try times("0 9 * * *", 1, in: "Europe/Berlin") == ["2026-11-30T08:00:00Z"])
    // Summer time begins on 2027-03-28 at 2:00, so that there is no 2:30, and ends on 2027-10-31 at 3:00.
    #expect(
      try times("30 2 * * *", 3, in: "Europe/Berlin", after: "2027-03-27T00:00:00Z")
        == ["2027-03-27T01:30:00Z", "2027-03-28T01:30:00Z", "2027-03-29T00:30:00Z"])
    #expect(
      try times("30 2 * * *", 3, in: "Europe/Berlin", after: "2027-10-30T00:00:00Z")
        == ["2027-10-30T00:30:00Z", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"])
  }

  @Test(arguments: [
    ("", "0 fields"), ("* * * *", "4 fields"), ("60 * * * *", "\"60\" isn't a value for the minute"),
    ("* 24 * * *", "\"24\" isn't a value for the hour"), ("5-1 * * * *", "ends before it begins"),
    ("*/0 * * * *", "isn't a step"), ("a * * * *", "\"a\" isn't a value for the minute"),
    ("* * * * 8", "day of the week"),
    ("every 0 minutes", "from 1"), ("every 5 days", "\"days\""), ("every someday 09:00", "\"someday\""),
    ("every day 9:00", "\"9:00\""), ("every", "followed by"), ("0 0 31 2 *", "never comes"),
    ("99999999999999999999 * * * *", "isn't a value for the minute"),
    (", * * * *", "isn't a value for the minute"),
  ])
  func aWrongScheduleIsAnErrorThatNamesIt(schedule: String, problem: String) {
    let error = #expect(throws: FunctionRegistrationError.self) {
      try Backend().embedded.onSchedule("s", schedule) { _ in }
    }
    #expect(error?.code == .invalidSchedule)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("\"\(schedule)\"") == true)
  }

  @Test func anUnknownTimeZoneIsAnError() {
    let error = #expect(throws: FunctionRegistrationError.self) {
      try Backend().embedded.onSchedule("s", "every 5 minutes", timeZone: "Mars/Base") { _ in }
    }
    #expect(error?.code == .unknownTimeZone && error?.message.contains("\"Mars/Base\"") == true)
  }

  @Test func aFunctionIsCalledWhenTheClockReachesItsTimes() async throws {
    let time = TestTime()
    let embedded = Embedded(projectID: "demo", directory: nil, time: time.source)
    let calls = Lock<[Int64]>([])
    // The clock begins at 1,700,000,000, which is 20 seconds past a minute that is a multiple of 5.
    try embedded.onSchedule("s", "every 5 minutes") { event in
      calls.withLock { $0.append(event.scheduleTime.seconds) }
    }
    try await eventually {
      time.advance(by: 10)
      return calls.withLock { $0.count } >= 3
    }
    await embedded.close()
    let all = calls.withLock { $0 }
    #expect(all.allSatisfy { $0 % 300 == 0 && $0 > 1_700_000_000 })
    #expect(all == Set(all).sorted())
  }

  @Test func aFunctionThatFailsIsCalledAgainOnlyAtItsNextTime() async throws {
    let time = TestTime()
    let embedded = Embedded(projectID: "demo", directory: nil, time: time.source)
    struct Failure: Error {}
    let calls = Lock<[ScheduledEvent]>([])
    try embedded.onSchedule("s", "every 1 hours") { event in
      calls.withLock { $0.append(event) }
      throw Failure()
    }
    try await eventually {
      time.advance(by: 600)
      return calls.withLock { $0.count } >= 3
    }
    await embedded.close()
    let all = calls.withLock { $0 }
    #expect(all.allSatisfy { $0.attempt == 1 && $0.jobName == "s" })
    #expect(Set(all.map(\.scheduleTime)).count == all.count)
  }
}

import Foundation
import TenonFoundation
import TenonSQLite
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct EventTableTests {
  private let now = Timestamp(seconds: 1_000)

  private func function(_ name: String) -> EventFunction {
    EventFunction(name: name, kind: .userCreated, retry: RetryConfig(), timeout: .seconds(60)) { _ in }
  }

  private func withTable(_ body: (EventTable) throws -> Void) throws {
    let connection = try Connection.open(nil, migrations: [EventSchema.tables])
    try connection.transaction { try body(EventTable(connection: connection, projectID: "demo")) }
  }

  private func append(_ table: EventTable, _ id: String, lane: String, at now: Timestamp? = nil) throws {
    try table.append(
      StoredEvent.Details(id: id, kind: .userCreated, time: 0, subject: lane), to: "f", lane: lane,
      now: now ?? self.now)
  }

  @Test func aReservedEventIsAttemptedAgainWhenItsTimeIsOver() throws {
    try withTable { table in
      try table.save([function("f")], now: now)
      try append(table, "1", lane: "a")
      #expect(try table.claim(of: [function("f")], limit: 10, now: now).map(\.attempts) == [1])
      #expect(try table.claim(of: [function("f")], limit: 10, now: now).isEmpty)
      let later = Timestamp(seconds: 1_000 + 90)
      // This process knows that it is still handling the event, even if the clock was set forward.
      #expect(try table.claim(of: [function("f")], limit: 10, except: [1], now: later).isEmpty)
      #expect(try table.claim(of: [function("f")], limit: 10, now: later).map(\.attempts) == [2])
    }
  }

  @Test func onlyTheFirstEventOfALaneIsDue() throws {
    try withTable { table in
      try table.save([function("f")], now: now)
      for (id, lane) in [("1", "a"), ("2", "a"), ("3", "b")] { try append(table, id, lane: lane) }
      let claimed = try table.claim(of: [function("f")], limit: 10, now: now)
      #expect(claimed.map(\.details.id) == ["1", "3"])
      try table.complete(claimed[0], now: now)
      #expect(try table.claim(of: [function("f")], limit: 10, now: now).map(\.details.id) == ["2"])
      #expect(try table.claim(of: [function("other")], limit: 10, now: now).isEmpty)
    }
  }

  @Test func aFunctionThatNobodyRegistersLosesItsEventsAfterAWeek() throws {
    try withTable { table in
      try table.save([function("f")], now: now)
      try append(table, "1", lane: "a")
      try table.save([function("g")], now: Timestamp(seconds: 1_000 + 6 * 86_400))
      #expect(try table.triggers(for: "").map(\.function) == ["f", "g"])
      try table.save([function("g")], now: Timestamp(seconds: 1_000 + 7 * 86_400 + 1))
      #expect(try table.triggers(for: "").map(\.function) == ["g"])
      #expect(try table.isIdle([function("f")]))
    }
  }

  @Test func aBacklogHasALimitBeyondWhichTheOldestFail() throws {
    try withTable { table in
      var table = table
      table.longestBacklog = 5_000
      try table.save([function("f")], now: now)
      for number in 0..<6_000 {
        try append(table, "\(number)", lane: "\(number % 7)")
      }
      let failures = try table.failures(limit: 2_000)
      #expect(failures.count == 1_000)
      #expect(failures.last?.error == "More than 5000 events were waiting.")
      let claimed = try table.claim(of: [function("f")], limit: 10, now: now)
      #expect(claimed.map(\.lane).sorted() == (0..<7).map { "\($0)" })
      #expect(claimed.compactMap { Int($0.details.id) }.allSatisfy { $0 >= 1_000 })
    }
  }

  @Test func aDamagedEventFailsWithoutHoldingUpOthers() throws {
    try withTable { table in
      try table.save([function("f")], now: now)
      try append(table, "1", lane: "a")
      try append(table, "2", lane: "a")
      try table.connection.run("UPDATE events SET details = x'7B' WHERE number = 1")
      #expect(try table.claim(of: [function("f")], limit: 10, now: now).isEmpty)
      #expect(try table.claim(of: [function("f")], limit: 10, now: now).map(\.details.id) == ["2"])
      #expect(try table.failures(limit: 10).map(\.function) == ["f"])
    }
  }

  @Test func delaysDoubleUpToTheLongestAndEnd() {
    let config = RetryConfig(retryCount: 4, minBackoff: .seconds(1), maxBackoff: .seconds(3))
    let delays = (1...5).map { attempts in
      let event = StoredEvent(
        number: 1, function: "f", lane: "", recorded: now,
        details: StoredEvent.Details(id: "", kind: .userCreated, time: 0, subject: ""), before: nil,
        after: nil, attempts: attempts)
      return config.delay(after: event, now: now, random: 0)
    }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(3), .seconds(3), nil])
  }
}

import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// What happens to events after they were recorded.
extension EventTable {
  /// The columns of ``event(_:)``.
  private static let columns =
    "number, function, lane, recorded, details, before, after, attempts, error"

  /// Returns events that are due, and reserves each for this process.
  ///
  /// - Parameters:
  ///   - functions: the functions.
  ///   - limit: the greatest number of events.
  ///   - running: the events that this process is handling. They may be due if the clock was set forward.
  ///   - now: the current time.
  /// - Returns: the events. One that can't be decoded fails.
  func claim(
    of functions: [EventFunction], limit: Int, except running: Set<Int64> = [], now: Timestamp
  ) throws -> [StoredEvent] {
    var claimed: [StoredEvent] = []
    for function in functions where claimed.count < limit {
      let room = limit - claimed.count
      var numbers = try connection.rows(
        "SELECT number FROM events WHERE project = ? AND function = ? AND due <= ? ORDER BY due, number LIMIT ?",
        [
          .text(projectID), .text(function.name), .integer(now.millisecondsSince1970),
          .integer(room + running.count),
        ]
      ) { $0.integer(0) }.filter { !running.contains($0) }
      while numbers.count > max(0, room) { numbers.removeLast() }
      // If this process is killed, another one attempts the event again after this time.
      let end = now.millisecondsSince1970 + function.timeout.milliseconds + Self.leaseMargin
      for number in numbers {
        try connection.run(
          "UPDATE events SET due = ?, leased = 1, attempts = attempts + 1 WHERE number = ?",
          [.integer(end), .integer(number)])
        do {
          if let event = try event(number) { claimed.append(event) }
        } catch {
          try fail(number, "The event is damaged: \(error.systemReason)", now: now)
        }
      }
    }
    return claimed
  }

  /// The time beyond the timeout of a function for which its event stays reserved, in milliseconds.
  private static let leaseMargin: Int64 = 30_000

  /// Returns an event; `nil` if there is none.
  ///
  /// - Throws: an error if the record is damaged.
  private func event(_ number: Int64) throws -> StoredEvent? {
    try connection.first("SELECT \(Self.columns) FROM events WHERE number = ?", [.integer(number)]) { row in
      try Self.event(row)
    }
  }

  private static func event(_ row: borrowing Row) throws -> StoredEvent {
    StoredEvent(
      number: row.integer(0), function: row.text(1), lane: row.text(2),
      recorded: Timestamp(millisecondsSince1970: row.integer(3)),
      details: try JSON.decode(StoredEvent.Details.self, from: row.blob(4)),
      before: row.optionalBlob(5), after: row.optionalBlob(6), attempts: Int(clamping: row.integer(7)))
  }

  /// Returns the time of the next attempt of any event; `nil` if there is none.
  func nextAttempt(of functions: [EventFunction]) throws -> Timestamp? {
    try functions.compactMap { function in
      try connection.first(
        "SELECT min(due) FROM events WHERE project = ? AND function = ? AND due IS NOT NULL",
        [.text(projectID), .text(function.name)]
      ) { $0.optionalInteger(0) } ?? nil
    }.min().map(Timestamp.init(millisecondsSince1970:))
  }

  /// Returns whether all events of functions were handled or have failed.
  func isIdle(_ functions: [EventFunction]) throws -> Bool {
    for function in functions {
      let waits = try connection.first(
        "SELECT 1 FROM events WHERE project = ? AND function = ? AND failed = 0 LIMIT 1",
        [.text(projectID), .text(function.name)]
      ) { _ in true }
      if waits == true { return false }
    }
    return true
  }

  /// Deletes an event that was handled. The next one of its lane is due.
  func complete(_ event: StoredEvent, now: Timestamp) throws {
    try connection.run("DELETE FROM events WHERE number = ?", [.integer(event.number)])
    try advance(event.function, event.lane, now: now)
  }

  /// Notes an attempt that failed.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - error: the reason.
  ///   - delay: the time until the next attempt; `nil` if there is none.
  ///   - now: the current time.
  func fail(_ event: StoredEvent, _ error: String, retryingAfter delay: Duration?, now: Timestamp) throws {
    guard let delay else { return try fail(event.number, error, now: now) }
    try connection.run(
      "UPDATE events SET due = ?, leased = 0, error = ? WHERE number = ?",
      [
        .integer(now.millisecondsSince1970 + delay.milliseconds), .text(Self.shortened(error)),
        .integer(event.number),
      ])
  }

  /// Gives an event back whose attempt was cancelled, which doesn't count.
  func release(_ event: StoredEvent, now: Timestamp) throws {
    try connection.run(
      "UPDATE events SET due = ?, leased = 0, attempts = attempts - 1 WHERE number = ? AND leased = 1",
      [.integer(now.millisecondsSince1970), .integer(event.number)])
  }

  /// Gives back the events of all processes that have ended. Without any, nothing is written.
  static func releaseAll(_ connection: Connection, now: Timestamp) throws {
    let isLeased = try connection.first("SELECT 1 FROM events WHERE leased = 1 LIMIT 1") { _ in true }
    guard isLeased == true else { return }
    try connection.run(
      "UPDATE events SET due = ?, leased = 0 WHERE leased = 1", [.integer(now.millisecondsSince1970)])
  }

  /// Ends the attempts of an event. The next one of its lane is due.
  private func fail(_ number: Int64, _ error: String, now: Timestamp) throws {
    try connection.run(
      "UPDATE events SET failed = 1, due = NULL, leased = 0, error = ? WHERE number = ?",
      [.text(Self.shortened(error)), .integer(number)])
    let lane = try connection.first(
      "SELECT function, lane FROM events WHERE number = ?", [.integer(number)]
    ) { ($0.text(0), $0.text(1)) }
    if let lane { try advance(lane.0, lane.1, now: now) }
  }

  /// Makes the first event of a lane due.
  private func advance(_ function: String, _ lane: String, now: Timestamp) throws {
    try connection.run(
      """
      UPDATE events SET due = ? WHERE due IS NULL AND number = (
        SELECT min(number) FROM events WHERE project = ? AND function = ? AND lane = ? AND failed = 0
      )
      """,
      [.integer(now.millisecondsSince1970), .text(projectID), .text(function), .text(lane)])
  }

  // MARK: - Failures

  /// Returns the events that aren't attempted any more, the newest first.
  func failures(limit: Int) throws -> [FailedEvent] {
    try connection.rows(
      "SELECT \(Self.columns) FROM events WHERE project = ? AND failed = 1 ORDER BY number DESC LIMIT ?",
      [.text(projectID), .integer(max(limit, 0))]
    ) { row in
      // A damaged event has failed, too.
      (try? Self.event(row)).map { FailedEvent($0, error: row.optionalText(8) ?? "") }
        ?? FailedEvent(
          id: "", function: row.text(1), type: "", subject: row.text(2),
          time: Timestamp(millisecondsSince1970: row.integer(3)), attempts: Int(clamping: row.integer(7)),
          error: row.optionalText(8) ?? "")
    }
  }

  /// Attempts an event again that has failed, behind those of its lane that wait.
  ///
  /// - Returns: whether there is such an event.
  func retry(_ id: String, now: Timestamp) throws -> Bool {
    let found = try connection.rows(
      "SELECT \(Self.columns) FROM events WHERE project = ? AND failed = 1", [.text(projectID)]
    ) { row in try? Self.event(row) }.compactMap { $0 }.first { $0.details.id == id }
    guard let found else { return false }
    try connection.run("DELETE FROM events WHERE number = ?", [.integer(found.number)])
    try append(
      found.details, to: found.function, lane: found.lane, before: found.before, after: found.after, now: now)
    return true
  }

  private static func shortened(_ text: String) -> String { String(text.prefix(1_000)) }
}

extension Duration {
  /// The duration in milliseconds, rounded up, at most a year.
  var milliseconds: Int64 {
    let limited = min(max(self, .zero), .seconds(366 * 86_400))
    let (seconds, attoseconds) = limited.components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}

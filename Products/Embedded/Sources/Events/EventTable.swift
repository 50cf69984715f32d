import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// The functions and the events of a project in one database, inside a transaction.
struct EventTable {
  /// A function that receives events.
  struct Trigger {
    let function: String
    let kind: EventKind
    /// The part of the paths of documents; empty for others.
    let pattern: String
  }

  /// The connection, inside a transaction.
  let connection: Connection
  /// The ID of the project.
  let projectID: String

  /// The time after which a function that no process has registered receives no more events, in milliseconds:
  /// a week.
  private static let longestAbsence: Int64 = 7 * 24 * 3_600_000
  /// The greatest number of events of a function that wait. The oldest ones fail if there are more.
  var longestBacklog = 100_000
  /// The greatest number of failed events of a function that are kept.
  static let mostFailures = 1_000
  /// The number of events after which the limits are checked.
  private static let checkInterval: Int64 = 1_000

  // MARK: - Functions

  /// Inserts functions, or marks them as present.
  func save(_ functions: [EventFunction], now: Timestamp) throws {
    for function in functions {
      try connection.run(
        """
        INSERT INTO triggers (project, function, kind, place, pattern, renewed) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (project, function) DO UPDATE
        SET kind = excluded.kind, place = excluded.place, pattern = excluded.pattern,
          renewed = max(renewed, excluded.renewed)
        """,
        [
          .text(projectID), .text(function.name), .text(function.kind.rawValue), .text(function.place),
          .text(function.pattern), .integer(now.millisecondsSince1970),
        ])
    }
    try deleteAbsentFunctions(now: now)
  }

  /// Deletes the functions that no process has registered for a long time, with their events.
  private func deleteAbsentFunctions(now: Timestamp) throws {
    try connection.run(
      "DELETE FROM triggers WHERE project = ? AND renewed < ?",
      [.text(projectID), .integer(now.millisecondsSince1970 - Self.longestAbsence)])
    try connection.run(
      "DELETE FROM events WHERE project = ? AND function NOT IN (SELECT function FROM triggers WHERE project = ?)",
      [.text(projectID), .text(projectID)])
  }

  /// Deletes a function and its events.
  func remove(_ function: String) throws {
    for table in ["triggers", "events"] {
      try connection.run(
        "DELETE FROM \(table) WHERE project = ? AND function = ?", [.text(projectID), .text(function)])
    }
  }

  /// Returns the functions for events of a place.
  ///
  /// - Parameter place: the database of documents, or the bucket; empty for users.
  func triggers(for place: String) throws -> [Trigger] {
    try connection.rows(
      "SELECT function, kind, pattern FROM triggers WHERE project = ? AND place IN (?, '')",
      [.text(projectID), .text(place)]
    ) { row in
      // A later version may have other types.
      EventKind(rawValue: row.text(1)).map { Trigger(function: row.text(0), kind: $0, pattern: row.text(2)) }
    }.compactMap { $0 }
  }

  /// Notes that an event of a schedule is recorded.
  ///
  /// - Returns: `false` if a process has recorded it before.
  func claim(_ time: Timestamp, of function: String) throws -> Bool {
    let key: [SQLValue] = [.text(projectID), .text(function)]
    let last = try connection.first(
      "SELECT last FROM triggers WHERE project = ? AND function = ?", key
    ) { $0.integer(0) }
    guard let last, last < time.millisecondsSince1970 else { return false }
    try connection.run(
      "UPDATE triggers SET last = ? WHERE project = ? AND function = ?",
      [.integer(time.millisecondsSince1970)] + key)
    return true
  }

  // MARK: - Recording

  /// Records an event for a function.
  ///
  /// - Parameters:
  ///   - details: what happened.
  ///   - function: the name of the function.
  ///   - lane: the lane.
  ///   - before: the encoded fields of a document before the write.
  ///   - after: its encoded fields after the write.
  ///   - now: the current time.
  func append(
    _ details: StoredEvent.Details, to function: String, lane: String, before: Data? = nil,
    after: Data? = nil, now: Timestamp
  ) throws {
    let isBehind = try isWaiting(function, lane)
    try connection.run(
      """
      INSERT INTO events (project, function, lane, recorded, details, before, after, due)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(projectID), .text(function), .text(lane), .integer(now.millisecondsSince1970),
        .blob(try JSONEncoder().encode(details)), .blob(before), .blob(after),
        isBehind ? .null : .integer(now.millisecondsSince1970),
      ])
    if connection.lastInsertedRowID % Self.checkInterval == 0 { try limit(function, now: now) }
  }

  /// Returns whether a lane has an event that hasn't been handled.
  func isWaiting(_ function: String, _ lane: String) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM events WHERE project = ? AND function = ? AND lane = ? AND failed = 0 LIMIT 1",
      [.text(projectID), .text(function), .text(lane)]
    ) { _ in true } ?? false
  }

  /// Fails the oldest events of a function if too many wait, and deletes the oldest that failed.
  private func limit(_ function: String, now: Timestamp) throws {
    let key: [SQLValue] = [.text(projectID), .text(function)]
    let ranked =
      "SELECT number FROM events WHERE project = ? AND function = ? AND failed = ? ORDER BY number DESC LIMIT 1 OFFSET ?"
    if let last = try connection.first(
      ranked, key + [.integer(0), .integer(longestBacklog)], { $0.integer(0) })
    {
      try connection.run(
        """
        UPDATE events SET failed = 1, due = NULL, error = 'More than \(longestBacklog) events were waiting.'
        WHERE project = ? AND function = ? AND failed = 0 AND leased = 0 AND number <= ?
        """, key + [.integer(last)])
      try connection.run(
        """
        UPDATE events SET due = ? WHERE project = ? AND function = ? AND failed = 0 AND due IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM events AS earlier WHERE earlier.project = events.project
          AND earlier.function = events.function AND earlier.lane = events.lane AND earlier.failed = 0
          AND earlier.number < events.number
        )
        """, [.integer(now.millisecondsSince1970)] + key)
    }
    if let last = try connection.first(
      ranked, key + [.integer(1), .integer(Self.mostFailures)], { $0.integer(0) })
    {
      try connection.run(
        "DELETE FROM events WHERE project = ? AND function = ? AND failed = 1 AND number <= ?",
        key + [.integer(last)])
    }
  }
}

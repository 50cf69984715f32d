import TenonSQLite
import TenonValues

/// What a database has stored of the functions of this process, so that a write records events for all of
/// them.
struct StoredFunctions {
  /// The version of the functions that were stored, and when.
  private var version = 0
  private var time: Int64 = 0
  /// The version of the file when it was last looked at.
  private var dataVersion: Int64?

  /// The time after which the functions are marked as present again, in milliseconds: an hour.
  private static let interval: Int64 = 3_600_000

  /// Stores functions that were registered since the last call, and all of them if an hour has passed.
  ///
  /// - Throws: `SQLiteError`.
  mutating func update(
    from registry: EventRegistry, _ source: EventKind.Source, _ connection: Connection, _ projectID: String,
    now: Timestamp
  ) throws {
    let current = registry.version(of: source)
    // Without functions, there is nothing to store.
    guard current != 0 else { return }
    let isStored = current == version
    let milliseconds = now.millisecondsSince1970
    guard !isStored || milliseconds >= time + Self.interval else { return }
    let functions = registry.functions(of: source)
    try connection.transaction {
      try EventTable(connection: connection, projectID: projectID).save(functions, now: now)
    }
    (version, time) = (current, milliseconds)
  }

  /// Returns whether the version of the file has changed since the last call.
  mutating func noteVersion(_ version: Int64) -> Bool {
    defer { dataVersion = version }
    return dataVersion != version
  }
}

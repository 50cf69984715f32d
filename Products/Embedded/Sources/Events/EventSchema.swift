import TenonSQLite

/// The tables of events, which both databases of the backend have: an event is recorded in the transaction
/// of the write that it belongs to.
///
/// - `triggers` has the functions that receive events, so that every process that writes records events for
///   them. `renewed` is the last time at which a process had registered the function; `last` is the last time
///   of a schedule for which an event was recorded.
/// - `events` has the events that haven't been handled. Those of a function and a `lane`, such as a document,
///   are handled in the order of their numbers: `due` is the time of the next attempt of the first one, and
///   `NULL` for those behind it. `leased` is 1 while a process handles the event. `failed` is 1 for those that
///   aren't attempted any more.
///
/// Times are milliseconds since 1970.
enum EventSchema {
  /// The step that adds the tables to a schema. It was released and must not be changed.
  static let tables = Migration(
    """
    CREATE TABLE triggers (
      project TEXT NOT NULL, function TEXT NOT NULL, kind TEXT NOT NULL, place TEXT NOT NULL,
      pattern TEXT NOT NULL, renewed INTEGER NOT NULL, last INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (project, function)
    ) WITHOUT ROWID;
    CREATE TABLE events (
      number INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, function TEXT NOT NULL,
      lane TEXT NOT NULL, recorded INTEGER NOT NULL, details BLOB NOT NULL, before BLOB, after BLOB,
      attempts INTEGER NOT NULL DEFAULT 0, due INTEGER, leased INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0, error TEXT
    );
    CREATE INDEX events_by_lane ON events (project, function, lane, number) WHERE failed = 0;
    CREATE INDEX events_by_time ON events (project, function, due) WHERE due IS NOT NULL;
    CREATE INDEX events_by_number ON events (project, function, failed, number);
    """
  )
}

import TenonSQLite

/// Notes in SQLite as an app would store them without a document store, accessed on the caller's thread.
/// Connections have the same settings as those of Store.
final class HandWritten: NoteKeeper {
  /// The indexes of the table.
  enum Indexes {
    /// An index on the rank.
    case rank
    /// An index on each field and the ID, which provides Store's order: equal values are ordered by ID.
    case everyField

    /// The columns of each index.
    var columns: [[String]] {
      switch self {
      case .rank: [["rank"]]
      case .everyField: ["title", "rank", "grp", "done", "body"].map { [$0, "id"] }
      }
    }
  }

  private let connection: Connection
  /// The `ORDER BY` terms of a page.
  private let pageOrder: String

  init(_ path: String, indexes: Indexes) throws {
    // Without checksums, like plain SQLite.
    connection = try Connection.open(path, disk: nil, checksums: false)
    pageOrder = indexes == .rank ? "rank" : "rank, id"
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS notes (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, rank INTEGER NOT NULL, grp INTEGER NOT NULL,
        done INTEGER NOT NULL, body TEXT NOT NULL
      )
      """)
    for columns in indexes.columns {
      try connection.execute(
        "CREATE INDEX IF NOT EXISTS notes_by_\(columns[0]) ON notes (\(columns.joined(separator: ", ")))")
    }
  }

  /// Writes notes in one transaction.
  func write(_ notes: [Note]) throws {
    try connection.transaction {
      for note in notes {
        try connection.run(
          """
          INSERT INTO notes (id, title, rank, grp, done, body) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET title = excluded.title, rank = excluded.rank, grp = excluded.grp,
            done = excluded.done, body = excluded.body
          """,
          [
            .text(note.id), .text(note.title), .integer(note.rank), .integer(note.group),
            .integer(note.isDone ? 1 : 0), .text(note.body),
          ])
      }
    }
  }

  func update(_ id: String, group: Int64) throws {
    try connection.run("UPDATE notes SET grp = ? WHERE id = ?", [.integer(group), .text(id)])
  }

  func read(_ id: String) throws -> Note? {
    try connection.first(
      "SELECT id, title, rank, grp, done, body FROM notes WHERE id = ?", [.text(id)], Self.note)
  }

  func page(from rank: Int, count: Int) throws -> [Note] {
    try connection.rows(
      "SELECT id, title, rank, grp, done, body FROM notes WHERE rank >= ? ORDER BY \(pageOrder) LIMIT ?",
      [.integer(rank), .integer(count)], Self.note)
  }

  func sum() throws -> Int64 { try number("SELECT sum(rank) FROM notes", []) }

  func sumOfGroups(from rank: Int) throws -> Int64 {
    try number("SELECT sum(grp) FROM notes WHERE rank >= ?", [.integer(rank)])
  }

  func count(from rank: Int) throws -> Int {
    Int(try number("SELECT count(*) FROM notes WHERE rank >= ?", [.integer(rank)]))
  }

  /// Returns the single integer of a result; 0 if there is none.
  private func number(_ statement: String, _ values: [SQLValue]) throws -> Int64 {
    try connection.first(statement, values) { $0.integer(0) } ?? 0
  }

  /// Creates a note from a row.
  private static func note(_ row: borrowing Row) -> Note {
    Note(
      id: row.text(0), title: row.text(1), rank: row.integer(2), group: row.integer(3),
      isDone: row.integer(4) != 0, body: row.text(5))
  }
}

import GRDB

/// Notes in GRDB as its documentation recommends: a `DatabasePool` and a `Codable` record.
struct GRDBNotes: NoteKeeper {
  private let pool: DatabasePool

  init(_ path: String, indexes: HandWritten.Indexes) throws {
    pool = try DatabasePool(path: path)
    try pool.write { database in
      try database.create(table: Note.databaseTableName) { table in
        table.primaryKey("id", .text)
        table.column("title", .text).notNull()
        table.column("rank", .integer).notNull()
        table.column("grp", .integer).notNull()
        table.column("done", .boolean).notNull()
        table.column("body", .text).notNull()
      }
      for columns in indexes.columns {
        try database.create(index: "by_\(columns[0])", on: Note.databaseTableName, columns: columns)
      }
    }
    // The durability of Store. Opening a pool sets NORMAL at the end, regardless of the configuration's
    // `prepareDatabase`.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
  }

  /// Writes notes in one transaction. `save` updates an existing row and inserts it otherwise; it is faster
  /// here than `upsert`.
  func write(_ notes: [Note]) async throws {
    try await pool.write { database in
      for note in notes { try note.save(database) }
    }
  }

  func update(_ id: String, group: Int64) async throws {
    let column = Column(Note.CodingKeys.group)
    _ = try await pool.write { try Note.filter(key: id).updateAll($0, column.set(to: group)) }
  }

  func read(_ id: String) async throws -> Note? {
    try await pool.read { try Note.fetchOne($0, key: id) }
  }

  func page(from rank: Int, count: Int) async throws -> [Note] {
    let column = Column(Note.CodingKeys.rank)
    let request = Note.filter(column >= rank).order(column).limit(count)
    return try await pool.read { try request.fetchAll($0) }
  }

  func sum() async throws -> Int64 {
    let request = Note.select(GRDB.sum(Column(Note.CodingKeys.rank)), as: Int64.self)
    return try await pool.read { try request.fetchOne($0) } ?? 0
  }

  func sumOfGroups(from rank: Int) async throws -> Int64 {
    let request = Note.filter(Column(Note.CodingKeys.rank) >= rank)
      .select(GRDB.sum(Column(Note.CodingKeys.group)), as: Int64.self)
    return try await pool.read { try request.fetchOne($0) } ?? 0
  }

  func count(from rank: Int) async throws -> Int {
    let request = Note.filter(Column(Note.CodingKeys.rank) >= rank)
    return try await pool.read { try request.fetchCount($0) }
  }
}

extension Note: FetchableRecord, PersistableRecord {
  static let databaseTableName = "notes"
}

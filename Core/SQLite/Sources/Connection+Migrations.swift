/// One step of a database's schema, from the version before it.
public struct Migration: Sendable {
  let apply: @Sendable (Connection) throws -> Void

  /// A step that runs SQL.
  public init(_ sql: String) { apply = { try $0.execute(sql) } }

  /// A step that runs code.
  public init(_ apply: @escaping @Sendable (Connection) throws -> Void) { self.apply = apply }
}

extension Connection {
  /// Brings the schema up to date: runs the migrations that the database has not seen, in one transaction. Their
  /// number is the schema's version, kept in the file (`PRAGMA user_version`).
  ///
  /// - Parameter migrations: every step from the first version on. Steps that were released must not change.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/newerSchema`` when the file was written by a newer version of
  ///   the program, with ``SQLiteError/Code/damaged`` when the file's version is negative; whatever a migration throws. The file
  ///   is unchanged then.
  public func migrate(_ migrations: [Migration]) throws { try migrate(migrations, ownsTables: false) }

  /// - Parameter ownsTables: whether all tables come from migrations, so that tables without a version are damage.
  func migrate(_ migrations: [Migration], ownsTables: Bool) throws {
    guard try schemaVersion() != migrations.count else { return }
    try transaction {
      // Another process may have migrated meanwhile.
      let version = try schemaVersion()
      try check(version, knowing: migrations.count)
      if ownsTables, version == 0, try first("SELECT 1 FROM sqlite_schema", [], { _ in true }) != nil {
        throw SQLiteError(
          code: .damaged, message: "it has tables, but its header says that it is empty", resultCode: 0,
          sql: nil, path: path)
      }
      for migration in migrations.dropFirst(version) { try migration.apply(self) }
      try execute("PRAGMA user_version = \(migrations.count)")
    }
  }

  private func check(_ version: Int, knowing newest: Int) throws(SQLiteError) {
    if version < 0 {
      throw SQLiteError(
        code: .damaged, message: "its header has the impossible schema version \(version)", resultCode: 0,
        sql: nil, path: path)
    }
    if version > newest {
      throw SQLiteError(
        code: .newerSchema,
        message:
          "the database has schema version \(version), but this program knows \(newest) at most; "
          + "update the program",
        resultCode: 0,
        sql: nil,
        path: path
      )
    }
  }

  private func schemaVersion() throws -> Int {
    try first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
  }
}

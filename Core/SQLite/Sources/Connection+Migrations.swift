/// A step that changes a database's schema from one version to the next.
package struct Migration: Sendable {
  /// Changes the schema.
  let apply: @Sendable (Connection) throws -> Void

  /// Creates a step that runs SQL, which may consist of several statements.
  package init(_ sql: String) { apply = { try $0.execute(sql) } }

  /// Creates a step that runs a closure.
  ///
  /// - Parameter apply: changes the schema through the connection. It runs inside a transaction and must not
  ///   begin one.
  package init(_ apply: @escaping @Sendable (Connection) throws -> Void) { self.apply = apply }
}

extension Connection {
  /// Brings the schema up to date: runs the migrations that the database hasn't seen, all in one transaction.
  ///
  /// The number of migrations is the version of the schema, which is stored in the file (`PRAGMA
  /// user_version`). Several processes may migrate a database concurrently; each step runs only once.
  ///
  /// - Parameter migrations: all steps from the first version on. Released steps must not be changed or
  ///   removed.
  /// - Throws: ``SQLiteError``, with ``SQLiteError/Code/newerSchema`` if the file was written by a newer
  ///   version of the program, and with ``SQLiteError/Code/damaged`` if the version in the file is negative;
  ///   the error that a migration throws. The file is left unchanged in these cases.
  package func migrate(_ migrations: [Migration]) throws { try migrate(migrations, ownsTables: false) }

  /// Runs migrations, as ``migrate(_:)`` does.
  ///
  /// - Parameters:
  ///   - migrations: all steps from the first version on.
  ///   - ownsTables: whether all tables come from migrations, so that tables without a version mean that the
  ///     file is damaged.
  func migrate(_ migrations: [Migration], ownsTables: Bool) throws {
    let found = try schemaVersion()
    guard found != migrations.count else { return }
    if isReadOnly, let path {
      try check(found, knowing: migrations.count)
      throw Self.readOnly(
        path,
        "its schema version \(found) has to be changed to \(migrations.count) first. Open it once with this version "
          + "of the program where it can be written, and close it")
    }
    try transaction {
      // Another process may have migrated the database in the meantime.
      let version = try schemaVersion()
      try check(version, knowing: migrations.count)
      if ownsTables, version == 0, try first("SELECT 1 FROM sqlite_schema", [], { _ in true }) != nil {
        throw SQLiteError(
          code: .damaged, message: "it has tables, but its header says that it is empty", resultCode: 0,
          sql: nil, path: path)
      }
      // Checked: a negative version was refused.
      for migration in migrations.dropFirst(version) { try migration.apply(self) }
      try execute("PRAGMA user_version = \(migrations.count)")
    }
  }

  /// Checks that a schema version is one that this program can migrate.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/newerSchema`` or ``SQLiteError/Code/damaged``.
  private func check(_ version: Int, knowing newest: Int) throws(SQLiteError) {
    if version < 0 {
      throw SQLiteError(
        code: .damaged, message: "its header has the invalid schema version \(version)", resultCode: 0,
        sql: nil, path: path)
    }
    if version > newest {
      throw SQLiteError(
        code: .newerSchema,
        message:
          "the database has schema version \(version), but this program supports versions up to \(newest); "
          + "update the program",
        resultCode: 0,
        sql: nil,
        path: path
      )
    }
  }

  /// Returns the schema version in the file's header; 0 for a new database.
  private func schemaVersion() throws -> Int {
    try first("PRAGMA user_version") { Int(clamping: $0.integer(0)) } ?? 0
  }
}

import TenonSQLite

/// The tables of the embedded backend.
enum EmbeddedSchema {
  /// Every step from the first version on. Steps that were released don't change.
  static let migrations = [
    Migration(
      """
      CREATE TABLE accounts (
        project TEXT NOT NULL, id TEXT NOT NULL, email TEXT, record BLOB NOT NULL,
        PRIMARY KEY (project, id), UNIQUE (project, email)
      );
      CREATE TABLE sessions (
        project TEXT NOT NULL, refresh_token TEXT NOT NULL, account TEXT NOT NULL, provider TEXT NOT NULL,
        epoch INTEGER NOT NULL, issued INTEGER NOT NULL,
        PRIMARY KEY (project, refresh_token)
      ) WITHOUT ROWID;
      CREATE TABLE contents (id INTEGER PRIMARY KEY AUTOINCREMENT, created INTEGER NOT NULL);
      CREATE TABLE pieces (
        content INTEGER NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (content, position)
      );
      CREATE TABLE objects (
        bucket TEXT NOT NULL, name TEXT NOT NULL, content INTEGER NOT NULL, record BLOB NOT NULL,
        PRIMARY KEY (bucket, name)
      );
      CREATE INDEX objects_by_content ON objects (content);
      CREATE TABLE uploads (id TEXT PRIMARY KEY, started INTEGER NOT NULL, record BLOB NOT NULL);
      """
    )
  ]
}

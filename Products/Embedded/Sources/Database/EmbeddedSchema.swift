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
    ),
    // Codes by mail, providers other than passwords, and what a custom token claimed.
    Migration(
      """
      ALTER TABLE sessions ADD COLUMN claims TEXT;
      CREATE TABLE codes (
        number INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, code TEXT NOT NULL, record BLOB NOT NULL,
        UNIQUE (project, code)
      );
      CREATE TABLE identities (
        project TEXT NOT NULL, provider TEXT NOT NULL, raw_id TEXT NOT NULL, email TEXT, account TEXT NOT NULL,
        PRIMARY KEY (project, provider, raw_id)
      ) WITHOUT ROWID;
      CREATE INDEX identities_by_account ON identities (project, account);
      CREATE INDEX identities_by_email ON identities (project, email);
      """
    ),
    // From here on pages have checksums, which earlier versions of the program don't write.
    Migration(""),
    // Uploads are counted, those that go on apart from those that have ended.
    Migration(
      """
      ALTER TABLE uploads ADD COLUMN is_active INTEGER NOT NULL DEFAULT 1;
      CREATE INDEX uploads_by_start ON uploads (is_active, started);
      """
    ),
  ]
}

import TenonSQLite

/// The tables of ``EmbeddedDatabase``.
///
/// Records are JSON. Times are milliseconds since 1970.
enum EmbeddedSchema {
  /// The steps of the schema from the first version on. Released steps must not be changed.
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
    // Emailed codes, identity providers, and the claims of custom tokens.
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
    // From this version on, pages have checksums. Earlier versions of the program can't write them.
    Migration(""),
    // Limits the number of uploads, of active ones and of ended ones separately.
    Migration(
      """
      ALTER TABLE uploads ADD COLUMN is_active INTEGER NOT NULL DEFAULT 1;
      CREATE INDEX uploads_by_start ON uploads (is_active, started);
      """
    ),
  ]
}

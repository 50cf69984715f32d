import TenonSQLite

/// How documents lie in SQLite.
///
/// Times are microseconds since 1970. `key` is the ordered encoding of a document's id within its collection. `changes`
/// holds how documents were before each commit (`change_bytes` is their size), so that listeners are told what changed since a moment. `answers` holds
/// what batches were answered, so that one that is sent again is applied once.
enum DocumentSchema {
  /// Every step from the first version on. Steps that were released don't change.
  static let migrations = [
    Migration(
      """
      CREATE TABLE databases (
        id INTEGER PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, identity TEXT NOT NULL,
        moment INTEGER NOT NULL, horizon INTEGER NOT NULL, change_bytes INTEGER NOT NULL DEFAULT 0,
        UNIQUE (project, name)
      );
      CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        database INTEGER NOT NULL, collection BLOB NOT NULL, key BLOB NOT NULL,
        collection_id TEXT NOT NULL, path TEXT NOT NULL,
        created INTEGER NOT NULL, updated INTEGER NOT NULL, fields BLOB NOT NULL,
        UNIQUE (database, collection, key)
      );
      CREATE INDEX documents_by_group ON documents (database, collection_id);
      CREATE TABLE changes (
        database INTEGER NOT NULL, moment INTEGER NOT NULL, path TEXT NOT NULL,
        created INTEGER, updated INTEGER, fields BLOB,
        PRIMARY KEY (database, moment, path)
      ) WITHOUT ROWID;
      CREATE TABLE answers (
        database INTEGER NOT NULL, batch BLOB NOT NULL, moment INTEGER NOT NULL, answer BLOB NOT NULL,
        PRIMARY KEY (database, batch)
      ) WITHOUT ROWID;
      CREATE INDEX answers_by_moment ON answers (database, moment);
      """
    ),
    // From here on pages have checksums, which earlier versions of the program don't write.
    Migration(""),
  ]

  /// How much of the past is kept.
  struct Retention {
    /// How long changes and answers are kept, in microseconds: a week.
    var lifetime: Int64 = 7 * 24 * 3_600 * 1_000_000
    /// How many changes at most, and how many answers.
    var count = 100_000
    /// How many bytes the documents have in the changes, those of the last commit aside.
    var bytes = 64 * 1_048_576
  }
}

import TenonSQLite

/// The tables of ``DocumentDatabase``.
///
/// Times are microseconds since 1970; `moment` is the time of a commit. `key` is the ordered encoding of a
/// document's ID within its collection.
///
/// - `databases` has the time of the last commit, and `horizon`, the time of the last commit whose changes
///   were deleted.
/// - `changes` has the state of each changed document before a commit (`change_bytes` is the size of them
///   all), from which listeners receive the changes since a time.
/// - `definitions` has indexes, settings of fields and operations as JSON. Queries need none of them.
/// - `triggers` and `events` are those of ``EventSchema``.
/// - `answers` has the results of batches, so that a batch that is sent again is applied only once.
enum DocumentSchema {
  /// The steps of the schema from the first version on. Released steps must not be changed.
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
    // From this version on, pages have checksums. Earlier versions of the program can't write them.
    Migration(""),
    Migration(
      """
      CREATE TABLE definitions (
        number INTEGER PRIMARY KEY, database INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
        record BLOB NOT NULL,
        UNIQUE (database, kind, name)
      );
      """
    ),
    EventSchema.tables,
  ]

  /// The part of the history that is kept.
  struct Retention {
    /// The age up to which changes and results are kept, in microseconds: a week.
    var lifetime: Int64 = 7 * 24 * 3_600 * 1_000_000
    /// The greatest number of changes, and of results.
    var count = 100_000
    /// The greatest size of the documents in the changes, in bytes, not counting the last commit.
    var bytes = 64 * 1_048_576
  }
}

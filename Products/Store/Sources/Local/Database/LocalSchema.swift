package import TenonSQLite

/// The schema of the database.
///
/// `key` is the ordered encoding of a document's ID, so that SQLite's order is Firestore's. `documents` contains the documents as
/// users see them, with pending writes applied. `entries` is the index that answers queries (``EntryTable``): it contains every
/// field of every document in the ordered encoding of its value, and every element of every array. `changes` contains the changed
/// documents, for the listeners in all processes (``ChangeLog``). `indexes` contains the composite indexes with the position up
/// to which they are built (`collection` and `key`), and `index_entries` their entries.
///
/// The other tables are used when documents are synchronized with a remote. `bases` contains the last state that the remote sent
/// of documents with pending changes; `batches` the pending writes, and `rejections` the rejected ones; `targets` the queries
/// that were listened to, with their documents. `uses` records when documents were last used, so that the least recently used
/// ones can be collected.
package enum LocalSchema {
  /// The migrations, in order; the number of them is the schema version.
  package static let migrations = [
    Migration(
      """
      CREATE TABLE collections (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        collection_id TEXT NOT NULL
      );
      CREATE INDEX collections_by_id ON collections (collection_id);
      CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL,
        key BLOB NOT NULL,
        name TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        fields BLOB NOT NULL,
        UNIQUE (collection, key)
      );
      CREATE TABLE fields (
        id INTEGER PRIMARY KEY,
        path BLOB NOT NULL UNIQUE
      );
      CREATE TABLE entries (
        collection INTEGER NOT NULL,
        field INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        value BLOB NOT NULL,
        key BLOB NOT NULL,
        document INTEGER NOT NULL,
        PRIMARY KEY (collection, field, kind, value, key)
      ) WITHOUT ROWID;
      CREATE TABLE changes (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        collection INTEGER NOT NULL,
        name TEXT NOT NULL
      );
      """
    ),
    Migration(
      """
      ALTER TABLE documents ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE documents ADD COLUMN timestamps BLOB;
      CREATE TABLE bases (
        collection INTEGER NOT NULL,
        name TEXT NOT NULL,
        kind INTEGER NOT NULL,
        created INTEGER NOT NULL,
        version INTEGER NOT NULL,
        is_committed INTEGER NOT NULL,
        fields BLOB,
        PRIMARY KEY (collection, name)
      ) WITHOUT ROWID;
      CREATE TABLE batches (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user TEXT NOT NULL,
        uuid TEXT NOT NULL UNIQUE,
        time INTEGER NOT NULL,
        content BLOB NOT NULL
      );
      CREATE INDEX batches_by_user ON batches (user, id);
      CREATE TABLE batch_documents (
        user TEXT NOT NULL,
        collection INTEGER NOT NULL,
        name TEXT NOT NULL,
        batch INTEGER NOT NULL,
        PRIMARY KEY (collection, name, user, batch)
      ) WITHOUT ROWID;
      CREATE INDEX batch_documents_by_user ON batch_documents (user, batch);
      CREATE TABLE rejections (
        uuid TEXT PRIMARY KEY,
        user TEXT NOT NULL,
        time INTEGER NOT NULL,
        content BLOB NOT NULL,
        code TEXT NOT NULL,
        message TEXT NOT NULL
      );
      CREATE TABLE targets (
        id INTEGER PRIMARY KEY,
        canonical BLOB NOT NULL UNIQUE,
        token BLOB NOT NULL,
        version INTEGER NOT NULL,
        complete_version INTEGER NOT NULL,
        sequence INTEGER NOT NULL
      );
      CREATE TABLE target_documents (
        target INTEGER NOT NULL,
        collection INTEGER NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (target, collection, name)
      ) WITHOUT ROWID;
      CREATE INDEX target_documents_by_document ON target_documents (collection, name);
      CREATE TABLE uses (
        collection INTEGER NOT NULL,
        name TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (collection, name)
      ) WITHOUT ROWID;
      CREATE INDEX uses_by_sequence ON uses (sequence);
      CREATE TABLE globals (
        name TEXT PRIMARY KEY,
        value
      ) WITHOUT ROWID;
      CREATE TABLE bundles (
        id TEXT PRIMARY KEY,
        created INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE TABLE named_queries (
        name TEXT PRIMARY KEY,
        read INTEGER NOT NULL,
        query BLOB NOT NULL
      ) WITHOUT ROWID;
      """
    ),
    Migration(
      """
      CREATE TABLE indexes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        definition BLOB NOT NULL,
        collection_id TEXT NOT NULL,
        state INTEGER NOT NULL,
        collection INTEGER NOT NULL,
        key BLOB NOT NULL,
        documents INTEGER NOT NULL,
        total INTEGER NOT NULL
      );
      CREATE TABLE index_entries (
        idx INTEGER NOT NULL,
        collection INTEGER NOT NULL,
        value BLOB NOT NULL,
        key BLOB NOT NULL,
        document INTEGER NOT NULL,
        PRIMARY KEY (idx, collection, value, key)
      ) WITHOUT ROWID;
      """
    ),
    Migration(
      """
      DROP TABLE changes;
      CREATE TABLE changes (
        sequence INTEGER PRIMARY KEY,
        first INTEGER NOT NULL,
        documents BLOB NOT NULL
      );
      """
    ),
    Migration { try EntryTable.shorten(in: $0) },
    // From this version on, pages have checksums, which earlier versions of the library do not write.
    Migration(""),
    // 1 for a double, 0 for any other value, NULL in older entries, where the type was not recorded.
    Migration("ALTER TABLE entries ADD COLUMN is_double INTEGER"),
  ]

  /// The SQL statements of the current tables and indexes.
  static let statements: Set<String> = {
    let fresh = try? Connection.open(nil)
    try? fresh?.migrate(migrations)
    return (try? fresh.map(statements)) ?? []
  }()

  /// Returns the SQL statements with which the tables and indexes of a database were created.
  static func statements(in connection: Connection) throws -> Set<String> {
    Set(try connection.rows("SELECT coalesce(sql, name) FROM sqlite_schema") { $0.text(0) })
  }
}

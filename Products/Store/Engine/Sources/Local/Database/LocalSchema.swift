import TenonFoundation
package import TenonSQLite

/// The schema of the database.
///
/// Every collection and every field path that was ever used has a number, by which the other tables refer to
/// it; a number is never reused while anything refers to it. Points in time are microseconds since 1970, and 0 means "never" or
/// "unknown". The schema declares no foreign keys: the classes of the tables (``LocalTables``) keep rows that
/// refer to one another consistent by changing them in one transaction.
///
/// Tables of the documents and their indexes:
/// - `collections`: the number, path and ID (the last segment of the path) of each collection; see
///   ``CollectionTable``.
/// - `dropped_collections`: the numbers and paths of the collections that were dropped, and whose documents and
///   index entries haven't all been deleted.
/// - `documents`: the documents as users see them, with pending writes applied. `key` is the ordered encoding
///   of the document's ID, so that SQLite's order is Firestore's, and `name` is the ID itself. `fields` has
///   the format of `DocumentCoding`; `flags` is that of ``StoredDocument/flags``, and `timestamps` that of
///   ``WriteCoding/encode(_:)-([PendingTimestamp])``, `NULL` if there are none. The row ID is stable until
///   the document is deleted, and the indexes refer to it.
/// - `fields`: the number of each field path; see ``FieldTable``.
/// - `entries`: the indexes of single fields (``EntryTable``): the values of the fields in their ordered
///   encoding, and the elements of arrays.
/// - `indexes`: which fields have entries, and the composite indexes, with the position up to which they are
///   built (`collection` and `key`); see ``IndexTable``.
/// - `text_<number>`: an FTS5 table with its shadow tables for each text index, which is a row of `indexes`
///   as well; see ``StoredTextIndex``. They are created when the index is declared, not by a migration.
/// - `index_entries`: the entries of the composite indexes; see ``DeclaredIndex`` for the format of `value`
///   and `key`.
/// - `changes`: the changed documents, for the listeners in all processes (``ChangeLog``).
///
/// The other tables are used when documents are synchronized with a remote:
/// - `bases`: the last state that the remote sent of documents with pending changes (``BaseTable``).
/// - `batches`: the pending writes; `batch_documents` has a row for each document that a batch writes to, and
///   `batch_reads` for each one that it only reads, and whose version it awaits (``QueueTable``).
/// - `rejections`: the batches that the remote rejected or that were cancelled (``RejectionTable``).
/// - `targets`: the queries that were listened to; `target_documents` has a row for each of their documents
///   (``TargetTable``).
/// - `uses`: when documents were last used, so that the least recently used ones can be collected
///   (``UseTable``).
/// - `globals`: single values by name (``GlobalTable``). The number of changes of the composite indexes is
///   stored here in local-only databases as well.
/// - `bundles` and `named_queries`: the loaded bundles and their queries (``BundleTable``).
/// - `pins`: the documents and queries that garbage collection keeps (``PinTable``).
/// - `local_collections`: the IDs of the collections that exist only on this device (``LocalCollections``).
package enum LocalSchema {
  /// The migrations, in order; the number of them is the schema version, which SQLite's `user_version`
  /// contains.
  ///
  /// The missing ones run in a single transaction when the database is opened, so that a file has one version
  /// or another, never a mixture. They are part of the file format: released ones must not be changed, and
  /// new ones are appended. A file of a newer version can't be opened; the error is ``StoreError`` with
  /// ``StoreError/Code/failedPrecondition``.
  ///
  /// 1. Documents, their automatic index and the change log.
  /// 2. Everything that synchronization needs, and the columns `flags` and `timestamps` of `documents`.
  /// 3. Composite indexes.
  /// 4. A change log with one row per transaction instead of one per change. The old rows are dropped,
  /// because no listener survives the process that migrates the file.
  /// 5. Shorter rows in `entries`; see ``EntryTable/shorten(in:)``.
  /// 6. No change of the tables. It prevents versions of the library that don't write checksums from opening
  ///    the file.
  /// 7. The column `is_double` of `entries`.
  /// 8. Indexes of single fields in `indexes`, with the columns `kind` and `used`.
  /// 9. Pins, and collections that exist only on this device.
  /// 10. The collection and the field of an entry are the beginning of its value; see
  ///     ``EntryTable/joinColumns(in:)``.
  /// 11. Text indexes are rebuilt; see ``StoredTextIndex/renew(in:)``.
  /// 12. No index of `batch_documents` by user, which every queued write had to update.
  /// 13. What queued transactions have only read, which was a write in the queue before.
  /// 14. Indexes with entries of long values are rebuilt; see ``IndexTable/renewLongEntries(in:)``.
  /// 15. The column `number` of `entries`.
  /// 16. Dropped collections.
  /// 17. The paths of dropped collections.
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
    // From this version on, pages have checksums, which earlier versions of the library don't write.
    Migration(""),
    // 1 for a double, 0 for any other value, NULL in older entries, where the type wasn't recorded.
    Migration("ALTER TABLE entries ADD COLUMN is_double INTEGER"),
    // The row states that every field of every document has entries, which is true for older files.
    Migration(
      """
      ALTER TABLE indexes ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE indexes ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
      INSERT INTO indexes (definition, collection_id, state, collection, key, documents, total, kind)
      VALUES (x'', '', 1, 0, x'', 0, 0, 3);
      """
    ),
    // IDs of pins aren't reused, so that their number and the newest ID tell whether they have changed.
    Migration(
      """
      CREATE TABLE pins (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        target BLOB NOT NULL,
        is_reversed INTEGER NOT NULL,
        path TEXT NOT NULL,
        query BLOB,
        UNIQUE (target, is_reversed)
      );
      CREATE TABLE local_collections (
        collection_id TEXT PRIMARY KEY
      ) WITHOUT ROWID;
      """
    ),
    Migration { try EntryTable.joinColumns(in: $0) },
    Migration { try StoredTextIndex.renew(in: $0) },
    Migration("DROP INDEX batch_documents_by_user"),
    Migration(
      """
      CREATE TABLE batch_reads (
        user TEXT NOT NULL,
        collection INTEGER NOT NULL,
        name TEXT NOT NULL,
        batch INTEGER NOT NULL,
        PRIMARY KEY (collection, name, user, batch)
      ) WITHOUT ROWID;
      """
    ),
    Migration { try IndexTable.renewLongEntries(in: $0) },
    // The value itself, so that SQLite can add the numbers of an index; NULL for other values and in older
    // entries. Without a type, a double that is a whole number remains a double.
    Migration("ALTER TABLE entries ADD COLUMN number"),
    Migration("CREATE TABLE dropped_collections (id INTEGER PRIMARY KEY)"),
    // NULL for collections that were dropped before. None of them had documents in an index of another scope.
    Migration("ALTER TABLE dropped_collections ADD COLUMN path TEXT"),
  ]

  /// The result of ``statements()``, once it has been determined.
  private static let known = Lock<Set<String>?>(nil)

  /// Returns the SQL statements of the current tables and indexes, for comparison with those of a file; see
  /// ``StoreFile/open()``. They are determined once per process.
  ///
  /// - Throws: `SQLiteError` if they can't be determined; the next call tries again.
  package static func statements() throws -> Set<String> {
    try known.withLock { known in
      let statements = try known ?? statements(after: migrations)
      known = statements
      return statements
    }
  }

  /// Returns statements of which a database of any version has at least one: those of version 1 and of the
  /// current version. They distinguish a damaged database from one of another program.
  ///
  /// - Throws: as ``statements()``.
  static func ownStatements() throws -> Set<String> {
    try knownToOwn.withLock { known in
      if let known { return known }
      // The names of indexes that belong to constraints are the same in other programs' databases.
      let statements = try statements().union(statements(after: [migrations[0]])).filter {
        $0.hasPrefix("CREATE ")
      }
      known = statements
      return statements
    }
  }

  /// The result of ``ownStatements()``, once it has been determined.
  private static let knownToOwn = Lock<Set<String>?>(nil)

  /// Returns the SQL statements of a new database in memory after migrations.
  ///
  /// - Throws: `SQLiteError` if the database can't be created, or a migration fails.
  static func statements(after migrations: [Migration]) throws -> Set<String> {
    let fresh = try Connection.open(nil)
    try fresh.migrate(migrations)
    return try statements(in: fresh)
  }

  /// Returns the SQL statements with which the tables and indexes of a database were created. SQLite keeps
  /// their text as it was executed (https://www.sqlite.org/schematab.html); an index that belongs to a
  /// constraint has none, and is represented by its name.
  ///
  /// - Parameter connection: a connection to the database.
  /// - Throws: `SQLiteError`.
  package static func statements(in connection: Connection) throws -> Set<String> {
    Set(try connection.rows("SELECT coalesce(sql, name) FROM sqlite_schema") { $0.text(0) })
  }
}

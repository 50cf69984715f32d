import TenonSQLite

/// How documents lie in SQLite.
///
/// `key` is the ordered encoding of a document's id, so that SQLite's order is Firestore's. `entries` holds every
/// field of every document in the ordered encoding of its value, and with `kind` 1 every element of every array: the
/// index that answers queries. `changes` tells listeners in all processes what to look at.
enum StoreSchema {
  static let migrations = [
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
    )
  ]

  /// The statements that make the present tables and indexes.
  static let statements: Set<String> = {
    let fresh = try? Connection.open(nil)
    try? fresh?.migrate(migrations)
    return (try? fresh.map(statements)) ?? []
  }()

  /// The statements that made the tables and indexes of a database.
  static func statements(in connection: Connection) throws -> Set<String> {
    Set(try connection.rows("SELECT coalesce(sql, name) FROM sqlite_schema") { $0.text(0) })
  }

  /// How many changes are kept for listeners in other processes; one that is further behind reads its query anew.
  static let keptChanges: Int64 = 20_000
}

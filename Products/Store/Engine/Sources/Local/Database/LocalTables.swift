package import TenonSQLite

/// The tables of a database. Each owns its rows and its in-memory state: no other type writes to them.
///
/// They are created once, by the ``LocalDatabase`` that owns the connection, and are confined to its
/// isolation domain. The structs have no state; the classes cache rows, or count what is in use, and take
/// part in transactions as ``TransactionParticipant``.
package struct LocalTables {
  let reader: DatabaseReader
  package let globals: GlobalTable
  package let collections: CollectionTable
  package let fields: FieldTable
  let entries: EntryTable
  package let indexes: IndexTable
  let indexRequests: IndexRequests
  let texts: TextIndexTable
  let changes: ChangeLog
  package let documents: DocumentTable
  package let bases: BaseTable
  package let queue: QueueTable
  package let rejections: RejectionTable
  package let users: UserTable
  let uses: UseTable
  let targets: TargetTable
  let bundles: BundleTable
  package let pins: PinTable
  package let localCollections: LocalCollections

  /// Creates the tables. It reads the newest change and the timestamp of the last snapshot, and writes
  /// nothing.
  ///
  /// - Parameters:
  ///   - connection: a connection to a database with the current schema.
  ///   - collection: which documents are deleted when nothing uses them.
  /// - Throws: `SQLiteError`.
  package init(_ connection: Connection, collection: StoreSettings.GarbageCollection) throws {
    reader = DatabaseReader(connection)
    globals = GlobalTable(reader)
    collections = CollectionTable(reader)
    fields = FieldTable(reader)
    entries = EntryTable(fields: fields)
    indexes = IndexTable(reader, globals: globals, fields: fields, collections: collections)
    indexRequests = IndexRequests(indexes)
    texts = TextIndexTable(reader, indexes: indexes)
    changes = try ChangeLog(reader, collections: collections)
    documents = DocumentTable(
      reader, collections: collections, entries: entries, indexes: indexes, texts: texts, changes: changes)
    bases = BaseTable(reader)
    queue = QueueTable(reader, collections: collections)
    rejections = RejectionTable(reader)
    users = UserTable(globals)
    uses = UseTable(reader, collections: collections, collection: collection)
    targets = try TargetTable(reader, globals: globals, collections: collections, uses: uses)
    bundles = BundleTable(reader)
    pins = PinTable(reader)
    localCollections = LocalCollections(reader, indexes: indexes)
  }

  /// Keeps the documents that users see consistent with what the remote sent and with the pending writes.
  var overlays: Overlays {
    Overlays(collections: collections, documents: documents, bases: bases, queue: queue, users: users)
  }

  /// Deletes the rows of dropped collections.
  var droppedRows: DroppedRows {
    DroppedRows(collections: collections, documents: documents, indexes: indexes, texts: texts)
  }

  /// Deletes the documents of a collection in pages.
  var deletion: CollectionDeletion {
    CollectionDeletion(collections: collections, documents: documents, indexes: indexes, changes: changes)
  }
}

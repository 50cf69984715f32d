import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// One database: writes, reads and listeners, one after the other, on a thread of its own.
actor StoreEngine {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor = QueueExecutor(label: "tenon-store")
  let file: StoreFile
  let logger: Logger
  private let now: @Sendable () -> Timestamp
  private var connection: Connection?
  private var isClosed = false
  private var collectionNumbers: [ResourcePath: Int64] = [:]
  private var collectionPaths: [Int64: ResourcePath] = [:]
  private var fieldNumbers: [FieldPath: Int64] = [:]

  // Kept by StoreEngine+Listeners.
  var listeners: [UUID: Listener] = [:]
  var lastSequence: Int64 = 0
  var lastDataVersion: Int64 = 0
  var poller: Task<Void, Never>?

  /// - Parameters:
  ///   - path: the file; `nil` for a database in memory.
  ///   - disk: the disk as SQLite knows it; see ``StoreFile``.
  ///   - now: the clock that dates documents.
  init(
    path: String?, disk: String? = nil, logger: Logger,
    now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
  ) {
    file = StoreFile(path: path, disk: disk)
    self.logger = logger
    self.now = now
  }

  var path: String? { file.path }

  /// The connection, opened when it is first needed.
  func database() throws -> Connection {
    try checkOpen()
    if let connection { return connection }
    let connection = try file.open()
    self.connection = connection
    return connection
  }

  private func checkOpen() throws {
    guard !isClosed else {
      throw StoreError(.closed, "The database was closed, because its app was deleted.")
    }
  }

  /// Closes the connection until it is next needed, and forgets what was known of its file.
  func disconnect() throws {
    try checkOpen()
    connection = nil
    forgetNumbers()
  }

  private func forgetNumbers() {
    collectionNumbers = [:]
    collectionPaths = [:]
    fieldNumbers = [:]
  }

  /// Ends every listening and closes the database.
  func close() {
    isClosed = true
    endListening(throwing: nil)
    connection = nil
  }

  // MARK: - Writing

  /// Makes writes together or not at all. When this returns they are durable, and listeners have been told.
  func commit(_ writes: [DocumentWrite]) throws { _ = try commit(writes, ifUnchanged: []) }

  /// Makes writes together, if what was read is still so.
  ///
  /// - Returns: whether it is; nothing was changed otherwise.
  func commit(_ writes: [DocumentWrite], ifUnchanged reads: [TransactionRead]) throws -> Bool {
    var isUnchanged = true
    do {
      // From here on the writes are made whole, whoever waits for them.
      try Task.checkCancellation()
      let database = try database()
      let moment = now().microseconds
      try database.transaction {
        isUnchanged = try reads.allSatisfy { try isCurrent($0, database) }
        guard isUnchanged else { return }
        let sequence = try newestSequence(database)
        for write in writes { try apply(write, at: moment, database) }
        try pruneChanges(since: sequence, database)
      }
    } catch {
      // Numbers that were given in the transaction are gone with it.
      forgetNumbers()
      throw StoreError.wrapping(error)
    }
    deliverChanges()
    return isUnchanged
  }

  private func isCurrent(_ read: TransactionRead, _ database: Connection) throws -> Bool {
    switch read {
    case .document(let path, let updated): try document(path, database)?.updateTime == updated
    case .query(let query, let versions):
      try documents(of: query, database).map { TransactionRead.Version($0) } == versions
    }
  }

  private func apply(_ write: DocumentWrite, at moment: Int64, _ database: Connection) throws {
    guard let parent = write.document.parent else { return }
    let collection = try number(of: parent, database)
    let key = Self.key(write.document)
    let row = try database.first(
      "SELECT id, fields, updated FROM documents WHERE collection = ? AND key = ?",
      [.integer(collection), .blob(key)]
    ) { (id: $0.integer(0), fields: try decode($0.blob(1), of: write.document), updated: $0.integer(2)) }
    try check(write, exists: row != nil, updated: row?.updated)
    let fields = try write.result(on: row?.fields, at: Timestamp(microseconds: moment))
    guard fields != row?.fields else { return }

    // A document that changes gets a later moment, whatever the clock says.
    let updated = max(moment, (row?.updated ?? .min) + 1)
    let document: Int64
    switch (fields, row) {
    case (nil, let row?):
      document = row.id
      try database.run("DELETE FROM documents WHERE id = ?", [.integer(row.id)])
    case (let fields?, let row?):
      document = row.id
      try database.run(
        "UPDATE documents SET fields = ?, updated = ? WHERE id = ?",
        [.blob(DocumentCoding.encode(fields)), .integer(updated), .integer(row.id)]
      )
    case (let fields?, nil):
      try database.run(
        "INSERT INTO documents (collection, key, name, created, updated, fields) VALUES (?, ?, ?, ?, ?, ?)",
        [
          .integer(collection), .blob(key), .text(write.document.id), .integer(moment), .integer(moment),
          .blob(DocumentCoding.encode(fields)),
        ]
      )
      document = database.lastInsertedRowID
    case (nil, nil): return
    }
    try updateIndex(
      from: row?.fields,
      to: fields,
      collection: collection,
      key: key,
      document: document,
      database
    )
    try database.run(
      "INSERT INTO changes (collection, name) VALUES (?, ?)",
      [.integer(collection), .text(write.document.id)]
    )
  }

  private func check(_ write: DocumentWrite, exists: Bool, updated: Int64?) throws {
    switch write.precondition {
    case .exists(true) where !exists:
      throw StoreError(
        .notFound,
        "There is no document \(write.document.text) to update; use set(_:) to create it."
      )
    case .exists(false) where exists:
      throw StoreError(.alreadyExists, "The document \(write.document.text) exists already.")
    case .updated(let expected) where expected.microseconds != updated:
      throw StoreError(
        .failedPrecondition,
        "The document \(write.document.text) was changed since it was read. Read it again."
      )
    default: break
    }
  }

  private func updateIndex(
    from old: Fields?,
    to new: Fields?,
    collection: Int64,
    key: Data,
    document: Int64,
    _ database: Connection
  ) throws {
    let oldEntries = old.map(IndexEntry.entries) ?? []
    let newEntries = new.map(IndexEntry.entries) ?? []
    for entry in oldEntries.subtracting(newEntries) {
      try database.run(
        "DELETE FROM entries WHERE collection = ? AND field = ? AND kind = ? AND value = ? AND key = ?",
        [
          .integer(collection), .integer(try number(of: entry.field, database)),
          .integer(entry.kind.rawValue),
          .blob(entry.value), .blob(key),
        ]
      )
    }
    for entry in newEntries.subtracting(oldEntries) {
      try database.run(
        "INSERT INTO entries (collection, field, kind, value, key, document) VALUES (?, ?, ?, ?, ?, ?)",
        [
          .integer(collection), .integer(try number(of: entry.field, database)),
          .integer(entry.kind.rawValue),
          .blob(entry.value), .blob(key), .integer(document),
        ]
      )
    }
  }

  /// Once in a thousand changes is enough, however many a transaction makes.
  private func pruneChanges(since sequence: Int64, _ database: Connection) throws {
    let last = try newestSequence(database)
    guard last / 1000 != sequence / 1000 else { return }
    try database.run("DELETE FROM changes WHERE sequence <= ?", [.integer(last - StoreSchema.keptChanges)])
  }

  /// The fields of a stored document.
  func decode(_ bytes: Data, of document: ResourcePath) throws(StoreError) -> Fields {
    do { return try DocumentCoding.decode(bytes) } catch {
      throw .damaged(path, "the document \(document.text) can't be read", underlying: error)
    }
  }

  // MARK: - Numbers of paths

  static func key(_ document: ResourcePath) -> Data {
    OrderedEncoding.encode(ResourcePath(segments: [document.id]))
  }

  private func number(of collection: ResourcePath, _ database: Connection) throws -> Int64 {
    if let number = try existingNumber(of: collection, database) { return number }
    try database.run(
      "INSERT INTO collections (path, collection_id) VALUES (?, ?)",
      [.text(collection.text), .text(collection.id)]
    )
    collectionNumbers[collection] = database.lastInsertedRowID
    return database.lastInsertedRowID
  }

  func existingNumber(of collection: ResourcePath, _ database: Connection) throws -> Int64? {
    if let number = collectionNumbers[collection] { return number }
    let number = try database.first("SELECT id FROM collections WHERE path = ?", [.text(collection.text)]) {
      $0.integer(0)
    }
    collectionNumbers[collection] = number
    return number
  }

  func collection(_ number: Int64, _ database: Connection) throws -> ResourcePath {
    if let path = collectionPaths[number] { return path }
    let text = try database.first("SELECT path FROM collections WHERE id = ?", [.integer(number)]) {
      $0.text(0)
    }
    let path = ResourcePath(segments: (text ?? "").unicodeScalars.split(separator: "/").map(String.init))
    collectionPaths[number] = path
    return path
  }

  private func number(of field: FieldPath, _ database: Connection) throws -> Int64 {
    if let number = try existingNumber(of: field, database) { return number }
    try database.run("INSERT INTO fields (path) VALUES (?)", [.blob(Self.encoded(field))])
    fieldNumbers[field] = database.lastInsertedRowID
    return database.lastInsertedRowID
  }

  func existingNumber(of field: FieldPath, _ database: Connection) throws -> Int64? {
    if let number = fieldNumbers[field] { return number }
    let number = try database.first("SELECT id FROM fields WHERE path = ?", [.blob(Self.encoded(field))]) {
      $0.integer(0)
    }
    fieldNumbers[field] = number
    return number
  }

  private static func encoded(_ field: FieldPath) -> Data {
    OrderedEncoding.encode(.array(field.segments.map(Value.string)))
  }
}

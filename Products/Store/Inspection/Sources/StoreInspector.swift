import TenonDocuments
package import TenonFoundation
import TenonSQLite
package import TenonStoreEngine
package import TenonStoreInterop
package import TenonValues

/// Looks into the file of a database without changing anything; apps may have it open.
///
/// Confined to the closure that receives it, in which everything is read from one state of the database.
/// Methods throw ``StoreError``, with ``StoreError/Code/dataLoss`` for what can't be decoded.
package final class StoreInspector {
  /// The path of the file.
  package let path: String
  let connection: Connection
  let tables: LocalTables
  let reader: LocalReader
  /// The size of the file and of its log in bytes.
  let sizes: (file: Int64, log: Int64)

  /// Reads the tables.
  private init(_ path: String, _ connection: Connection, sizes: (file: Int64, log: Int64)) throws {
    (self.path, self.connection, self.sizes) = (path, connection, sizes)
    tables = try LocalTables(connection, collection: .leastRecentlyUsed(threshold: nil))
    reader = try LocalReader(inspecting: tables, on: connection)
  }

  /// Runs a closure with the content of a database, in one read transaction.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - key: the key of an encrypted database; `nil` if it isn't encrypted.
  ///   - body: reads. An app that writes in the meantime can't truncate the log of the database.
  /// - Returns: what `body` returns.
  /// - Throws: ``StoreError``: with ``StoreError/Code/notFound`` if there is no such file; with
  ///   ``StoreError/Code/invalidArgument`` if it isn't a database of Store; with
  ///   ``StoreError/Code/failedPrecondition`` if it has another version of the format; with
  ///   ``StoreError/Code/dataLoss`` if it is damaged; with ``StoreError/Code/encryptionKey`` if the key isn't
  ///   that of the database; with ``StoreError/Code/aborted`` if a process began to change it while it was
  ///   read. What `body` throws.
  package static func inspect<Result>(
    _ path: String, key: EncryptionKey? = nil, _ body: (StoreInspector) throws -> Result
  ) throws -> Result {
    guard let file = size(of: path) else {
      throw StoreError(.notFound, "There is no file \(path).")
    }
    guard file > 0 || size(of: path + "-wal") ?? 0 > 0 else { throw notOfStore(path, "it is empty") }
    do {
      return try Connection.withoutChanging(path, key: key?.key) { connection in
        try checkFormat(of: connection, at: path)
        let inspector = try StoreInspector(path, connection, sizes: (file, size(of: path + "-wal") ?? 0))
        return try inspector.reader.readWithin { try body(inspector) }
      }
    } catch let error as SQLiteError where error.isOfNoDatabase {
      throw notOfStore(
        path,
        "it doesn't begin as an SQLite database does. If it was a database, its beginning is damaged")
    } catch let error as SQLiteError where [.keyMissing, .keyWrong, .notEncrypted].contains(error.code) {
      throw StoreError(.encryptionKey, "The database \(path) \(keyReason(error.code)).", underlying: error)
    } catch { throw StoreError.wrapping(error) }
  }

  /// Returns why a database can't be read with the given key, or without one: the end of a sentence.
  private static func keyReason(_ code: SQLiteError.Code) -> String {
    switch code {
    case .keyMissing: "is encrypted, and can't be looked into without its key"
    case .keyWrong: "is encrypted with another key than the given one"
    default: "isn't encrypted, but a key was given"
    }
  }

  /// Returns the size of a file in bytes; `nil` if there is none.
  private static func size(of path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let size = attributes?[.size] as? UInt64 else { return nil }
    return Int64(clamping: size)
  }

  /// Checks that the tables are those of the present version of the format.
  ///
  /// - Throws: ``StoreError``; `SQLiteError`.
  private static func checkFormat(of connection: Connection, at path: String) throws {
    let newest = LocalSchema.migrations.count
    let version = try connection.first("PRAGMA user_version") { Int(clamping: $0.integer(0)) } ?? 0
    let names = Set(try connection.rows("SELECT name FROM sqlite_schema") { $0.text(0) })
    guard names.isSuperset(of: ["collections", "documents", "entries"]), version > 0 else {
      let reason = "it is an SQLite database of another program, or of the embedded backend"
      throw notOfStore(path, names.isEmpty ? "it has no tables" : reason)
    }
    guard version == newest else {
      let repair =
        version > newest
        ? "Use the program of the Tenon version that the app uses."
        : """
        Open it with an app of this version of Tenon, which brings it up to date, or use the program of the version that \
        wrote it.
        """
      throw StoreError(
        .failedPrecondition,
        """
        The database \(path) has version \(version) of the format, and this program reads version \(newest). \(repair)
        """)
    }
    guard try LocalSchema.statements(in: connection).isSuperset(of: LocalSchema.statements()) else {
      throw StoreError.damaged(path, "its tables aren't those of its version")
    }
  }

  /// Returns the error for a file that isn't a database of Store.
  private static func notOfStore(_ path: String, _ reason: String) -> StoreError {
    StoreError(
      .invalidArgument,
      "\(path) isn't a database of Store: \(reason). Its databases are default.sqlite and db-ID.sqlite in the directory of "
        + "an app's data.")
  }

  // MARK: - Reading

  /// Returns a document as the current user sees it; `nil` if it doesn't exist.
  package func document(_ path: ResourcePath) throws -> StoredDocument? { try reader.document(path) }

  /// Returns the documents of a query, in its order.
  package func documents(of query: RunnableQuery) throws -> [StoredDocument] {
    query.inOrder(try reader.documents(of: query.run))
  }

  /// Returns how a query is answered. The query is run.
  package func explain(_ query: RunnableQuery) throws -> QueryExplanation { try reader.explain(query.run) }

  /// The number of documents of some collections; see ``forEachDocument(in:_:)``.
  package func documentCount(in collections: [ResourcePath]?) throws -> Int64 {
    guard let collections else {
      let sql = "SELECT count(*) FROM documents WHERE collection IN (SELECT id FROM collections)"
      return try connection.first(sql) { $0.integer(0) } ?? 0
    }
    var sum: Int64 = 0
    for number in try collections.compactMap(tables.collections.number(of:)) {
      let sql = "SELECT count(*) FROM documents WHERE collection = ?"
      sum &+= try connection.first(sql, [.integer(number)]) { $0.integer(0) } ?? 0
    }
    return sum
  }

  /// Calls `body` with documents, by collection and then by ID. Memory holds one of them at a time.
  ///
  /// - Parameters:
  ///   - collections: the collections; `nil` for all of them.
  ///   - body: called with each document.
  /// - Throws: what `body` throws.
  package func forEachDocument(
    in collections: [ResourcePath]?, _ body: (StoredDocument) throws -> Void
  ) throws {
    let numbers: [Int64] =
      if let collections { try collections.compactMap(tables.collections.number(of:)) } else {
        try connection.rows("SELECT id FROM collections ORDER BY path") { $0.integer(0) }
      }
    for number in numbers {
      let collection = try tables.collections.path(of: number)
      try tables.documents.forEachRow(in: number, after: Data(), limit: .max) { row, _, _ in
        try body(tables.documents.document(row, in: collection))
        return true
      }
    }
  }

  // MARK: - The queue

  /// Writes of a user that the remote hasn't confirmed.
  package struct Pending: Sendable {
    /// The ID of the batch.
    package let id: UUID
    /// The user; `nil` for the signed-out user.
    package let user: String?
    /// When the writes were made.
    package let time: Timestamp
    /// The writes, in their order.
    package let writes: [DocumentWrite]
    /// Why the remote rejected them; `nil` if they are queued.
    package let rejection: StoreRemoteError?
  }

  /// Calls `body` with the queued writes of all users in the order of the queue, and then with those that the
  /// remote rejected and the app hasn't dismissed.
  package func forEachPending(_ body: (Pending) throws -> Void) throws {
    try tables.queue.forEachBatch { user, batch in
      try body(
        Pending(
          id: batch.uuid, user: user, time: batch.time, writes: batch.writes, rejection: nil))
    }
    try tables.rejections.forEachRejection { user, batch in
      try body(
        Pending(
          id: batch.uuid, user: user, time: batch.time, writes: batch.writes,
          rejection: batch.error))
    }
  }
}

extension SQLiteError {
  /// Whether SQLite doesn't recognize the file as a database.
  fileprivate var isOfNoDatabase: Bool { resultCode & 0xFF == 26 }
}

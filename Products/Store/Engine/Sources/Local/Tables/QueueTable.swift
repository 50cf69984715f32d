import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonValues

/// The tables `batches`, `batch_documents` and `batch_reads`: the pending writes of each user, in order. The
/// signed-out user has a separate queue, whose `user` is an empty string.
///
/// A row of `batches` is a batch: `content` has the format of ``WriteCoding``. IDs increase in the order of
/// the transactions that append, and are never reused (`AUTOINCREMENT`), so a batch that is no longer in the
/// table was resolved. `batch_documents` has a row for each document that a batch writes to. It answers which
/// writes must be applied to a document, and whether a document may be collected. `batch_reads` has a row for
/// each document whose version a batch awaits because it has only read it.
///
/// Methods that decode batches throw `DocumentError` with the code `damaged` if a row can't be decoded; all
/// methods throw `SQLiteError`.
package struct QueueTable {
  private let reader: DatabaseReader
  private let collections: CollectionTable

  init(_ reader: DatabaseReader, collections: CollectionTable) {
    self.reader = reader
    self.collections = collections
  }

  // MARK: - Reading

  /// Returns the first batch of a user with an ID greater than `id`; `nil` if there is none. One row is read
  /// by an index.
  func next(after id: Int64, of user: String?) throws -> PendingBatch? {
    try reader.first(
      "SELECT id, uuid, time, content FROM batches WHERE user = ? AND id > ? ORDER BY id LIMIT 1",
      [.text(user ?? ""), .integer(id)], Self.batch)
  }

  /// Returns a batch of any user; `nil` if it isn't in the queue.
  func batch(_ id: Int64) throws -> PendingBatch? {
    try reader.first("SELECT id, uuid, time, content FROM batches WHERE id = ?", [.integer(id)], Self.batch)
  }

  /// Returns the batches of a user, in queue order. All of them are decoded.
  func batches(of user: String?) throws -> [PendingBatch] {
    try reader.rows(
      "SELECT id, uuid, time, content FROM batches WHERE user = ? ORDER BY id", [.text(user ?? "")],
      Self.batch)
  }

  /// Returns the batches of a user that write to a document, in queue order. Only these are read and decoded,
  /// however long the queue is.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - user: the user's ID; `nil` for the signed-out user.
  ///   - limit: the maximum number of batches; all of them by default.
  func batches(writing path: ResourcePath, of user: String?, limit: Int64 = .max) throws -> [PendingBatch] {
    guard let collection = try collections.number(containing: path) else { return [] }
    return try reader.rows(
      """
      SELECT b.id, b.uuid, b.time, b.content FROM batch_documents d CROSS JOIN batches b ON b.id = d.batch \
      WHERE d.user = ? AND d.collection = ? AND d.name = ? ORDER BY d.batch LIMIT ?
      """,
      [.text(user ?? ""), .integer(collection), .text(path.id), .integer(limit)], Self.batch)
  }

  /// Returns the batches of a user that await the version of a document that they only read, in queue order.
  /// Only these are read and decoded.
  func batches(awaiting path: ResourcePath, of user: String?) throws -> [PendingBatch] {
    guard let collection = try collections.number(containing: path) else { return [] }
    return try reader.rows(
      """
      SELECT b.id, b.uuid, b.time, b.content FROM batch_reads r CROSS JOIN batches b ON b.id = r.batch \
      WHERE r.user = ? AND r.collection = ? AND r.name = ? ORDER BY r.batch
      """,
      [.text(user ?? ""), .integer(collection), .text(path.id)], Self.batch)
  }

  /// Returns the ID of a user's newest batch; 0 if there is none.
  func newest(of user: String?) throws -> Int64 {
    try reader.first("SELECT max(id) FROM batches WHERE user = ?", [.text(user ?? "")]) { $0.integer(0) } ?? 0
  }

  /// Returns the ID of a user's oldest batch; `nil` if there is none.
  func oldest(of user: String?) throws -> Int64? {
    try reader.first("SELECT min(id) FROM batches WHERE user = ?", [.text(user ?? "")]) {
      $0.optionalInteger(0)
    } ?? nil
  }

  /// Returns whether a batch is in the queue of any user.
  func contains(_ id: Int64) throws -> Bool {
    try reader.hasRow("SELECT 1 FROM batches WHERE id = ?", [.integer(id)])
  }

  /// Returns whether a batch is in the queue of any user.
  func contains(_ uuid: UUID) throws -> Bool {
    try reader.hasRow("SELECT 1 FROM batches WHERE uuid = ?", [.text(uuid.uuidString)])
  }

  /// Returns whether a batch of any user writes to a document.
  func hasWrites(to path: ResourcePath, in collection: Int64) throws -> Bool {
    try reader.hasRow(
      "SELECT 1 FROM batch_documents WHERE collection = ? AND name = ?",
      [.integer(collection), .text(path.id)])
  }

  /// Returns whether any other user has batches.
  ///
  /// - Complexity: O(n) in the number of batches of the user, which are skipped.
  func hasBatches(ofOthersThan user: String?) throws -> Bool {
    try reader.hasRow("SELECT 1 FROM batches WHERE user <> ?", [.text(user ?? "")])
  }

  /// Returns the documents that a user's batches write to, each once.
  ///
  /// - Complexity: O(n) in the number of documents written by all batches, also those of other users.
  func documents(of user: String?) throws -> Set<ResourcePath> {
    Set(
      try reader.rows("SELECT collection, name FROM batch_documents WHERE user = ?", [.text(user ?? "")]) {
        try collections.path(of: $0.integer(0)).appending($0.text(1))
      })
  }

  /// Calls `body` with each user's number of batches, and the time of the oldest. The signed-out user's ID is
  /// empty.
  package func forEachLength(_ body: (_ user: String, _ count: Int64, _ oldest: Timestamp) throws -> Void)
    throws
  {
    try reader.forEachRow("SELECT user, count(*), min(time) FROM batches GROUP BY user") { row in
      try body(row.text(0), row.integer(1), Timestamp(microsecondsSince1970: row.integer(2)))
      return true
    }
  }

  /// Calls `body` with the batches of all users, in queue order. One of them is in memory at a time.
  package func forEachBatch(_ body: (_ user: String?, PendingBatch) throws -> Void) throws {
    try reader.forEachRow("SELECT id, uuid, time, content, user FROM batches ORDER BY id") { row in
      let user = row.text(4)
      try body(user.isEmpty ? nil : user, Self.batch(row))
      return true
    }
  }

  /// Returns a batch and its user, whose ID is empty for the signed-out user; `nil` if it isn't in the queue.
  func batch(_ uuid: UUID) throws -> (user: String, batch: PendingBatch)? {
    try reader.first(
      "SELECT id, uuid, time, content, user FROM batches WHERE uuid = ?", [.text(uuid.uuidString)]
    ) { ($0.text(4), try Self.batch($0)) }
  }

  /// Decodes a row with the columns id, uuid, time and content.
  private static func batch(_ row: borrowing Row) throws -> PendingBatch {
    PendingBatch(
      id: row.integer(0), uuid: UUID(uuidString: row.text(1)) ?? UUID(),
      time: Timestamp(microsecondsSince1970: row.integer(2)), content: try WriteCoding.decode(row.blob(3)))
  }

  // MARK: - Writing

  /// Appends a batch to a user's queue. It doesn't change the documents; see ``WriteQueueing``.
  ///
  /// - Parameters:
  ///   - content: the writes and their conditions.
  ///   - encoded: the encoding of `content`, to which the other texts of the row are appended.
  ///   - documents: the documents that the writes concern, each once: the number of its collection, and its
  ///     ID.
  ///   - user: the user's ID; `nil` for the signed-out user.
  ///   - time: the time at which the writes were made.
  ///   - uuid: the unique ID of the batch.
  ///   - transaction: the transaction.
  /// - Returns: the batch with its ID.
  /// - Throws: `SQLiteError`, in particular if a batch with the same unique ID is queued.
  func append(
    _ content: BatchContent, _ encoded: inout WriteCoding.EncodedBatch,
    to documents: [(collection: Int64, name: String)], of user: String?, time: Timestamp, uuid: UUID,
    in transaction: WriteTransaction
  ) throws -> PendingBatch {
    let blob = 0..<encoded.bytes.count
    let owner = encoded.bytes.appendRange(contentsOf: (user ?? "").utf8)
    let id = encoded.bytes.appendRange(contentsOf: uuid.uuidString.utf8)
    try transaction.repeating(
      "INSERT INTO batches (user, uuid, time, content) VALUES (?, ?, ?, ?)", of: encoded.bytes.span
    ) { statement in
      try statement.bind(text: owner, at: 1)
      try statement.bind(text: id, at: 2)
      try statement.bind(time.microsecondsSince1970, at: 3)
      try statement.bind(blob, at: 4)
      try statement.run()
    }
    let batch = PendingBatch(id: transaction.lastInsertedRowID, uuid: uuid, time: time, content: content)
    try append(documents, to: batch, of: user, in: transaction)
    for read in content.reads where read.awaitsVersion {
      try transaction.run(
        "INSERT INTO batch_reads (user, collection, name, batch) VALUES (?, ?, ?, ?)",
        row(of: read.document, batch, user, in: transaction))
    }
    return batch
  }

  /// Inserts the rows of the documents that a batch writes to.
  private func append(
    _ documents: [(collection: Int64, name: String)], to batch: PendingBatch, of user: String?,
    in transaction: WriteTransaction
  ) throws {
    var texts = Array((user ?? "").utf8)
    let owner = 0..<texts.count
    let rows = documents.map {
      (collection: $0.collection, name: texts.appendRange(contentsOf: $0.name.utf8))
    }
    try transaction.repeating(
      "INSERT INTO batch_documents (user, collection, name, batch) VALUES (?, ?, ?, ?)", of: texts.span
    ) { statement in
      try statement.bind(text: owner, at: 1)
      try statement.bind(batch.id, at: 4)
      for row in rows {
        try statement.bind(row.collection, at: 2)
        try statement.bind(text: row.name, at: 3)
        try statement.run()
      }
    }
  }

  /// Returns the values of a row for a document of a batch: the user, the collection, the name and the batch.
  private func row(
    of path: ResourcePath, _ batch: PendingBatch, _ user: String?, in transaction: WriteTransaction
  ) throws -> [SQLValue] {
    [
      .text(user ?? ""), .integer(try collections.number(containing: path, in: transaction)), .text(path.id),
      .integer(batch.id),
    ]
  }

  /// Replaces the content of a batch by one with writes to the same documents. It doesn't change the
  /// documents.
  func replace(_ content: BatchContent, of batch: Int64, in transaction: WriteTransaction) throws {
    try transaction.run(
      "UPDATE batches SET content = ? WHERE id = ?", [.blob(WriteCoding.encode(content)), .integer(batch)])
  }

  /// Removes a batch from a user's queue, and with it the rows of its documents. It doesn't change the
  /// documents.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - user: the user to whose queue the batch belongs.
  ///   - transaction: the transaction.
  /// - Returns: whether it was in the queue; `false` if another process has removed it.
  func remove(_ batch: PendingBatch, of user: String?, in transaction: WriteTransaction) throws -> Bool {
    try transaction.run("DELETE FROM batches WHERE id = ?", [.integer(batch.id)])
    guard transaction.changedRows > 0 else { return false }
    for path in batch.paths {
      try transaction.run(
        "DELETE FROM batch_documents WHERE user = ? AND collection = ? AND name = ? AND batch = ?",
        row(of: path, batch, user, in: transaction))
    }
    // Also of those that have received their versions since.
    for read in batch.content.reads {
      try transaction.run(
        "DELETE FROM batch_reads WHERE user = ? AND collection = ? AND name = ? AND batch = ?",
        row(of: read.document, batch, user, in: transaction))
    }
    return true
  }

  /// Removes the batches of all users. The IDs of later batches are still greater.
  func removeAll(in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM batches")
    try transaction.run("DELETE FROM batch_documents")
    try transaction.run("DELETE FROM batch_reads")
  }
}

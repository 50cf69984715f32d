import TenonDocuments
package import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

/// A batch that the remote rejected, or that was cancelled.
package struct RejectedBatch: Sendable {
  /// The unique ID that the batch had in the queue.
  package let uuid: UUID
  /// The time at which its writes were made; for a cancellation, the time of the cancellation.
  package let time: Timestamp
  /// The writes, with what users saw of the documents; empty for a cancellation.
  let content: BatchContent
  /// The code and the message of the remote's reason; for a cancellation, the code `cancelled` and an empty
  /// message.
  package let error: StoreRemoteError

  /// The writes; empty for a cancellation.
  package var writes: [DocumentWrite] { content.writes }
}

/// The table `rejections`: the batches that the remote rejected, until the app has dismissed them, and those
/// that were cancelled.
///
/// Cancellations have the code `cancelled`. They aren't listed to the app, and deleted after a day at the
/// earliest, when another batch is cancelled. Methods that decode batches throw `DocumentError` with the code
/// `damaged` if a row can't be decoded; all methods throw `SQLiteError`.
package struct RejectionTable {
  private let reader: DatabaseReader
  private static let columns = "SELECT uuid, time, content, code, message FROM rejections"
  private static let cancelled = StoreRemoteError.Code.cancelled.rawValue

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns the rejected batches of a user, oldest first, without cancellations.
  ///
  /// - Complexity: O(n) in the number of rejected batches of all users.
  func rejections(of user: String?) throws -> [RejectedBatch] {
    try reader.rows(
      "\(Self.columns) WHERE user = ? AND code <> ? ORDER BY time, uuid",
      [.text(user ?? ""), .text(Self.cancelled)], Self.rejection)
  }

  /// Returns a batch of any user that was rejected or cancelled; `nil` if it was neither.
  func rejection(_ uuid: UUID) throws -> RejectedBatch? {
    try reader.first("\(Self.columns) WHERE uuid = ?", [.text(uuid.uuidString)], Self.rejection)
  }

  /// Calls `body` with each user's number of rejected batches, without cancellations. The signed-out user's
  /// ID is empty.
  package func forEachCount(_ body: (_ user: String, _ count: Int64) throws -> Void) throws {
    try reader.forEachRow(
      "SELECT user, count(*) FROM rejections WHERE code <> ? GROUP BY user", [.text(Self.cancelled)]
    ) { row in
      try body(row.text(0), row.integer(1))
      return true
    }
  }

  /// Calls `body` with the rejected batches of all users, oldest first, without cancellations.
  package func forEachRejection(_ body: (_ user: String?, RejectedBatch) throws -> Void) throws {
    try reader.forEachRow(
      "SELECT uuid, time, content, code, message, user FROM rejections WHERE code <> ? ORDER BY time, uuid",
      [.text(Self.cancelled)]
    ) { row in
      let user = row.text(5)
      try body(user.isEmpty ? nil : user, Self.rejection(row))
      return true
    }
  }

  /// Decodes a row with ``columns``.
  private static func rejection(_ row: borrowing Row) throws -> RejectedBatch {
    RejectedBatch(
      uuid: UUID(uuidString: row.text(0)) ?? UUID(), time: Timestamp(microsecondsSince1970: row.integer(1)),
      content: try WriteCoding.decode(row.blob(2)),
      error: StoreRemoteError(.init(rawValue: row.text(3)), row.text(4)))
  }

  /// Inserts a rejected batch with the remote's reason.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - error: the reason; its code and its message are stored.
  ///   - user: the user to whom the batch belongs; `nil` for the signed-out user.
  ///   - transaction: the transaction, which also removes the batch from the queue.
  func insert(
    _ batch: PendingBatch, _ error: StoreRemoteError, of user: String?, in transaction: WriteTransaction
  ) throws {
    var content = batch.content
    content.reads = []
    try transaction.run(
      """
      INSERT OR REPLACE INTO rejections (uuid, user, time, content, code, message) VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(batch.uuid.uuidString), .text(user ?? ""), .integer(batch.time.microsecondsSince1970),
        .blob(WriteCoding.encode(content)), .text(error.code.rawValue),
        .text(error.message),
      ])
  }

  /// How long cancellations are kept, in microseconds: one day.
  private static let cancellationAge: Int64 = 24 * 60 * 60 * 1_000_000

  /// Inserts a cancelled batch, for other processes that wait for its confirmation: they would otherwise
  /// interpret its absence from the queue as success. Cancellations older than a day are deleted.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - user: the user to whom the batch belongs; `nil` for the signed-out user.
  ///   - time: the current time.
  ///   - transaction: the transaction, which also removes the batch from the queue.
  func insertCancellation(
    of batch: PendingBatch, of user: String?, at time: Timestamp, in transaction: WriteTransaction
  ) throws {
    let now = time.microsecondsSince1970
    try transaction.run(
      "DELETE FROM rejections WHERE code = ? AND time < ?",
      [.text(Self.cancelled), .integer(now - Self.cancellationAge)])
    try transaction.run(
      "INSERT OR REPLACE INTO rejections (uuid, user, time, content, code, message) VALUES (?, ?, ?, ?, ?, '')",
      [
        .text(batch.uuid.uuidString), .text(user ?? ""), .integer(now),
        .blob(WriteCoding.encode(BatchContent([]))), .text(Self.cancelled),
      ])
  }

  /// Deletes a rejected batch that the app has dismissed; no effect if there is none.
  func remove(_ uuid: UUID, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM rejections WHERE uuid = ?", [.text(uuid.uuidString)])
  }
}

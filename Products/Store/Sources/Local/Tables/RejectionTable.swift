import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// A batch that the remote rejected.
package struct RejectedBatch: Sendable {
  let uuid: UUID
  let time: Timestamp
  let writes: [DocumentWrite]
  let error: StoreRemoteError
}

/// The table `rejections`: the batches that the remote rejected, until the app has dismissed them, and those that were cancelled.
struct RejectionTable {
  private let reader: DatabaseReader
  private static let columns = "SELECT uuid, time, content, code, message FROM rejections"
  private static let cancelled = StoreRemoteError.Code.cancelled.rawValue

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns the rejected batches of a user, oldest first.
  func rejections(of user: String?) throws -> [RejectedBatch] {
    try reader.rows(
      "\(Self.columns) WHERE user = ? AND code <> ? ORDER BY time, uuid",
      [.text(user ?? ""), .text(Self.cancelled)], Self.rejection)
  }

  /// Returns a batch of any user that was rejected or cancelled; `nil` if it was neither.
  func rejection(_ uuid: UUID) throws -> RejectedBatch? {
    try reader.first("\(Self.columns) WHERE uuid = ?", [.text(uuid.uuidString)], Self.rejection)
  }

  private static func rejection(_ row: borrowing Row) throws -> RejectedBatch {
    RejectedBatch(
      uuid: UUID(uuidString: row.text(0)) ?? UUID(), time: Timestamp(microsecondsSince1970: row.integer(1)),
      writes: try WriteCoding.decode(row.blob(2)).map(\.write),
      error: StoreRemoteError(.init(rawValue: row.text(3)), row.text(4)))
  }

  /// Inserts a rejected batch with the remote's reason.
  func insert(
    _ batch: PendingBatch, _ error: StoreRemoteError, of user: String?, in transaction: WriteTransaction
  ) throws {
    try transaction.run(
      """
      INSERT OR REPLACE INTO rejections (uuid, user, time, content, code, message) VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(batch.uuid.uuidString), .text(user ?? ""), .integer(batch.time.microsecondsSince1970),
        .blob(WriteCoding.encode(batch.writes)), .text(error.code.rawValue), .text(error.message),
      ])
  }

  /// How long cancellations are kept, in microseconds: one day.
  private static let cancellationAge: Int64 = 24 * 60 * 60 * 1_000_000

  /// Inserts a cancelled batch, for other processes that wait for its confirmation: they would otherwise interpret its absence
  /// from the queue as success. Cancellations older than a day are deleted.
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
        .blob(WriteCoding.encode([PendingWrite]())), .text(Self.cancelled),
      ])
  }

  /// Deletes a rejected batch that the app has dismissed.
  func remove(_ uuid: UUID, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM rejections WHERE uuid = ?", [.text(uuid.uuidString)])
  }
}

import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// What becomes of the batches in the queue.
extension LocalStore {
  /// The remote has applied a batch: its results are what the remote has now.
  func acknowledge(_ batch: MutationBatch, _ commit: RemoteCommit, token: Data?) throws -> Outcome<Void> {
    try changing(.acknowledge) {
      guard try remove(batch) else { return }
      if let token { try setGlobal("token:\(user ?? "")", .blob(token)) }
      var bases: [ResourcePath: BaseDocument?] = [:]
      for path in batch.paths { bases.updateValue(try base(of: path), forKey: path) }
      let known = bases
      for (index, local) in batch.writes.enumerated() {
        let path = local.write.document
        let result = index < commit.results.count ? commit.results[index] : RemoteCommit.Result()
        let version = result.updateTime ?? commit.time
        let before = known[path] ?? nil
        guard (before?.version ?? .zero).compare(version) < 0 else { continue }
        bases.updateValue(
          local.write.confirmed(on: bases[path] ?? nil, result, version: version, at: commit.time),
          forKey: path)
      }
      for (path, base) in bases {
        try refresh(path, on: base)
        try use(path)
      }
    }
  }

  /// The remote has refused a batch, whose effect goes.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - error: why it was refused.
  ///   - isListed: whether the writes are kept with the reason until the app has seen them.
  func reject(_ batch: MutationBatch, _ error: StoreRemoteError, isListed: Bool) throws -> Outcome<Void> {
    try changing(.reject) {
      guard try remove(batch) else { return }
      if isListed { try list(batch, error) }
      try undo(batch)
    }
  }

  private func list(_ batch: MutationBatch, _ error: StoreRemoteError) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO rejections (uuid, user, time, content, code, message) VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(batch.uuid.uuidString), .text(user ?? ""), .integer(batch.time.microsecondsSince1970),
        .blob(WriteCoding.encode(batch.writes)), .text(error.code.rawValue), .text(error.message),
      ])
  }

  /// Takes a batch out of the queue that wasn't sent.
  ///
  /// - Returns: whether it was in the queue.
  func cancel(_ batch: MutationBatch, at moment: Timestamp) throws -> Outcome<Bool> {
    try changing(.cancel) {
      guard try remove(batch) else { return false }
      try noteCancellation(of: batch, at: moment)
      try undo(batch)
      return true
    }
  }

  /// How long it is kept that a batch was cancelled, in microseconds: a day.
  private static let cancellationAge: Int64 = 24 * 60 * 60 * 1_000_000

  /// Keeps that a batch was cancelled, for a process that waits for its confirmation and would take it for a success.
  private func noteCancellation(of batch: MutationBatch, at moment: Timestamp) throws {
    let now = moment.microsecondsSince1970
    let cancelled = StoreRemoteError.Code.cancelled.rawValue
    try database.run(
      "DELETE FROM rejections WHERE code = ? AND time < ?",
      [.text(cancelled), .integer(now - Self.cancellationAge)])
    try database.run(
      "INSERT OR REPLACE INTO rejections (uuid, user, time, content, code, message) VALUES (?, ?, ?, ?, ?, '')",
      [
        .text(batch.uuid.uuidString), .text(user ?? ""), .integer(now),
        .blob(WriteCoding.encode([LocalWrite]())), .text(cancelled),
      ])
  }

  private func undo(_ batch: MutationBatch) throws {
    for path in batch.paths {
      try refresh(path, on: try base(of: path))
      try use(path)
    }
  }

  private func remove(_ batch: MutationBatch) throws -> Bool {
    try database.run("DELETE FROM batches WHERE id = ?", [.integer(batch.id)])
    guard database.changes > 0 else { return false }
    for path in batch.paths {
      let place = try place(of: path)
      try database.run(
        "DELETE FROM batch_documents WHERE user = ? AND collection = ? AND name = ? AND batch = ?",
        [.text(user ?? ""), .integer(place.collection), .text(place.name), .integer(batch.id)])
    }
    return true
  }

  // MARK: - Refused writes

  private static let rejectionColumns = "SELECT uuid, time, content, code, message FROM rejections"

  /// The refused batches of the user, the oldest first.
  func rejections() throws -> [RejectedBatch] {
    try database.rows(
      "\(Self.rejectionColumns) WHERE user = ? AND code <> ? ORDER BY time, uuid",
      [.text(user ?? ""), .text(StoreRemoteError.Code.cancelled.rawValue)], Self.rejection)
  }

  /// A batch of any user that was refused, or cancelled; `nil` when it wasn't.
  func rejection(_ uuid: UUID) throws -> RejectedBatch? {
    try database.first(
      "\(Self.rejectionColumns) WHERE uuid = ?", [.text(uuid.uuidString)], Self.rejection)
  }

  private static func rejection(_ row: borrowing Row) throws -> RejectedBatch {
    RejectedBatch(
      uuid: UUID(uuidString: row.text(0)) ?? UUID(), time: Timestamp(microsecondsSince1970: row.integer(1)),
      writes: try WriteCoding.decode(row.blob(2)).map(\.write),
      error: StoreRemoteError(.init(rawValue: row.text(3)), row.text(4)))
  }

  /// Forgets a refused batch.
  func dismiss(rejection uuid: UUID) throws {
    try database.run("DELETE FROM rejections WHERE uuid = ?", [.text(uuid.uuidString)])
  }
}

/// A batch that the remote refused.
struct RejectedBatch: Sendable {
  let uuid: UUID
  let time: Timestamp
  let writes: [DocumentWrite]
  let error: StoreRemoteError
}

extension DocumentWrite {
  /// What the remote has once it has applied this write.
  func confirmed(
    on base: BaseDocument?, _ result: RemoteCommit.Result, version: Timestamp, at moment: Timestamp
  ) -> BaseDocument {
    var confirmed = BaseDocument(
      content: .unknown, createTime: base?.createTime ?? .zero, version: version, isCommitted: true)
    var known: Fields?
    if case .found(let fields) = base?.content { known = fields }
    switch operation {
    case .delete:
      confirmed.content = .missing
      return confirmed
    case .set: break
    case .update:
      switch (precondition, known) {
      case (.exists(true), nil), (.updated, nil): return confirmed
      default: break
      }
    }
    var plain = self
    plain.transforms = []
    guard var fields = (try? plain.result(on: known, at: moment)) ?? nil else { return confirmed }
    for (index, transform) in transforms.enumerated() {
      fields[transform.field] =
        index < result.transformResults.count
        ? result.transformResults[index] : transform.result(on: fields[transform.field], at: moment)
    }
    confirmed.content = .found(fields)
    return confirmed
  }
}

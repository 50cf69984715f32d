import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Takes batches out of the queue: those that the remote has acknowledged or rejected, and those that are cancelled.
struct BatchResolution {
  let queue: QueueTable
  let rejections: RejectionTable
  let users: UserTable
  let uses: UseTable
  let overlays: Overlays

  /// The remote has committed a batch: its results are the documents that the remote has now.
  func acknowledge(
    _ batch: PendingBatch, _ commit: RemoteCommit, token: Data?, in transaction: WriteTransaction
  ) throws {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return }
    if let token { try users.setWriteToken(token, in: transaction) }
    var bases: [ResourcePath: BaseDocument?] = [:]
    for path in batch.paths { bases.updateValue(try overlays.base(of: path), forKey: path) }
    let known = bases
    for (index, pending) in batch.writes.enumerated() {
      let path = pending.write.document
      let result = index < commit.results.count ? commit.results[index] : RemoteCommit.Result()
      let version = result.updateTime ?? commit.time
      let before = known[path] ?? nil
      guard (before?.version ?? .zero).compare(version) < 0 else { continue }
      bases.updateValue(
        pending.write.committed(on: bases[path] ?? nil, result, version: version, at: commit.time),
        forKey: path)
    }
    for (path, base) in bases {
      try overlays.rebase(path, on: base, in: transaction)
      try uses.touch(path, in: transaction)
    }
  }

  /// The remote has rejected a batch: its effect is undone.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - error: why it was rejected.
  ///   - isListed: whether the writes are kept with the reason until the app has seen them.
  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: Bool, in transaction: WriteTransaction
  ) throws {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return }
    if isListed { try rejections.insert(batch, error, of: users.current, in: transaction) }
    try undo(batch, in: transaction)
  }

  /// Takes a batch that wasn't sent out of the queue.
  ///
  /// - Returns: whether it was in the queue.
  func cancel(_ batch: PendingBatch, at time: Timestamp, in transaction: WriteTransaction) throws -> Bool {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return false }
    try rejections.insertCancellation(of: batch, of: users.current, at: time, in: transaction)
    try undo(batch, in: transaction)
    return true
  }

  private func undo(_ batch: PendingBatch, in transaction: WriteTransaction) throws {
    for path in batch.paths {
      try overlays.rebase(path, on: try overlays.base(of: path), in: transaction)
      try uses.touch(path, in: transaction)
    }
  }
}

extension DocumentWrite {
  /// Returns the document that the remote has once it has committed this write.
  func committed(
    on base: BaseDocument?, _ result: RemoteCommit.Result, version: Timestamp, at time: Timestamp
  ) -> BaseDocument {
    var committed = BaseDocument(
      content: .unknown, createTime: base?.createTime ?? .zero, version: version, isCommitted: true)
    var known: Fields?
    if case .found(let fields) = base?.content { known = fields }
    switch operation {
    case .delete:
      committed.content = .missing
      return committed
    case .set: break
    case .update:
      switch (precondition, known) {
      case (.exists(true), nil), (.updated, nil): return committed
      default: break
      }
    }
    var plain = self
    plain.transforms = []
    guard var fields = (try? plain.result(on: known, at: time)) ?? nil else { return committed }
    for (index, transform) in transforms.enumerated() {
      fields[transform.field] =
        index < result.transformResults.count
        ? result.transformResults[index] : transform.result(on: fields[transform.field], at: time)
    }
    committed.content = .found(fields)
    return committed
  }
}

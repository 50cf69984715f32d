import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop

/// Removes batches from the queue: those that the remote has acknowledged or rejected, and those that are
/// cancelled.
///
/// Each method does so in the caller's transaction, together with everything that depends on the queue: the
/// documents are recomputed from the base and the remaining writes, so that the queue and the visible
/// documents agree after every commit. If the batch is no longer in the queue, because it was resolved
/// before, possibly by another process, the methods have no effect.
struct BatchResolution {
  let queue: QueueTable
  let rejections: RejectionTable
  let users: UserTable
  let uses: UseTable
  let overlays: Overlays

  /// Removes a batch that the remote has committed, and saves its results as the new base documents, unless
  /// the remote has already sent newer versions.
  ///
  /// Until the remote sends the documents, their bases are marked as committed; an event with the same
  /// version then replaces them.
  ///
  /// - Parameters:
  ///   - answer: the answer to a batch of the current user. A missing result counts as one without an update
  ///     time and transform results.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func acknowledge(_ answer: CommittedBatch, in transaction: WriteTransaction) throws {
    let (batch, commit) = (answer.batch, answer.commit)
    guard try queue.remove(batch, of: users.current, in: transaction) else { return }
    if let token = answer.token { try users.setWriteToken(token, in: transaction) }
    var bases: [ResourcePath: BaseDocument?] = [:]
    for path in batch.paths { bases.updateValue(try overlays.base(of: path), forKey: path) }
    let known = bases
    var versions = AwaitedVersions(batch)
    for (index, pending) in batch.writes.enumerated() {
      let path = pending.write.document
      let result = index < commit.results.count ? commit.results[index] : RemoteCommit.Result()
      let version = result.updateTime ?? commit.time
      versions.add(pending.write, version)
      let before = known[path] ?? nil
      guard (before?.version ?? .zero).compare(version) < 0 else { continue }
      bases.updateValue(
        pending.write.committed(on: bases[path] ?? nil, result, version: version, at: commit.time),
        forKey: path)
    }
    try versions.settle(in: queue, of: users.current, in: transaction)
    for (path, base) in bases {
      try overlays.rebase(path, on: base, in: transaction)
      try uses.touch(path, in: transaction)
    }
  }

  /// Removes a batch that the remote has rejected, and undoes its effect.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - error: the remote's reason.
  ///   - isListed: whether the batch is kept with the reason until the app has dismissed it.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: Bool, in transaction: WriteTransaction
  ) throws {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return }
    if isListed { try rejections.insert(batch, error, of: users.current, in: transaction) }
    try undo(batch, in: transaction)
  }

  /// Removes a batch that hasn't been sent, and undoes its effect.
  ///
  /// - Parameters:
  ///   - batch: a batch of the current user.
  ///   - time: the current time.
  ///   - transaction: the transaction.
  /// - Returns: whether it was in the queue.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func cancel(_ batch: PendingBatch, at time: Timestamp, in transaction: WriteTransaction) throws -> Bool {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return false }
    try rejections.insertCancellation(of: batch, of: users.current, at: time, in: transaction)
    try undo(batch, in: transaction)
    return true
  }

  /// Recomputes the overlays of a batch's documents after it was removed from the queue, and records their
  /// use.
  private func undo(_ batch: PendingBatch, in transaction: WriteTransaction) throws {
    try AwaitedVersions(batch).fail(in: queue, of: users.current, in: transaction)
    for path in batch.paths {
      try overlays.rebase(path, on: try overlays.base(of: path), in: transaction)
      try uses.touch(path, in: transaction)
    }
  }
}

extension DocumentWrite {
  /// Returns the state of the document at the remote after it has committed this write. The content is
  /// unknown if the write is a patch of a document that this device doesn't know.
  ///
  /// - Parameters:
  ///   - base: the state before the write.
  ///   - result: the remote's result for this write.
  ///   - version: the version of the document after the write.
  ///   - time: the time of the remote's commit.
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
        transform.answers && index < result.transformResults.count
        ? result.transformResults[index] : transform.result(on: fields[transform.field], at: time)
    }
    committed.content = .found(fields)
    return committed
  }
}

import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

/// A batch that was removed from the queue without having been committed.
package struct RefusedBatch: Sendable {
  package let batch: PendingBatch
  /// The reason.
  package let error: StoreRemoteError
}

/// Removes batches from the queue: those that the remote has acknowledged or rejected, and those that are
/// cancelled.
///
/// Each method does so in the caller's transaction, together with everything that depends on the queue: the
/// documents are recomputed from the base and the remaining writes, so that the queue and the visible
/// documents agree after every commit. If the batch is no longer in the queue, because it was resolved
/// before, possibly by another process, the methods have no effect.
///
/// A transaction that has read the result of a batch can't be committed without it. If the batch is rejected
/// or cancelled, so is the transaction, and what depends on that.
struct BatchResolution {
  let queue: QueueTable
  let rejections: RejectionTable
  let users: UserTable
  let uses: UseTable
  let overlays: Overlays

  /// Removes batches that the remote has committed, and saves their results as the new base documents, unless
  /// the remote has already sent newer versions. Each document is recomputed once, however many of the batches
  /// have written to it.
  ///
  /// Until the remote sends the documents, their bases are marked as committed; an event with the same
  /// version then replaces them.
  ///
  /// - Parameters:
  ///   - answers: the answers to batches of the current user, in the order of the batches. A missing result
  ///     counts as one without an update time and transform results.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func acknowledge(_ answers: [CommittedBatch], in transaction: WriteTransaction) throws {
    var bases: [ResourcePath: BaseDocument?] = [:]
    for answer in answers { try acknowledge(answer, &bases, in: transaction) }
    for (path, base) in bases {
      try overlays.rebase(path, on: base, in: transaction)
      try uses.touch(path, in: transaction)
    }
  }

  /// Removes a batch that the remote has committed, and applies its results to the base documents.
  ///
  /// - Parameters:
  ///   - answer: the answer to the batch.
  ///   - bases: the bases of the documents that the batches so far have written to.
  ///   - transaction: the transaction.
  private func acknowledge(
    _ answer: CommittedBatch, _ bases: inout [ResourcePath: BaseDocument?], in transaction: WriteTransaction
  ) throws {
    let (batch, commit) = (answer.batch, answer.commit)
    guard try queue.remove(batch, of: users.current, in: transaction) else { return }
    if let token = answer.token { try users.setWriteToken(token, in: transaction) }
    for path in batch.paths where bases[path] == nil {
      bases.updateValue(try overlays.base(of: path), forKey: path)
    }
    let known = bases
    var versions = AwaitedVersions()
    // The answers to the writes follow those to the verified reads.
    let results = commit.results.dropFirst(batch.content.reads.count)
    for (index, write) in batch.writes.enumerated() {
      let path = write.document
      let result =
        index < results.count ? results[results.startIndex + index] : RemoteCommit.Result()
      let version = result.updateTime ?? commit.time
      versions.add(write, version)
      let before = known[path] ?? nil
      // The remote may have applied several batches together, which then have the same version. What it has
      // sent itself already contains all of them.
      let isSameCommit = before?.isCommitted == true && before?.version == commit.time
      guard isSameCommit || (before?.version ?? .zero).compare(version) < 0 else { continue }
      bases.updateValue(
        write.committed(
          on: bases[path] ?? nil, result, version: isSameCommit ? commit.time : version, at: commit.time),
        forKey: path)
    }
    try versions.settle(in: queue, of: users.current, in: transaction)
  }

  /// Removes a batch that the remote has rejected and the transactions that depend on it, and undoes their
  /// effect.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - error: the remote's reason.
  ///   - isListed: returns whether a batch is kept with the reason until the app has dismissed it.
  ///   - transaction: the transaction.
  /// - Returns: the batches that were removed, in queue order; none if the batch wasn't in the queue.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: (PendingBatch) -> Bool,
    in transaction: WriteTransaction
  ) throws -> [RefusedBatch] {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return [] }
    if isListed(batch) { try rejections.insert(batch, error, of: users.current, in: transaction) }
    return try [RefusedBatch(batch: batch, error: error)]
      + undo(batch, wasCancelled: false, isListed: isListed, in: transaction)
  }

  /// Removes a batch that hasn't been sent and the transactions that depend on it, and undoes their effect.
  ///
  /// - Parameters:
  ///   - batch: a batch of the current user.
  ///   - time: the current time.
  ///   - isListed: returns whether a transaction is kept among the rejected ones until the app has dismissed
  ///     it.
  ///   - transaction: the transaction.
  /// - Returns: the transactions that were removed with it, in queue order; `nil` if it wasn't in the queue.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func cancel(
    _ batch: PendingBatch, at time: Timestamp, isListed: (PendingBatch) -> Bool,
    in transaction: WriteTransaction
  ) throws -> [RefusedBatch]? {
    guard try queue.remove(batch, of: users.current, in: transaction) else { return nil }
    try rejections.insertCancellation(of: batch, of: users.current, at: time, in: transaction)
    return try undo(batch, wasCancelled: true, isListed: isListed, in: transaction)
  }

  /// Removes the current user's batches that certainly can't succeed, because others have changed a document
  /// since it was read, with the transactions that depend on them, and undoes their effect.
  ///
  /// Batches that may have reached the remote are left to it: the change may be their own.
  ///
  /// - Parameters:
  ///   - isListed: returns whether a batch is kept with the reason until the app has dismissed it.
  ///   - transaction: the transaction.
  /// - Returns: the batches that were removed, in queue order.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  /// - Complexity: O(n) in the number of the user's batches, all of which are decoded.
  func refuseOvertaken(
    isListed: (PendingBatch) -> Bool, in transaction: WriteTransaction
  ) throws -> [RefusedBatch] {
    let lastSent = try users.lastSent()
    var refused: [RefusedBatch] = []
    for batch in try queue.batches(of: users.current) where batch.id > lastSent {
      guard let path = try overtaken(batch.content) else { continue }
      let error = StoreRemoteError(
        .failedPrecondition, "The document \(path.text) was changed since it was read. Read it again.")
      refused += try reject(batch, error, isListed: isListed, in: transaction)
    }
    return refused.sorted { $0.batch.id < $1.batch.id }
  }

  /// Returns the first document of a batch that has a later version than the one on which the batch is
  /// conditional; `nil` if none is known to have.
  private func overtaken(_ content: BatchContent) throws -> ResourcePath? {
    let conditions =
      content.reads.map { ($0.document, $0.precondition) }
      + content.writes.map { ($0.document, $0.precondition) }
    for case (let path, .updated(let expected)) in conditions {
      guard let base = try overlays.base(of: path) else { continue }
      if base.version.compare(expected) > 0 { return path }
    }
    return nil
  }

  /// Removes the transactions that depend on a batch, which was removed from the queue, recomputes the
  /// overlays of all their documents, and records the documents' use.
  private func undo(
    _ batch: PendingBatch, wasCancelled: Bool, isListed: (PendingBatch) -> Bool,
    in transaction: WriteTransaction
  ) throws -> [RefusedBatch] {
    var refused: [RefusedBatch] = []
    var removed = [batch]
    var next = 0
    while next < removed.count {
      for (dependent, path) in try dependents(of: removed[next]) {
        guard try queue.remove(dependent, of: users.current, in: transaction) else { continue }
        let fate = wasCancelled ? "cancelled" : "rejected"
        let error = StoreRemoteError(
          .failedPrecondition,
          "The transaction has read \(path.text) with the result of a write that was \(fate). Run it again.")
        if isListed(dependent) {
          try rejections.insert(dependent, error, of: users.current, in: transaction)
        }
        refused.append(RefusedBatch(batch: dependent, error: error))
        removed.append(dependent)
      }
      next += 1
    }
    var firsts: [ResourcePath: Int64] = [:]
    for batch in removed {
      for path in batch.paths { firsts[path] = min(firsts[path] ?? .max, batch.id) }
    }
    for (path, first) in firsts {
      try overlays.rebase(path, on: try overlays.base(of: path), afterRemovalOf: first, in: transaction)
      try uses.touch(path, in: transaction)
    }
    return refused.sorted { $0.batch.id < $1.batch.id }
  }

  /// Returns the batches that await the version that a batch would have given to one of its documents, each
  /// once, with the document.
  private func dependents(of batch: PendingBatch) throws -> [(PendingBatch, ResourcePath)] {
    var dependents: [Int64: (PendingBatch, ResourcePath)] = [:]
    for path in batch.paths {
      let readers = try queue.batches(awaiting: path, of: users.current).filter { reader in
        reader.content.reads.contains { $0.awaitsVersion && $0.document == path }
      }
      let writers = try queue.batches(writing: path, of: users.current).filter { writer in
        writer.content.index(awaiting: path) != nil
      }
      for later in readers + writers where later.id > batch.id { dependents[later.id] = (later, path) }
    }
    return dependents.sorted { $0.key < $1.key }.map(\.value)
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

import Foundation
import TenonCore
import TenonDocuments
package import TenonStoreInterop

/// What is written here, and what becomes of it.
extension SyncEngine {
  /// Makes writes here, and sends them when it is their turn.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - callback: what the remote answered, after a while; called once. Another process may have got the answer.
  package func write(
    _ writes: [DocumentWrite], callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws {
    _ = try write(making: { writes }, observer: BatchObserver(settle: callback))
  }

  /// Makes the writes that `make` gives in their transaction; none when it gives `nil`.
  ///
  /// - Returns: the batch.
  /// - Throws: ``StoreError`` when this device knows that a precondition doesn't hold.
  func write(
    making make: () throws -> [DocumentWrite]?, observer: BatchObserver
  ) throws -> MutationBatch? {
    let outcome = try local.changing(.write) {
      try make().map { writes in
        try local.queue(writes, at: environment.now()) { document, write in
          try document.check(write, isInLimbo: limbo.isTracked(document.path))
        }
      }
    }
    guard let batch = outcome.result else { return nil }
    waiters.add(batch, observer)
    emitAfterWrite(outcome.changes)
    remote?.retryAfterFailure()
    remote?.fillPipeline()
    return batch
  }

  /// Makes writes that nobody has to confirm, if `isAllowed` still says so in their transaction.
  ///
  /// - Returns: whether they were made.
  func commit(_ writes: [DocumentWrite], if isAllowed: () throws -> Bool) throws -> Bool {
    let outcome = try local.changing(.write) {
      guard try isAllowed() else { return false }
      try local.apply(writes, at: environment.now())
      return true
    }
    emitAfterWrite(outcome.changes)
    return outcome.result
  }

  /// Puts writes of a user at the end of the queue that waited in another file, unless they are there.
  ///
  /// - Returns: for how many documents.
  func requeue(_ writes: [DocumentWrite], of user: String?, at moment: Timestamp, uuid: UUID) throws -> Int {
    let outcome = try local.changing(.write) {
      try local.requeue(writes, of: user, at: moment, uuid: uuid)?.paths.count ?? 0
    }
    emit(outcome.changes)
    remote?.fillPipeline()
    return outcome.result
  }

  func applySuccessfulWrite(_ batch: MutationBatch, _ commit: RemoteCommit, token: Data?) throws {
    updateViews()
    let outcome = try local.acknowledge(batch, commit, token: token)
    waiters.finish(batch.id, .success(commit))
    emit(outcome.changes)
  }

  func rejectFailedWrite(_ batch: MutationBatch, _ error: StoreRemoteError) throws {
    updateViews()
    // A transaction throws the refusal, or is tried again.
    let isThrown = waiters.isThrown(batch.id)
    let outcome = try local.reject(batch, error, isListed: !isThrown)
    if !isThrown { log(error, of: batch) }
    waiters.finish(batch.id, .failure(error))
    emit(outcome.changes)
    if !isThrown { onRejectionsChange() }
  }

  private func log(_ error: StoreRemoteError, of batch: MutationBatch) {
    let named = batch.paths.prefix(3).map(\.text).joined(separator: ", ")
    let others = batch.paths.count > 3 ? " and \(batch.paths.count - 3) other documents" : ""
    environment.logger.error(
      """
      The remote refused a write to \(named)\(others), and its effect was undone: \(error.message) \
      (\(error.code.rawValue)). Store.rejectedWrites lists it until it is dismissed.
      """)
  }

  func sendingFails(_ error: any Error) {
    onSendingFailure()
    waiters.failAll(StoreError.wrapping(error))
  }

  /// Takes a batch out of the queue, unless it was sent.
  ///
  /// - Returns: whether it was taken out.
  func cancel(_ batch: MutationBatch) throws -> Bool {
    try whileUnsent(batch.id) { try takeOut(batch) } ?? false
  }

  /// Whether a batch may have reached the remote.
  func isSent(_ id: Int64) -> Bool { whileUnsent(id) {} == nil }

  /// Runs `body` while no process can send a batch.
  ///
  /// - Returns: `nil` when the batch may have reached the remote; `body` isn't run then.
  private func whileUnsent<Result>(_ id: Int64, _ body: () throws -> Result) rethrows -> Result? {
    if let remote, remote.isSending { return remote.hasSent(id) ? nil : try body() }
    // Another process may have sent it.
    guard let lease = environment.lease else { return try body() }
    guard lease.acquire() else { return nil }
    defer { if remote?.isSending != true { lease.release() } }
    return try body()
  }

  private func takeOut(_ batch: MutationBatch) throws -> Bool {
    updateViews()
    let outcome = try local.cancel(batch, at: environment.now())
    guard outcome.result else { return false }
    remote?.drop(batch.id)
    waiters.finish(batch.id, .failure(CancellationError()))
    emit(outcome.changes)
    remote?.fillPipeline()
    return true
  }

  /// Nothing more will be heard here of what waits: the database is closed. The writes stay in its file.
  func stopWaiting(_ error: any Error) { waiters.failAll(error) }

  /// Calls back when everything that waits now has been answered.
  package func waitForPendingWrites(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    waiters.addForAll(callback)
    remote?.retryAfterFailure()
  }

  /// Whether somebody waits for what becomes of a write.
  var awaitsConfirmation: Bool { !waiters.isEmpty }
}

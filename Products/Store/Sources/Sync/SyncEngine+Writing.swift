import Foundation
import TenonCore
import TenonDocuments
package import TenonStoreInterop

/// Writes, and their outcomes at the remote.
extension SyncEngine {
  /// Commits writes locally, and queues them for the remote.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - callback: called once with the remote's answer; `nil` if another process received it.
  package func write(
    _ writes: [DocumentWrite], callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws {
    _ = try write(making: { writes }, observer: BatchObserver(settle: callback))
  }

  /// Commits the writes that `make` returns within the transaction, and queues them; does nothing if it returns `nil`.
  ///
  /// - Parameters:
  ///   - make: returns the writes.
  ///   - observer: observes the remote's answer.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  /// - Throws: ``StoreError`` if this device knows that a precondition does not hold.
  func write(
    making make: () throws -> [DocumentWrite]?, observer: BatchObserver
  ) throws -> PendingBatch? {
    let outcome = try local.enqueue(at: environment.time.timestamp(), making: make) { overlay, write in
      try overlay.check(write, isInLimbo: limbo.isTracked(overlay.path))
    }
    guard let batch = outcome.result else { return nil }
    waiters.add(batch, observer)
    updateViewsAfterWrite(outcome.changes)
    remote?.retryAfterFailure()
    remote?.fillPipeline()
    return batch
  }

  /// Commits writes that need no confirmation by a remote, if `isAllowed` returns `true` within their transaction.
  ///
  /// - Returns: whether the writes were committed.
  /// - Throws: ``StoreError`` if a precondition does not hold.
  package func commit(_ writes: [DocumentWrite], if isAllowed: () throws -> Bool = { true }) throws -> Bool {
    let outcome = try local.commit(writes, at: environment.time.timestamp(), if: isAllowed)
    updateViewsAfterWrite(outcome.changes)
    return outcome.result
  }

  /// Appends pending writes recovered from another file to a user's queue, unless it already contains them.
  ///
  /// - Returns: the number of documents written to.
  func restore(_ writes: [DocumentWrite], of user: String?, at time: Timestamp, uuid: UUID) throws -> Int {
    let outcome = try local.restore(writes, of: user, at: time, uuid: uuid)
    updateViews(with: outcome.changes)
    remote?.fillPipeline()
    return outcome.result
  }

  /// Removes a batch that the remote has committed, then notifies its observer, then the listeners.
  func acknowledgeWrite(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) throws {
    updateViews()
    let outcome = try local.acknowledge(batch, commit, token: token)
    waiters.finish(batch.id, .success(commit))
    updateViews(with: outcome.changes)
  }

  /// Removes a batch that the remote has rejected, then notifies its observer, then the listeners.
  func rejectWrite(_ batch: PendingBatch, _ error: StoreRemoteError) throws {
    updateViews()
    // The transaction throws the rejection to its caller, or is retried.
    let isThrown = waiters.isThrown(batch.id)
    let outcome = try local.reject(batch, error, isListed: !isThrown)
    if !isThrown { log(error, of: batch) }
    waiters.finish(batch.id, .failure(error))
    updateViews(with: outcome.changes)
    if !isThrown { environment.report(.rejectionsChanged) }
  }

  /// Logs a rejection that no caller receives as an error.
  private func log(_ error: StoreRemoteError, of batch: PendingBatch) {
    let named = batch.paths.prefix(3).map(\.text).joined(separator: ", ")
    let others = batch.paths.count > 3 ? " and \(batch.paths.count - 3) other documents" : ""
    environment.logger.error(
      """
      The remote refused a write to \(named)\(others), and its effect was undone: \(error.message) \
      (\(error.code.rawValue)). Store.rejectedWrites lists it until it is dismissed.
      """)
  }

  /// Fails all observers of writes, because nothing can be sent.
  func sendingFails(_ error: any Error) {
    environment.report(.sendingFailed)
    waiters.failAll(StoreError.wrapping(error))
  }

  /// Removes a batch from the queue unless it has been sent.
  ///
  /// - Returns: whether it was removed.
  func cancel(_ batch: PendingBatch) throws -> Bool {
    try whileUnsent(batch.id) { try remove(batch) } ?? false
  }

  /// Returns whether a batch may have reached the remote.
  func isSent(_ id: Int64) -> Bool { whileUnsent(id) {} == nil }

  /// Runs `body` while no process can send a batch.
  ///
  /// - Returns: the result of `body`; `nil`, without running it, if the batch may have reached the remote.
  private func whileUnsent<Result>(_ id: Int64, _ body: () throws -> Result) rethrows -> Result? {
    if let remote, remote.isSending { return remote.hasSent(id) ? nil : try body() }
    // Another process may have sent it.
    guard let lease = environment.lease else { return try body() }
    guard lease.acquire() else { return nil }
    defer { if remote?.isSending != true { lease.release() } }
    return try body()
  }

  /// Removes a batch that has not been sent from the queue and the pipeline.
  private func remove(_ batch: PendingBatch) throws -> Bool {
    updateViews()
    let outcome = try local.cancel(batch, at: environment.time.timestamp())
    guard outcome.result else { return false }
    remote?.drop(batch.id)
    waiters.finish(batch.id, .failure(CancellationError()))
    updateViews(with: outcome.changes)
    remote?.fillPipeline()
    return true
  }

  /// Fails all observers of writes because the database is closed. The pending writes stay in the file.
  func stopWaiting(_ error: any Error) { waiters.failAll(error) }

  /// Calls `callback` once all writes that are pending at the time of the call have been answered.
  package func waitForPendingWrites(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    waiters.addForAll(callback)
    remote?.retryAfterFailure()
  }

  /// Whether there are observers waiting for the answer to a write.
  var awaitsConfirmation: Bool { !waiters.isEmpty }
}

import Foundation
import TenonCore
import TenonDocuments
package import TenonStoreInterop

/// Writes, and their outcome at the remote.
extension SyncEngine {
  /// Makes writes here, and sends them when it is their turn.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - callback: called once with the remote's answer; `nil` if another process received it.
  package func write(
    _ writes: [DocumentWrite], callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws {
    _ = try write(making: { writes }, observer: BatchObserver(settle: callback))
  }

  /// Makes the writes that `make` returns in their transaction; none if it returns `nil`.
  ///
  /// - Returns: the batch.
  /// - Throws: ``StoreError`` if this device knows that a precondition doesn't hold.
  func write(
    making make: () throws -> [DocumentWrite]?, observer: BatchObserver
  ) throws -> PendingBatch? {
    let outcome = try local.enqueue(at: environment.clock.now(), making: make) { overlay, write in
      try overlay.check(write, isInLimbo: limbo.isTracked(overlay.path))
    }
    guard let batch = outcome.result else { return nil }
    waiters.add(batch, observer)
    updateViewsAfterWrite(outcome.changes)
    remote?.retryAfterFailure()
    remote?.fillPipeline()
    return batch
  }

  /// Commits writes that no remote has to confirm, if `isAllowed` returns true in their transaction.
  ///
  /// - Returns: whether they were made.
  package func commit(_ writes: [DocumentWrite], if isAllowed: () throws -> Bool = { true }) throws -> Bool {
    let outcome = try local.commit(writes, at: environment.clock.now(), if: isAllowed)
    updateViewsAfterWrite(outcome.changes)
    return outcome.result
  }

  /// Appends pending writes of a user from another file to the queue, unless it has them.
  ///
  /// - Returns: the number of documents.
  func restore(_ writes: [DocumentWrite], of user: String?, at time: Timestamp, uuid: UUID) throws -> Int {
    let outcome = try local.restore(writes, of: user, at: time, uuid: uuid)
    updateViews(with: outcome.changes)
    remote?.fillPipeline()
    return outcome.result
  }

  func acknowledgeWrite(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) throws {
    updateViews()
    let outcome = try local.acknowledge(batch, commit, token: token)
    waiters.finish(batch.id, .success(commit))
    updateViews(with: outcome.changes)
  }

  func rejectWrite(_ batch: PendingBatch, _ error: StoreRemoteError) throws {
    updateViews()
    // A transaction throws the rejection, or is tried again.
    let isThrown = waiters.isThrown(batch.id)
    let outcome = try local.reject(batch, error, isListed: !isThrown)
    if !isThrown { log(error, of: batch) }
    waiters.finish(batch.id, .failure(error))
    updateViews(with: outcome.changes)
    if !isThrown { environment.report(.rejectionsChanged) }
  }

  private func log(_ error: StoreRemoteError, of batch: PendingBatch) {
    let named = batch.paths.prefix(3).map(\.text).joined(separator: ", ")
    let others = batch.paths.count > 3 ? " and \(batch.paths.count - 3) other documents" : ""
    environment.logger.error(
      """
      The remote refused a write to \(named)\(others), and its effect was undone: \(error.message) \
      (\(error.code.rawValue)). Store.rejectedWrites lists it until it is dismissed.
      """)
  }

  func sendingFails(_ error: any Error) {
    environment.report(.sendingFailed)
    waiters.failAll(StoreError.wrapping(error))
  }

  /// Takes a batch out of the queue, unless it was sent.
  ///
  /// - Returns: whether it was taken out.
  func cancel(_ batch: PendingBatch) throws -> Bool {
    try whileUnsent(batch.id) { try remove(batch) } ?? false
  }

  /// Returns whether a batch may have reached the remote.
  func isSent(_ id: Int64) -> Bool { whileUnsent(id) {} == nil }

  /// Runs `body` while no process can send a batch.
  ///
  /// - Returns: `nil` if the batch may have reached the remote; then `body` isn't run.
  private func whileUnsent<Result>(_ id: Int64, _ body: () throws -> Result) rethrows -> Result? {
    if let remote, remote.isSending { return remote.hasSent(id) ? nil : try body() }
    // Another process may have sent it.
    guard let lease = environment.lease else { return try body() }
    guard lease.acquire() else { return nil }
    defer { if remote?.isSending != true { lease.release() } }
    return try body()
  }

  private func remove(_ batch: PendingBatch) throws -> Bool {
    updateViews()
    let outcome = try local.cancel(batch, at: environment.clock.now())
    guard outcome.result else { return false }
    remote?.drop(batch.id)
    waiters.finish(batch.id, .failure(CancellationError()))
    updateViews(with: outcome.changes)
    remote?.fillPipeline()
    return true
  }

  /// Fails everyone who waits for a write, because the database is closed. The pending writes stay in its file.
  func stopWaiting(_ error: any Error) { waiters.failAll(error) }

  /// Calls back when all writes that are pending now have been answered.
  package func waitForPendingWrites(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    waiters.addForAll(callback)
    remote?.retryAfterFailure()
  }

  /// Whether anyone waits for the answer to a write.
  var awaitsConfirmation: Bool { !waiters.isEmpty }
}

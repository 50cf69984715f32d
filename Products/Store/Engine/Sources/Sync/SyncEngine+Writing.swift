import TenonCore
import TenonDocuments
import TenonFoundation
package import TenonStoreInterop

/// Writes, and their outcomes at the remote.
extension SyncEngine {
  /// Commits writes locally, queues them for the remote, and updates the views.
  ///
  /// - Parameters:
  ///   - writes: the writes, applied in order.
  ///   - callback: called once with the remote's answer; `nil` if another process received it.
  /// - Throws: as ``write(making:observer:)``.
  package func write(
    _ writes: [DocumentWrite], callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws {
    _ = try write(
      making: { BatchContent(writes) }, observer: BatchObserver(settle: callback))
    updateViews()
  }

  /// Commits the writes that `make` returns within the transaction, and queues them; does nothing if it
  /// returns `nil`.
  ///
  /// The batch is durable when this returns. Sending begins immediately if the network can be used and no
  /// other process sends. A remote that has failed is tried again.
  ///
  /// - Parameters:
  ///   - make: returns the writes. It may read the database in the state to which they will be applied.
  ///   - observer: observes the remote's answer.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  /// - Throws: what `make` throws; ``StoreError`` if this device knows that a precondition doesn't hold, or
  ///   that the rules deny a write and the setting is to refuse it;
  ///   `DocumentError` if a result isn't a valid document; `SQLiteError`. Nothing was written then.
  func write(
    making make: () throws -> BatchContent?, observer: BatchObserver
  ) throws -> PendingBatch? {
    let time = environment.time.timestamp()
    let outcome = try local.enqueue(
      at: time, making: make,
      deciding: { content, overlay in
        try environment.judge?.check(content.writes, at: time) { path in
          try overlay(path)?.knowledge(isInLimbo: limbo.isTracked(path)) ?? .unknown
        }
      },
      checking: { overlay, write in
        try overlay.check(write, isInLimbo: limbo.isTracked(overlay.path))
      })
    guard let batch = outcome.result else { return nil }
    waiters.add(batch, observer)
    updateViewsAfterWrite(outcome.changes)
    remote?.retryAfterFailure()
    remote?.fillPipeline()
    return batch
  }

  /// Commits writes that need no confirmation by a remote, if `isAllowed` returns `true` within their
  /// transaction.
  ///
  /// - Parameters:
  ///   - writes: the writes, applied in order.
  ///   - isAllowed: checks the database in the state to which the writes will be applied.
  /// - Returns: whether the writes were committed.
  /// - Throws: what `isAllowed` throws; ``StoreError`` if a precondition doesn't hold; `DocumentError` if a
  ///   result isn't a valid document; `SQLiteError`. Nothing was written then.
  package func commit(_ writes: [DocumentWrite], if isAllowed: () throws -> Bool = { true }) throws -> Bool {
    let outcome = try local.commit(writes, at: environment.time.timestamp(), if: isAllowed)
    updateViewsAfterWrite(outcome.changes)
    return outcome.result
  }

  /// Appends pending writes recovered from another file to a user's queue, unless it already contains them.
  ///
  /// - Parameters:
  ///   - content: the writes of one batch, and their conditions.
  ///   - user: the user who made them; `nil` if no user was signed in. They are sent when this user is signed
  ///     in.
  ///   - time: the time at which they were made.
  ///   - uuid: the unique ID of the batch, by which the remote recognizes one that it has already applied.
  /// - Returns: the number of documents written to; 0 if the batch was already queued.
  /// - Throws: `SQLiteError`; `DocumentError` if a result isn't a valid document.
  func restore(_ content: BatchContent, of user: String?, at time: Timestamp, uuid: UUID) throws -> Int {
    let outcome = try local.restore(content, of: user, at: time, uuid: uuid)
    updateViews(with: outcome.changes)
    remote?.fillPipeline()
    return outcome.result
  }

  /// Removes batches that the remote has committed, then notifies their observers, then the listeners.
  ///
  /// The results become the base documents, unless the remote has already sent newer versions; later pending
  /// writes are applied to them again. A view keeps showing the document as it was written until the remote
  /// has sent it, so that no intermediate state is delivered.
  func acknowledgeWrites(_ answers: [CommittedBatch]) throws {
    updateViews()
    let outcome = try local.acknowledge(answers)
    for answer in answers { waiters.finish(answer.batch.id, .success(answer.commit)) }
    updateViews(with: outcome.changes)
  }

  /// Removes a batch that the remote has rejected and the transactions that depend on it, then notifies their
  /// observers, then the listeners.
  ///
  /// Other pending writes to the same documents remain, and are applied without it. The batches are stored
  /// among the rejected writes of their user, unless a transaction or another call that waits throws the
  /// error.
  func rejectWrite(_ batch: PendingBatch, _ error: StoreRemoteError) throws {
    updateViews()
    let outcome = try local.reject(batch, error, isListed: { !waiters.isThrown($0.id) })
    refuse(outcome.result)
    updateViews(with: outcome.changes)
  }

  /// Notifies the observers of batches that were removed from the queue without having been committed.
  private func refuse(_ batches: [RefusedBatch]) {
    for refused in batches {
      let (batch, error) = (refused.batch, refused.error)
      environment.telemetry.refused(error)
      // A call that waits throws the rejection, or a transaction is retried.
      let isThrown = waiters.isThrown(batch.id)
      let rejected = RejectedWrite(
        RejectedBatch(
          uuid: batch.uuid, time: batch.time, content: batch.content, error: error))
      if !isThrown, !waiters.keep(rejected, of: batch.id) { environment.report(.rejected(rejected)) }
      waiters.finish(batch.id, .failure(error))
      if !isThrown { environment.report(.rejectionsChanged) }
    }
  }

  /// Fails all observers of writes, because nothing can be sent. The writes stay in the queue. The owner is
  /// notified first, so that transactions return instead of failing.
  func sendingFails(_ error: any Error) {
    environment.report(.sendingFailed)
    waiters.failAll(StoreError.wrapping(error))
  }

  /// Removes a batch from the queue unless it has been sent, with the transactions that depend on it, and
  /// undoes their effect.
  ///
  /// - Parameter batch: a batch of the current user.
  /// - Returns: whether it was removed; `false` if it was answered, or this or another process may have sent
  ///   it.
  /// - Throws: `SQLiteError`, in which case it stays in the queue.
  func cancel(_ batch: PendingBatch) throws -> Bool {
    try whileUnsent(batch.id) { try remove(batch) } ?? false
  }

  /// Returns whether a batch may have reached the remote.
  func isSent(_ id: Int64) -> Bool { whileUnsent(id) {} == nil }

  /// Runs `body` while no process can send a batch.
  ///
  /// If this process holds the lease, its pipeline shows what it has sent. Otherwise the lease is acquired
  /// for the duration of `body`: if that fails, another process is sending, and may have sent the batch.
  ///
  /// - Parameters:
  ///   - id: the batch.
  ///   - body: runs at most once.
  /// - Returns: the result of `body`; `nil`, without running it, if the batch may have reached the remote.
  private func whileUnsent<Result>(_ id: Int64, _ body: () throws -> Result) rethrows -> Result? {
    if let remote, remote.isSending { return remote.hasSent(id) || wasSent(id) ? nil : try body() }
    return try whileNothingIsSent { wasSent(id) ? nil : try body() } ?? nil
  }

  /// Returns whether a batch may have reached the remote on a stream that has ended.
  private func wasSent(_ id: Int64) -> Bool { ((try? local.lastSent()) ?? .max) >= id }

  /// Runs `body` while no process sends, unless this one is sending.
  ///
  /// - Returns: the result of `body`; `nil`, without running it, if another process is sending.
  private func whileNothingIsSent<Result>(_ body: () throws -> Result) rethrows -> Result? {
    guard let lease = environment.lease else { return try body() }
    guard lease.acquire() else { return nil }
    defer { if remote?.isSending != true { lease.release() } }
    return try body()
  }

  /// Refuses the present user's conditional batches that others have overtaken while another user was online.
  /// Otherwise they would be shown in part until the remote refuses them.
  ///
  /// - Throws: `SQLiteError`.
  func refuseOvertakenWrites() throws {
    let outcome = try whileNothingIsSent {
      try local.refuseOvertaken(isListed: { !waiters.isThrown($0.id) })
    }
    guard let outcome, !outcome.result.isEmpty else { return }
    refuse(outcome.result)
    updateViews(with: outcome.changes)
  }

  /// Removes a batch that hasn't been sent from the queue and the pipeline.
  private func remove(_ batch: PendingBatch) throws -> Bool {
    updateViews()
    let outcome = try local.cancel(
      batch, at: environment.time.timestamp(), isListed: { !waiters.isThrown($0.id) })
    guard let refused = outcome.result else { return false }
    remote?.drop(batch.id)
    waiters.finish(batch.id, .failure(CancellationError()))
    refuse(refused)
    updateViews(with: outcome.changes)
    remote?.fillPipeline()
    return true
  }

  /// Fails all observers of writes because the database is closed. The pending writes stay in the file.
  func stopWaiting(_ error: any Error) { waiters.failAll(error) }

  /// Calls `callback` once all writes that are pending at the time of the call have been answered.
  ///
  /// - Parameter callback: called once: immediately if nothing is pending, otherwise when the last of the
  ///   writes was committed, rejected or cancelled, by whichever process; with an error if the queue can't be
  ///   read, or if the user changes, the remote fails or the database is closed before that.
  package func waitForPendingWrites(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    waiters.addForAll(callback)
    remote?.retryAfterFailure()
  }

  /// Whether there are observers waiting for the answer to a write.
  var awaitsConfirmation: Bool { !waiters.isEmpty }
}

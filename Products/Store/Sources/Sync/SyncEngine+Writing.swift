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
    _ = try write(making: { writes }, callback: callback)
  }

  /// Makes the writes that `make` gives in their transaction; none when it gives `nil`.
  ///
  /// - Returns: the batch.
  func write(
    making make: () throws -> [DocumentWrite]?, callback: @escaping (Result<RemoteCommit?, any Error>) -> Void
  ) throws -> MutationBatch? {
    let outcome = try local.changing(.write) {
      try make().map { try local.queue($0, at: environment.now()) }
    }
    guard let batch = outcome.result else { return nil }
    waiters.add(batch, callback)
    emit(outcome.changes)
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
    emit(outcome.changes)
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
    let outcome = try local.acknowledge(batch, commit, token: token)
    waiters.finish(batch.id, .success(commit))
    emit(outcome.changes)
  }

  func rejectFailedWrite(_ batch: MutationBatch, _ error: StoreRemoteError) throws {
    let outcome = try local.reject(batch, error)
    environment.logger.warning(
      "The remote refused a write to \(batch.paths.map(\.text).joined(separator: ", ")): \(error.message)")
    waiters.finish(batch.id, .failure(error))
    emit(outcome.changes)
  }

  /// Takes a batch out of the queue, unless it was sent.
  ///
  /// - Returns: whether it was taken out.
  func cancel(_ batch: MutationBatch) throws -> Bool {
    guard remote?.isSent(batch.id) != true else { return false }
    let outcome = try local.cancel(batch)
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
  }

  /// Whether somebody waits for what becomes of a write.
  var awaitsConfirmation: Bool { !waiters.isEmpty }

  /// Whether somebody waits until all writes are answered.
  var waitsForPendingWrites: Bool { waiters.hasWaitersForAll }
}

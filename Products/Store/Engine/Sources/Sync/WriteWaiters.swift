import TenonFoundation
import TenonStoreInterop

/// Observes the outcome of a batch. Its functions are called on the engine's executor.
struct BatchObserver {
  /// Called once, with the remote's answer; `nil` if another process received it. A failure is the remote's
  /// error, `CancellationError` if the batch was removed from the queue, or the error with which the database
  /// was closed or sending failed.
  let settle: (Result<RemoteCommit?, any Error>) -> Void
  /// Called with the reason when no answer can be expected, and with `nil` when it can again.
  var pause: (StoreError?) -> Void = { _ in }
  /// Whether a rejection is thrown to a waiting caller, and therefore not reported in another way.
  var isThrown: () -> Bool = { false }
  /// Receives a rejection that isn't thrown, before ``settle``, and reports it if no caller receives it;
  /// `nil` if no caller can.
  var keep: ((RejectedWrite) -> Void)?
}

/// This process's observers of the remote's answers to writes. Each is settled exactly once.
///
/// An answer that this process receives settles its observer directly. An answer that another process has
/// received shows in the database: the batch is no longer in the queue, and was committed unless it is among
/// the rejected or cancelled ones. Observers don't survive the process; the batches do. Owned by
/// ``SyncEngine``.
final class WriteWaiters {
  /// An observer with its batch and the user who made the writes.
  private struct Waiter {
    let uuid: UUID
    let user: String?
    let observer: BatchObserver
  }

  /// The queue.
  private let local: LocalDatabase
  /// The observers, by the ID of their batch.
  private var waiters: [Int64: Waiter] = [:]
  /// The callbacks that wait for all batches up to and including one.
  private var waitersForAll: [(newest: Int64, callback: (Result<Void, any Error>) -> Void)] = []

  /// - Parameter local: the database with the queue.
  init(_ local: LocalDatabase) { self.local = local }

  /// Whether there are neither observers nor callbacks.
  var isEmpty: Bool { waiters.isEmpty && waitersForAll.isEmpty }
  /// Whether a callback waits until all writes are answered.
  var hasWaitersForAll: Bool { !waitersForAll.isEmpty }

  /// Adds the observer of a batch of the current user.
  ///
  /// - Parameters:
  ///   - batch: a batch that has no observer.
  ///   - observer: the observer, which is retained until it is settled.
  func add(_ batch: PendingBatch, _ observer: BatchObserver) {
    waiters[batch.id] = Waiter(uuid: batch.uuid, user: local.user, observer: observer)
  }

  /// Returns whether a rejection of a batch is thrown to a waiting caller.
  func isThrown(_ id: Int64) -> Bool { waiters[id]?.observer.isThrown() ?? false }

  /// Passes a rejection to the observer of its batch.
  ///
  /// - Returns: whether the observer reports it; `false` also if the batch has none in this process.
  func keep(_ rejected: RejectedWrite, of id: Int64) -> Bool {
    guard let keep = waiters[id]?.observer.keep else { return false }
    keep(rejected)
    return true
  }

  /// Pauses the observers of other users' writes, which aren't sent now, and resumes those of the current
  /// user. Callbacks that wait for all writes receive an error, because the writes of the previous user are
  /// no longer being sent.
  ///
  /// - Parameter user: the ID of the new current user; `nil` if no user is signed in.
  func changeUser(to user: String?) {
    let error = StoreError(
      .cancelled,
      "Another user signed in. The write waits on this device, and is sent when its own user signs in again.")
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
      waiter.observer.pause(waiter.user == user ? nil : error)
    }
    failForAll(StoreError(.cancelled, "Another user signed in while writes of the previous one waited."))
  }

  /// Calls `callback` once all batches of the current user that are pending at the time of the call have been
  /// answered. Batches that are added later aren't waited for.
  ///
  /// - Parameter callback: called immediately if nothing is pending, or with an error if the queue can't be
  ///   read.
  func addForAll(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    let newest: Int64
    do { newest = try local.newestBatch() } catch { return callback(.failure(StoreError.wrapping(error))) }
    guard newest > 0 else { return callback(.success(())) }
    waitersForAll.append((newest, callback))
  }

  /// Settles the observer of a batch, if there is one, and then the callbacks for which it was the last one.
  ///
  /// - Parameters:
  ///   - id: the batch, which is no longer in the queue.
  ///   - result: the outcome.
  func finish(_ id: Int64, _ result: Result<RemoteCommit?, any Error>) {
    waiters.removeValue(forKey: id)?.observer.settle(result)
    settleForAll()
  }

  /// Settles the observers of batches that another process has sent. Called after another process has
  /// written.
  ///
  /// - Throws: the error of the database. Observers that weren't settled are settled by a later call.
  /// - Complexity: a search in the queue for each observer.
  func settleForeign() throws {
    guard !isEmpty else { return }
    for (id, waiter) in waiters.sorted(by: { $0.key < $1.key }) where try !local.hasBatch(id) {
      switch try local.rejection(waiter.uuid) {
      case nil: finish(id, .success(nil))
      case let rejection? where rejection.error.code == .cancelled: finish(id, .failure(CancellationError()))
      case let rejection?:
        _ = keep(RejectedWrite(rejection), of: id)
        finish(id, .failure(rejection.error))
      }
    }
    settleForAll()
  }

  /// Calls the callbacks whose batches have all been answered. Cancelling a batch may leave older ones in the
  /// queue.
  private func settleForAll() {
    guard hasWaitersForAll else { return }
    do {
      let oldest = try local.oldestBatch() ?? .max
      let done = waitersForAll.filter { $0.newest < oldest }
      waitersForAll.removeAll { $0.newest < oldest }
      for waiter in done { waiter.callback(.success(())) }
    } catch {
      failForAll(error)
    }
  }

  /// Fails the callbacks that wait for several batches. The callbacks are removed first, so they may add
  /// others.
  func failForAll(_ error: any Error) {
    let waiters = waitersForAll
    waitersForAll = []
    for waiter in waiters { waiter.callback(.failure(error)) }
  }

  /// Fails all observers and callbacks, because no answer can be expected. The batches stay in the queue.
  func failAll(_ error: any Error) {
    let former = waiters
    waiters = [:]
    for id in former.keys.sorted() { former[id]?.observer.settle(.failure(error)) }
    failForAll(error)
  }
}

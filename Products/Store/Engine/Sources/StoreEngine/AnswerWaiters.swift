import TenonFoundation
import TenonStoreInterop

/// The calls that return when the remote has answered their writes: transactions, and with
/// ``StoreSettings/WriteCompletion/confirmed`` all other writes.
///
/// A call waits from the commit on, in the same step, so that a rejection is either thrown by it or listed.
/// The first outcome counts: the remote's answer, cancellation, a change of the user, or an error after which
/// no answer can be expected. Owned by ``StoreEngine`` and confined to its executor, to which a cancellation
/// returns, too.
final class AnswerWaiters {
  typealias Answer = Result<RemoteCommit?, any Error>

  /// A call between its commit and its return.
  private enum Waiter {
    /// The writes are committed, and the call hasn't begun to wait.
    case committed
    case waiting(CheckedContinuation<Answer, Never>)
    /// The outcome came before the call began to wait.
    case over(Answer)
  }

  private var waiters: [UUID: Waiter] = [:]
  /// The calls among ``waiters`` that are transactions.
  private var transactions: Set<UUID> = []

  /// Returns the observer of the batch of a call.
  ///
  /// - Parameter id: an ID of the call.
  private func observer(_ id: UUID) -> BatchObserver {
    BatchObserver(
      settle: { [self] in settle(id, $0) },
      pause: { [self] error in if let error { settle(id, .failure(error)) } },
      isThrown: { [self] in isWaiting(id) })
  }

  /// Adds a call, which must then call ``wait(_:_:)`` if it has committed a batch.
  ///
  /// - Parameters:
  ///   - isTransaction: whether the call is a transaction.
  ///   - commit: commits the batch of the call, and passes the remote's answer to an observer.
  /// - Returns: the batch with the call; `nil` if `commit` returned `nil`.
  /// - Throws: what `commit` throws.
  func add(
    isTransaction: Bool, committing commit: (BatchObserver) throws -> PendingBatch?
  ) rethrows -> AwaitedBatch? {
    let id = UUID()
    waiters[id] = .committed
    if isTransaction { transactions.insert(id) }
    var batch: PendingBatch?
    defer { if batch == nil { remove(id) } }
    batch = try commit(observer(id))
    return batch.map { AwaitedBatch(call: id, batch: $0) }
  }

  /// Removes a call.
  private func remove(_ id: UUID) {
    waiters[id] = nil
    transactions.remove(id)
  }

  /// Returns whether the call will throw a rejection.
  private func isWaiting(_ id: UUID) -> Bool {
    switch waiters[id] {
    case .committed, .waiting: true
    case .over, nil: false
    }
  }

  /// Suspends a call until there is an outcome.
  func wait(_ id: UUID, _ continuation: CheckedContinuation<Answer, Never>) {
    guard case .over(let answer) = waiters[id] else {
      waiters[id] = .waiting(continuation)
      return
    }
    remove(id)
    continuation.resume(returning: answer)
  }

  /// Ends the waiting of a call; no effect if it has ended.
  func settle(_ id: UUID, _ answer: Answer) {
    switch waiters[id] {
    case .committed: waiters[id] = .over(answer)
    case .waiting(let continuation):
      remove(id)
      continuation.resume(returning: answer)
    case .over, nil: break
    }
  }

  /// Ends the waiting of all transactions because the remote can't be reached: their writes are durable, and
  /// stay in the queue.
  func releaseTransactions() { for id in transactions { settle(id, .success(nil)) } }
}

/// Writes that were committed on this device.
enum LocallyCommitted: Sendable {
  /// The call returns now.
  case returns(WriteConfirmation)
  /// The call waits for the remote's answer, which ``StoreEngine/answer(to:)`` returns.
  case waits(AwaitedBatch)
}

/// A batch whose call waits for the remote's answer.
struct AwaitedBatch: Sendable {
  /// The ID of the call.
  let call: UUID
  let batch: PendingBatch
}

extension StoreEngine {
  /// Whether write calls return when the remote has answered.
  nonisolated var confirmsWrites: Bool { configuration.settings.writes == .confirmed }

  /// Commits writes whose call waits for the remote's answer; it must then call ``answer(to:)``.
  ///
  /// - Parameters:
  ///   - running: the open database.
  ///   - make: returns the writes; `nil` if there are none.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if no linked library provides a remote;
  ///   as ``SyncEngine/write(making:observer:)``. Nothing was written then.
  func awaited(_ running: Running, making make: () throws -> BatchContent?) throws -> AwaitedBatch? {
    if let error = missingRemote("The write can't be confirmed") { throw error }
    return try answers.add(isTransaction: false) { try running.sync.write(making: make, observer: $0) }
  }

  /// Waits for the remote's answer to a batch of a call.
  ///
  /// - Returns: the commit; `nil` if another process received the answer.
  /// - Throws: ``StoreError`` with the remote's reason if it rejected the batch, which isn't listed then;
  ///   ``StoreError`` or `CancellationError` as ``WriteConfirmation/confirmed()``, in which case it stays in
  ///   the queue.
  func answer(to awaited: AwaitedBatch) async throws -> RemoteCommit? {
    do { return try await outcome(of: awaited).get() } catch {
      // Another process that received the rejection has listed it, and this call throws it.
      if error is StoreRemoteError, case .open(let running) = state {
        try running.local.dismissRejection(awaited.batch.uuid)
      }
      throw StoreError.wrapping(error)
    }
  }

  /// Waits until there is an outcome of a batch of a call. If the task is cancelled, the writes stay in the
  /// queue.
  func outcome(of awaited: AwaitedBatch) async -> AnswerWaiters.Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { answers.wait(awaited.call, $0) }
    } onCancel: {
      Task { await self.cancelWaiting(awaited.call) }
    }
  }

  /// Ends the waiting of a call whose task was cancelled.
  private func cancelWaiting(_ call: UUID) { answers.settle(call, .failure(CancellationError())) }
}

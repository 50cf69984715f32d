import TenonFoundation
import TenonStoreInterop

/// The write calls that return when the remote has answered; see ``StoreSettings/WriteCompletion/confirmed``.
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

  /// Returns the observer of the batch of a call.
  ///
  /// - Parameter id: an ID of the call.
  func observer(_ id: UUID) -> BatchObserver {
    BatchObserver(
      settle: { [self] in settle(id, $0) },
      pause: { [self] error in if let error { settle(id, .failure(error)) } },
      isThrown: { [self] in isWaiting(id) })
  }

  /// Adds a call that is about to commit writes, and must then call ``wait(_:_:)``.
  func add(_ id: UUID) { waiters[id] = .committed }
  /// Removes a call that has committed nothing.
  func remove(_ id: UUID) { waiters[id] = nil }

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
    waiters[id] = nil
    continuation.resume(returning: answer)
  }

  /// Ends the waiting of a call; no effect if it has ended.
  func settle(_ id: UUID, _ answer: Answer) {
    switch waiters[id] {
    case .committed: waiters[id] = .over(answer)
    case .waiting(let continuation):
      waiters[id] = nil
      continuation.resume(returning: answer)
    case .over, nil: break
    }
  }
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
  /// The ID of the batch.
  let batch: UUID
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
    let call = UUID()
    answers.add(call)
    do {
      if let batch = try running.sync.write(making: make, observer: answers.observer(call)) {
        return AwaitedBatch(call: call, batch: batch.uuid)
      }
    } catch {
      answers.remove(call)
      throw error
    }
    answers.remove(call)
    return nil
  }

  /// Waits for the remote's answer to a batch of a call.
  ///
  /// - Returns: the commit; `nil` if another process received the answer.
  /// - Throws: ``StoreError`` with the remote's reason if it rejected the batch, which isn't listed then;
  ///   ``StoreError`` or `CancellationError` as ``WriteConfirmation/confirmed()``, in which case it stays in
  ///   the queue.
  func answer(to awaited: AwaitedBatch) async throws -> RemoteCommit? {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { answers.wait(awaited.call, $0) }
    } onCancel: {
      Task { await self.cancelWaiting(awaited.call) }
    }
    switch answer {
    case .success(let commit): return commit
    case .failure(let error):
      // Another process that received the rejection has listed it, and this call throws it.
      if error is StoreRemoteError, case .open(let running) = state {
        try running.local.dismissRejection(awaited.batch)
      }
      throw StoreError.wrapping(error)
    }
  }

  /// Ends the waiting of a call whose task was cancelled. Its writes stay in the queue.
  private func cancelWaiting(_ call: UUID) { answers.settle(call, .failure(CancellationError())) }
}

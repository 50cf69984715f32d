import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop

/// The outcome of a transaction.
enum TransactionOutcome: Sendable {
  /// It is durable here, and confirmed if the remote could be reached.
  case done
  /// Others have changed what it read; nothing was changed.
  case collided((any Error)?)
  /// The remote rejected it for another reason; nothing was changed.
  case refused(any Error)
}

/// The transactions that wait for the remote's answer.
final class TransactionWaiters {
  private var continuations: [UUID: CheckedContinuation<TransactionOutcome, Never>] = [:]

  func add(_ id: UUID, _ continuation: CheckedContinuation<TransactionOutcome, Never>) {
    continuations[id] = continuation
  }

  /// Whether a transaction still waits.
  func contains(_ id: UUID) -> Bool { continuations[id] != nil }

  func settle(_ id: UUID, _ outcome: TransactionOutcome) {
    continuations.removeValue(forKey: id)?.resume(returning: outcome)
  }

  /// Settles a transaction with the remote's answer.
  func settle(_ id: UUID, _ result: Result<RemoteCommit?, any Error>) {
    switch result {
    case .success: settle(id, .done)
    case .failure(let error as StoreRemoteError)
    where [.failedPrecondition, .aborted, .notFound, .alreadyExists].contains(error.code):
      settle(id, .collided(StoreError.wrapping(error)))
    case .failure(let error): settle(id, .refused(StoreError.wrapping(error)))
    }
  }

  /// The remote can't be reached: the transactions are durable, and stay in the queue without being waited for.
  func releaseAll() { for id in Array(continuations.keys) { settle(id, .done) } }
}

extension StoreEngine {
  /// Makes the writes of a transaction together, if what it read hasn't changed.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - reads: what was read.
  ///   - waits: whether to wait until the remote has confirmed them, as long as it can be reached. A caller that is cancelled
  ///     while waiting doesn't get the outcome; the writes stay in the queue.
  func commit(
    _ writes: [DocumentWrite], ifUnchanged reads: [TransactionRead], confirmed waits: Bool
  ) async throws -> TransactionOutcome {
    try await refreshUser()
    try Task.checkCancellation()
    let running = try use { $0 }
    guard running.local.hasRemote, !writes.isEmpty else {
      return try use { running in
        let isDone = try running.sync.commit(writes) {
          try reads.allSatisfy { try $0.isCurrent(in: running.local.reader) }
        }
        return isDone ? .done : .collided(nil)
      }
    }
    let id = UUID()
    var batch: PendingBatch?
    let outcome: TransactionOutcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transactions.add(id, continuation)
        do {
          batch = try running.sync.write(
            making: { try TransactionRead.guarded(writes, by: reads, in: running.local) },
            observer: transactionObserver(id))
          if batch == nil {
            transactions.settle(id, .collided(nil))
          } else if !waits {
            transactions.settle(id, .done)
          }
        } catch {
          transactions.settle(id, .refused(StoreError.wrapping(error)))
        }
      }
    } onCancel: {
      Task { await self.cancelTransaction(id) }
    }
    // The app gets the rejection now. What another process received has been listed there.
    if let batch {
      switch outcome {
      case .done, .refused(is CancellationError): break
      case .collided, .refused: try use { try $0.local.dismissRejection(batch.uuid) }
      }
    }
    return outcome
  }

  private func cancelTransaction(_ id: UUID) { transactions.settle(id, .refused(CancellationError())) }

  private func transactionObserver(_ id: UUID) -> BatchObserver {
    BatchObserver(
      settle: { [transactions] in transactions.settle(id, $0) },
      pause: { [transactions] error in if let error { transactions.settle(id, .refused(error)) } },
      isThrown: { [transactions] in transactions.contains(id) })
  }
}

extension TransactionRead {
  /// Returns the writes with preconditions, so that the remote rejects them if what was read has changed there.
  ///
  /// - Returns: `nil` if it has changed here.
  static func guarded(
    _ writes: [DocumentWrite], by reads: [TransactionRead], in local: LocalDatabase
  ) throws -> [DocumentWrite]? {
    guard try reads.allSatisfy({ try $0.isCurrent(in: local.reader) }) else { return nil }
    var conditions: [ResourcePath: WritePrecondition] = [:]
    for path in Set(reads.flatMap(\.paths)) {
      // Pending writes will change the document first, and the version that they give it isn't known.
      guard try local.batches(writing: path).isEmpty else { continue }
      let base = try local.reader.base(of: path)
      if case .found = base?.content, let base {
        conditions[path] = .updated(base.version)
      } else {
        conditions[path] = .exists(false)
      }
    }
    var guarded = writes
    for index in guarded.indices {
      let path = guarded[index].document
      guard let condition = conditions.removeValue(forKey: path) else { continue }
      switch (guarded[index].precondition, condition) {
      case (.updated, _): continue
      case (.exists(true), .exists(false)), (.exists(false), .updated):
        // According to what was read, this can't be applied.
        try guarded[index].checkPrecondition(exists: condition != .exists(false), updated: nil)
      default: guarded[index].precondition = condition
      }
    }
    // What was only read must be unchanged as well: writes that change nothing ensure that.
    let others = conditions.sorted { $0.key.compare($1.key) < 0 }.map { path, condition in
      switch condition {
      case .updated: DocumentWrite(path, .update(Fields(), mask: []), precondition: condition)
      case .exists: DocumentWrite(path, .delete, precondition: condition)
      }
    }
    return others + guarded
  }

  private var paths: [ResourcePath] {
    switch self {
    case .document(let path, _): [path]
    case .query(_, let documents): documents.map(\.path)
    }
  }
}

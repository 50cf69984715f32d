import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop

/// What a transaction came to.
enum TransactionOutcome: Sendable {
  /// It is durable here, and confirmed where the remote could be reached.
  case done
  /// Others have changed what it read; nothing was changed.
  case collided((any Error)?)
  /// The remote refused it for another reason; nothing was changed.
  case refused(any Error)
}

extension StoreEngine {
  /// Makes the writes of a transaction together, if what was read is still so.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - reads: what was read.
  ///   - waits: whether to wait until the remote has confirmed them, as long as it can be reached. Who is cancelled while
  ///     waiting doesn't learn of it; the writes are queued and stay so.
  func commit(
    _ writes: [DocumentWrite], ifUnchanged reads: [TransactionRead], confirmed waits: Bool
  ) async throws -> TransactionOutcome {
    try await learnUser()
    try Task.checkCancellation()
    let running = try use { $0 }
    guard running.local.isShared, !writes.isEmpty else {
      return try use { running in
        let isDone = try running.sync.commit(writes) {
          try reads.allSatisfy { try $0.isCurrent(in: running.local) }
        }
        return isDone ? .done : .collided(nil)
      }
    }
    let id = UUID()
    var batch: MutationBatch?
    let outcome: TransactionOutcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transactionWaiters[id] = continuation
        do {
          batch = try running.sync.write(
            making: { try TransactionRead.guarded(writes, by: reads, in: running.local) },
            observer: transactionObserver(id))
          if batch == nil { settle(id, .collided(nil)) } else if !waits { settle(id, .done) }
        } catch {
          settle(id, .refused(StoreError.wrapping(error)))
        }
      }
    } onCancel: {
      Task { await self.settle(id, .refused(CancellationError())) }
    }
    // The app learns of it now. What another process was told has been listed there.
    if let batch {
      switch outcome {
      case .done, .refused(is CancellationError): break
      case .collided, .refused: try use { try $0.local.dismiss(rejection: batch.uuid) }
      }
    }
    return outcome
  }

  private func transactionObserver(_ id: UUID) -> BatchObserver {
    BatchObserver(
      settle: { [weak self] result in self?.assumeIsolated { $0.settleTransaction(id, result) } },
      pause: { [weak self] error in
        if let error { self?.assumeIsolated { $0.settle(id, .refused(error)) } }
      },
      isThrown: { [weak self] in self?.assumeIsolated { $0.transactionWaiters[id] != nil } ?? false })
  }

  private func settleTransaction(_ id: UUID, _ result: Result<RemoteCommit?, any Error>) {
    switch result {
    case .success: settle(id, .done)
    case .failure(let error as StoreRemoteError)
    where [.failedPrecondition, .aborted, .notFound, .alreadyExists].contains(error.code):
      settle(id, .collided(StoreError.wrapping(error)))
    case .failure(let error): settle(id, .refused(StoreError.wrapping(error)))
    }
  }

  private func settle(_ id: UUID, _ outcome: TransactionOutcome) {
    transactionWaiters.removeValue(forKey: id)?.resume(returning: outcome)
  }

  /// The remote can't be reached: what waits for it is durable, and goes on without being waited for.
  func letTransactionsGo() { for id in Array(transactionWaiters.keys) { settle(id, .done) } }
}

extension TransactionRead {
  /// The writes, with the conditions under which the remote may apply them: what was read must still be so there.
  ///
  /// - Returns: `nil` when it isn't so here any more.
  static func guarded(
    _ writes: [DocumentWrite], by reads: [TransactionRead], in local: LocalStore
  ) throws -> [DocumentWrite]? {
    guard try reads.allSatisfy({ try $0.isCurrent(in: local) }) else { return nil }
    var conditions: [ResourcePath: WritePrecondition] = [:]
    for path in Set(reads.flatMap(\.paths)) {
      // What still waits to be sent changes the document before this does, and nobody knows when.
      guard try local.batches(for: path).isEmpty else { continue }
      let base = try local.base(of: path)
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
        // What was read says that this can't be applied.
        try guarded[index].checkPrecondition(exists: condition != .exists(false), updated: nil)
      default: guarded[index].precondition = condition
      }
    }
    // What was only read must be so as well: writes that change nothing say that.
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

import TenonFoundation
package import TenonStoreInterop

/// Writes of apps, apart from transactions.
extension StoreEngine {
  /// Commits writes atomically. They are durable when this returns, and confirmed if the settings say so
  /// (``StoreSettings/writes``). Listeners receive them soon after the commit, and before they return their
  /// next snapshot.
  ///
  /// In a local-only database, and in collections that exist only on this device, the writes are final.
  /// Otherwise they are appended to the queue as one batch of the current user.
  ///
  /// - Parameter writes: the writes, applied in order.
  /// - Returns: the confirmation by the remote, which can be waited for; already settled in a local-only
  ///   database.
  /// - Throws: ``StoreError`` if this device knows that a precondition doesn't hold or that the rules deny a
  ///   write (``StoreSettings/rules``), a result isn't a valid document, or the database can't be written;
  ///   `CancellationError` if the task was cancelled before the commit. Nothing was written then. If this
  ///   waits for the remote, also as ``answer(to:)``.
  package nonisolated func commit(_ writes: [DocumentWrite]) async throws -> WriteConfirmation {
    let committed: LocallyCommitted
    do {
      // Counted before the engine is free, so that reads pass a large commit from now on.
      let large = writes.count >= Self.largeWrite ? 1 : 0
      largeWrites.withLock { $0 += large }
      defer { largeWrites.withLock { $0 -= large } }
      committed = try await useAsAuthor { engine, running in try engine.commit(writes, on: running) }
    }
    switch committed {
    case .returns(let confirmation): return confirmation
    case .waits(let awaited): return .settled(try await answer(to: awaited))
    }
  }

  /// The number of writes from which on reads don't wait for a commit.
  private static let largeWrite = 20

  /// Commits writes on this device; see ``commit(_:)``.
  private func commit(_ writes: [DocumentWrite], on running: Running) throws -> LocallyCommitted {
    // From here on, the writes are committed even if the task is cancelled.
    try Task.checkCancellation()
    guard try !running.local.areFinal(writes) else {
      _ = try writing(writes) { try running.sync.commit(writes) }
      return .returns(.settled())
    }
    defer { startPolling(running) }
    if confirmsWrites {
      let batch = try writing(writes) { try awaited(running) { BatchContent(writes) } }
      return batch.map { .waits($0) } ?? .returns(.settled())
    }
    let confirmation = WriteConfirmation(reportingTo: unawaitedRejections) { [weak self] in
      try? await self?.refreshUser()
    }
    confirmation.pause(missingRemote("The write can't be confirmed"))
    _ = try writing(writes) {
      try running.sync.write(
        making: { BatchContent(writes) },
        observer: BatchObserver(
          settle: { confirmation.settle($0) }, pause: { confirmation.pause($0) },
          keep: { confirmation.keep($0) }))
    }
    return .returns(confirmation)
  }

  /// Runs the transaction of writes, on a full disk with the space that there is; see ``reusingLog(_:)``, and
  /// ``deleting(_:)`` if all of them are deletions.
  private func writing<Result>(_ writes: [DocumentWrite], _ body: () throws -> Result) throws -> Result {
    try writes.allSatisfy { $0.operation == .delete } ? deleting(body) : reusingLog(body)
  }
}

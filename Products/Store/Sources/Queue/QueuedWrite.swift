public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Pending writes that were made together on this device.
public struct QueuedWrite: Sendable, Identifiable {
  /// Identifies them.
  public let id: UUID
  /// When they were made, by this device's clock.
  public let time: Timestamp
  /// The writes.
  public let writes: [DocumentWrite]
  /// Whether they may have reached the remote, so that they can't be cancelled any more.
  public let isSent: Bool
}

/// Writes that the remote rejected. Their effect is undone here; they are kept, with the reason, until the app has seen them.
public struct RejectedWrite: Sendable, Identifiable {
  /// Identifies them, as in the queue.
  public let id: UUID
  /// When they were made, by this device's clock.
  public let time: Timestamp
  /// The writes.
  public let writes: [DocumentWrite]
  /// Why the remote rejected them.
  public let error: StoreError

  init(_ batch: RejectedBatch) {
    (id, time, writes) = (batch.uuid, batch.time, batch.writes)
    error = StoreError(.init(rawValue: batch.error.code.rawValue), batch.error.message)
  }
}

extension Store {
  /// The pending writes of the current user, in the order in which they are sent.
  ///
  /// - Throws: ``StoreError``.
  public var queuedWrites: [QueuedWrite] {
    get async throws {
      try await engine.useAsUser { running in
        try running.local.batches().map { batch in
          QueuedWrite(
            id: batch.uuid, time: batch.time, writes: batch.writes.map(\.write),
            isSent: running.sync.isSent(batch.id))
        }
      }
    }
  }

  /// Removes writes from the queue, and undoes their effect here. Callers that wait for their confirmation get a
  /// `CancellationError`.
  ///
  /// - Parameter id: the id of the writes.
  /// - Returns: whether they were removed; `false` if they were answered, or may have reached the remote.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func cancelQueuedWrite(_ id: UUID) async throws -> Bool {
    try await engine.useAsUser { running in
      guard let batch = try running.local.batches().first(where: { $0.uuid == id }) else { return false }
      return try running.sync.cancel(batch)
    }
  }

  /// The writes of the current user that the remote rejected, also in earlier launches of the app, the oldest first.
  ///
  /// - Throws: ``StoreError``.
  public var rejectedWrites: [RejectedWrite] {
    get async throws { try await engine.useAsUser { try $0.local.rejections().map(RejectedWrite.init) } }
  }

  /// The writes of the current user that the remote rejected: those of ``rejectedWrites``, then each one as it is rejected, also those
  /// that another process of the app has sent.
  ///
  /// ```swift
  /// for try await rejected in store.writeRejections {
  ///   show(rejected.error.message)
  ///   try await store.dismissRejectedWrite(rejected.id)
  /// }
  /// ```
  ///
  /// Each iteration delivers each of them once. It ends when the database is closed.
  public var writeRejections: AsyncThrowingStream<RejectedWrite, any Error> { engine.writeRejections() }

  /// Removes rejected writes that the app has seen.
  ///
  /// - Parameter id: the id of the writes; nothing happens if there are none of that id.
  /// - Throws: ``StoreError``.
  public func dismissRejectedWrite(_ id: UUID) async throws {
    try await engine.useAsUser { try $0.local.dismissRejection(id) }
  }

  /// Waits until every write that is pending now has been committed or rejected by the remote. It doesn't return while the remote
  /// can't be reached. In a local-only database no write is pending.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/cancelled`` when another user signs in meanwhile, with
  ///   ``StoreError/Code/unavailable`` when no linked library provides a remote, and with the remote's code when the remote itself
  ///   has failed, for example ``StoreError/Code/dataLoss`` when its data is damaged: the writes stay in the queue then, and are
  ///   sent when the app next writes, listens or waits; `CancellationError`.
  public func waitForPendingWrites() async throws {
    let waiting = WriteConfirmation()
    try await engine.useAsUser { running in
      if let error = engine.missingRemote("The pending writes can't be confirmed") { throw error }
      running.sync.waitForPendingWrites { result in
        waiting.settle(result.map { RemoteCommit(time: .zero, results: []) })
      }
    }
    try await waiting.confirmed()
  }
}

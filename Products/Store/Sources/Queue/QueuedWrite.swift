public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes that were made together on this device and wait for the remote.
public struct QueuedWrite: Sendable, Identifiable {
  /// Tells them from all others.
  public let id: UUID
  /// When they were made, by this device's clock.
  public let time: Timestamp
  /// What is written.
  public let writes: [DocumentWrite]
  /// Whether they may have reached the remote. Then they can't be cancelled any more.
  public let isSent: Bool
}

/// Writes that the remote refused. Their effect is undone here; they are kept, with the reason, until the app has seen them.
public struct RejectedWrite: Sendable, Identifiable {
  /// Tells them from all others; the same as while they waited.
  public let id: UUID
  /// When they were made, by this device's clock.
  public let time: Timestamp
  /// What was written.
  public let writes: [DocumentWrite]
  /// Why the remote refused them.
  public let error: StoreError

  init(_ batch: RejectedBatch) {
    (id, time, writes) = (batch.uuid, batch.time, batch.writes)
    error = StoreError(.init(rawValue: batch.error.code.rawValue), batch.error.message)
  }
}

extension Store {
  /// The writes of the present user that the remote hasn't answered, first those that are sent first.
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

  /// Takes writes out of the queue, and undoes their effect here. Who waits for their confirmation gets a
  /// `CancellationError`.
  ///
  /// - Parameter id: which writes.
  /// - Returns: whether they were taken out; not when they were answered, or may have reached the remote.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func cancelQueuedWrite(_ id: UUID) async throws -> Bool {
    try await engine.useAsUser { running in
      guard let batch = try running.local.batches().first(where: { $0.uuid == id }) else { return false }
      return try running.sync.cancel(batch)
    }
  }

  /// The writes of the present user that the remote refused, also before the app was started, the oldest first.
  ///
  /// - Throws: ``StoreError``.
  public var rejectedWrites: [RejectedWrite] {
    get async throws { try await engine.useAsUser { try $0.local.rejections().map(RejectedWrite.init) } }
  }

  /// The writes of the present user that the remote refused: those of ``rejectedWrites``, then each one that is refused, also
  /// those that another process of the app has sent.
  ///
  /// ```swift
  /// for try await rejected in store.writeRejections {
  ///   show(rejected.error.message)
  ///   try await store.dismissRejectedWrite(rejected.id)
  /// }
  /// ```
  ///
  /// Each iteration gets each of them once. It ends when the database is closed.
  public var writeRejections: AsyncThrowingStream<RejectedWrite, any Error> { engine.writeRejections() }

  /// Forgets refused writes that the app has seen.
  ///
  /// - Parameter id: which writes; nothing happens when there are none of that id.
  /// - Throws: ``StoreError``.
  public func dismissRejectedWrite(_ id: UUID) async throws {
    try await engine.useAsUser { try $0.local.dismissRejection(id) }
  }

  /// Waits until every write that is pending now has been answered by the remote: applied or refused. It doesn't return
  /// while the remote can't be reached. In a local-only database no write is pending.
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

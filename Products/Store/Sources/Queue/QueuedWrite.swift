public import TenonFoundation
import TenonStoreInterop
public import TenonValues

/// Writes that were committed together on this device and that the remote hasn't answered yet.
///
/// A value describes the queue at the time at which ``Store/queuedWrites`` was read; it doesn't change when they are
/// sent.
public struct QueuedWrite: Sendable, Identifiable {
  /// The unique ID of the writes.
  public let id: UUID
  /// The time at which they were made, by this device's clock.
  public let time: Timestamp
  /// The writes.
  public let writes: [DocumentWrite]
  /// Whether they may have reached the remote, so that they can no longer be cancelled. `true` also while another
  /// process sends writes of the database.
  public let isSent: Bool
}

/// Writes that the remote rejected. Their effect on this device is undone; they are kept with the reason until the
/// app dismisses them.
///
/// They aren't sent again. After removing the cause, the app can add ``writes`` to a ``WriteBatch``; their
/// preconditions are still part of them.
public struct RejectedWrite: Sendable, Identifiable {
  /// The unique ID of the writes, the same as while they were queued.
  public let id: UUID
  /// The time at which they were made, by this device's clock.
  public let time: Timestamp
  /// The writes.
  public let writes: [DocumentWrite]
  /// The reason for which the remote rejected them.
  public let error: StoreError

  /// Creates the value that users see. The remote's code becomes the ``StoreError/Code`` with the same text.
  init(_ batch: RejectedBatch) {
    (id, time, writes) = (batch.uuid, batch.time, batch.writes)
    error = StoreError(.init(rawValue: batch.error.code.rawValue), batch.error.message)
  }
}

extension Store {
  /// The writes of the current user that the remote hasn't answered, in the order in which they are sent. Those of
  /// other users are sent when these are signed in again, and aren't included.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
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

  /// Removes writes from the queue, and undoes their effect on this device. Waiting for their confirmation throws
  /// `CancellationError`.
  ///
  /// Later writes to the same documents remain, and are applied without the removed ones.
  ///
  /// - Parameter id: the ID of the writes.
  /// - Returns: whether they were removed; `false` if they were answered, or may have reached the remote.
  /// - Throws: ``StoreError``; `CancellationError`. Nothing was removed then.
  @discardableResult
  public func cancelQueuedWrite(_ id: UUID) async throws -> Bool {
    try await engine.useAsUser { running in
      guard let batch = try running.local.batches().first(where: { $0.uuid == id }) else { return false }
      return try running.sync.cancel(batch)
    }
  }

  /// The writes of the current user that the remote rejected, including those of earlier launches, oldest first. A
  /// transaction that throws its rejection isn't included.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public var rejectedWrites: [RejectedWrite] {
    get async throws { try await engine.useAsUser { try $0.local.rejections().map(RejectedWrite.init) } }
  }

  /// A stream of the writes of the current user that the remote rejected: those of ``rejectedWrites``, then each one that is
  /// rejected, including those sent by another process of the app.
  ///
  /// ```swift
  /// for try await rejected in store.writeRejections {
  ///   show(rejected.error.message)
  ///   try await store.dismissRejectedWrite(rejected.id)
  /// }
  /// ```
  ///
  /// Each iteration delivers each of them once, and ends when the database is closed.
  public var writeRejections: AsyncThrowingStream<RejectedWrite, any Error> { engine.writeRejections() }

  /// Removes rejected writes that the app has handled.
  ///
  /// - Parameter id: the ID of the writes; an unknown ID has no effect.
  /// - Throws: ``StoreError``; `CancellationError`.
  public func dismissRejectedWrite(_ id: UUID) async throws {
    try await engine.useAsUser { try $0.local.dismissRejection(id) }
  }

  /// Waits until the remote has answered every write that is pending now: applied or rejected it. It doesn't return while the
  /// remote can't be reached. In a local-only database no write is pending.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/cancelled`` if another user signs in while this waits, with
  ///   ``StoreError/Code/unavailable`` if no linked library provides a remote, and with the remote's code if the remote itself has
  ///   failed, for example ``StoreError/Code/dataLoss`` if its data is damaged: the writes stay queued, and are sent when the app
  ///   next writes, listens or waits; `CancellationError`.
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

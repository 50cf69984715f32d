public import TenonFoundation
import TenonStoreEngine
import TenonStoreInterop

extension Store {
  /// The writes of the current user that the remote hasn't answered, in the order in which they are sent.
  /// Those of other users are sent when these are signed in again, and aren't included.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public var queuedWrites: [QueuedWrite] {
    get async throws { try await engine.queuedWrites() }
  }

  /// How many writes wait for the remote's answer, and why.
  ///
  /// ```swift
  /// print(try await store.pendingWrites)
  /// ```
  ///
  /// This prints, for example, "3 pending writes, sent again at 2026-05-04T10:00:07Z: The connection to
  /// 127.0.0.1:8080 was refused."
  ///
  /// A queue that waits is also logged: when the remote can't be reached, and when it answers again.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public var pendingWrites: PendingWrites {
    get async throws { try await engine.pendingWrites() }
  }

  /// Removes writes from the queue, and undoes their effect on this device. Waiting for their confirmation
  /// throws `CancellationError`.
  ///
  /// Later writes to the same documents remain, and are applied without the removed ones. Transactions that
  /// have read the result of the removed ones can't succeed any more; they are rejected immediately.
  ///
  /// That writes may have reached the remote is remembered until they are answered, also after a restart.
  ///
  /// - Parameter id: the ID of the writes.
  /// - Returns: whether they were removed; `false` if they were answered, or may have reached the remote.
  /// - Throws: ``StoreError``; `CancellationError`. Nothing was removed then.
  @discardableResult
  public func cancelQueuedWrite(_ id: UUID) async throws -> Bool { try await engine.cancelQueuedWrite(id) }

  /// The writes of the current user that the remote rejected, including those of earlier launches, oldest
  /// first. A transaction that throws its rejection isn't included.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public var rejectedWrites: [RejectedWrite] {
    get async throws { try await engine.rejectedWrites() }
  }

  /// A stream of the writes of the current user that the remote rejected: those of ``rejectedWrites``, then
  /// each one that is rejected, including those sent by another process of the app.
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
  public func dismissRejectedWrite(_ id: UUID) async throws { try await engine.dismissRejectedWrite(id) }

  /// Waits until the remote has answered every write that is pending now: applied or rejected it. It doesn't
  /// return while the remote can't be reached. In a local-only database no write is pending.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/cancelled`` if another user signs in while this waits,
  ///   with ``StoreError/Code/unavailable`` if no linked library provides a remote, and with the remote's
  ///   code if the remote itself has failed, for example ``StoreError/Code/dataLoss`` if its data is damaged:
  ///   the writes stay queued, and are sent when the app next writes, listens or waits; `CancellationError`.
  public func waitForPendingWrites() async throws { try await engine.waitForPendingWrites() }
}

public import TenonFoundation
public import TenonStoreInterop

/// Writes that were committed together on this device and that the remote hasn't answered yet.
///
/// A value describes the queue at the time at which ``Store/queuedWrites`` was read; it doesn't change when
/// they are sent.
public struct QueuedWrite: Sendable, Identifiable {
  /// The unique ID of the writes.
  public let id: UUID
  /// The time at which they were made, by this device's clock.
  public let time: Timestamp
  /// The writes.
  public let writes: [DocumentWrite]
  /// Whether they may have reached the remote, so that they can no longer be cancelled. `true` also while
  /// another process sends writes of the database.
  public let isSent: Bool
}

/// Writes that the remote rejected. Their effect on this device is undone; they are kept with the reason
/// until the app dismisses them.
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

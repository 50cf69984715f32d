import TenonDocuments
public import TenonFoundation
public import TenonStoreInterop
package import TenonValues

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

  /// The documents with conditional writes as users saw them when the writes were made.
  private let seen: [ResourcePath: WriteNote.SeenDocument]

  /// Creates the value that users see. The remote's code becomes the ``StoreError/Code`` with the same text.
  init(_ batch: RejectedBatch) {
    (id, time, writes) = (batch.uuid, batch.time, batch.writes)
    seen = Dictionary(
      writes.enumerated().compactMap { index, write in
        batch.content[note: index].seen.map { (write.document, $0) }
      },
      uniquingKeysWith: { first, _ in first })
    error = StoreError(.init(rawValue: batch.error.code.rawValue), batch.error.message)
  }
}

extension RejectedWrite {
  /// A document whose condition may not have held.
  package struct Conflict: Sendable {
    package let path: ResourcePath
    /// The fields that users saw before the writes; `nil` if the document didn't exist.
    package let base: Fields?
    /// The result of the writes; `nil` if the document didn't exist any more.
    package let mine: Fields?
  }

  /// The documents with conditional writes, in the order of their first writes, if the writes were rejected
  /// for a condition; empty otherwise.
  package var conflicts: [Conflict] {
    let reasons: [StoreError.Code] = [.failedPrecondition, .aborted, .alreadyExists, .notFound]
    guard reasons.contains(error.code), !seen.isEmpty else { return [] }
    var conflicts: [Conflict] = []
    for path in writes.map(\.document) where !conflicts.contains(where: { $0.path == path }) {
      guard let base = seen[path] else { continue }
      var mine = base.fields
      for write in writes where write.document == path {
        mine = (try? write.result(on: mine, at: time)) ?? nil
      }
      conflicts.append(Conflict(path: path, base: base.fields, mine: mine))
    }
    return conflicts
  }
}

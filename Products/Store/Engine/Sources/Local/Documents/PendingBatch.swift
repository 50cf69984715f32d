package import TenonFoundation
package import TenonStoreInterop
import TenonValues

/// Pending writes that were committed together, and that the remote commits atomically.
package struct PendingBatch: Sendable {
  /// The position in the queue; IDs increase across all users of the database.
  package let id: Int64
  /// The unique ID by which the remote and the app identify the batch.
  package let uuid: UUID
  /// The time at which the writes were made, by this device's clock.
  package let time: Timestamp
  /// The writes, and what belongs to them in the queue.
  let content: BatchContent

  /// The writes, in the order in which they are applied. A batch may write to a document several times.
  package var writes: [DocumentWrite] { content.writes }

  /// The written documents without duplicates, in the order of their first writes.
  var paths: [ResourcePath] {
    var seen: Set<ResourcePath> = []
    return writes.map(\.document).filter { seen.insert($0).inserted }
  }
}

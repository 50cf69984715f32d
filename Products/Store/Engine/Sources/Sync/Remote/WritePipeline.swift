import TenonDocuments
import TenonValues

/// The batches that are sent and not answered, or about to be sent, in the order of the queue.
///
/// There may be as many as the remote takes. The first ten may have any size, as in Firestore's clients;
/// further ones are added only while all of them together are small, so that a long queue doesn't fill the
/// memory.
package struct WritePipeline {
  /// The number of batches of any size.
  private static let fewest = 10
  /// The size in bytes from which on no more than ``fewest`` batches are added.
  private static let mostBytes = 4 << 20

  /// The batches.
  private(set) var batches: [PendingBatch] = []
  /// The size of each batch in bytes.
  private var sizes: [Int] = []
  /// The sum of ``sizes``.
  private var bytes = 0
  /// The maximum number of batches.
  private let depth: Int

  /// Creates an empty pipeline.
  ///
  /// - Parameter depth: the maximum number of batches, at least 1.
  init(depth: Int) { self.depth = depth }

  /// The number of batches.
  package var count: Int { batches.count }
  /// Whether there are no batches.
  var isEmpty: Bool { batches.isEmpty }
  /// The last batch; `nil` if there are none.
  var last: PendingBatch? { batches.last }
  /// Whether another batch may be added.
  var hasRoom: Bool { count < min(depth, bytes < Self.mostBytes ? depth : Self.fewest) }

  /// Returns whether a batch is in the pipeline.
  ///
  /// - Complexity: O(n)
  func contains(_ id: Int64) -> Bool { batches.contains { $0.id == id } }

  /// Adds a batch, which follows all others in the queue.
  mutating func append(_ batch: PendingBatch) {
    let size = batch.writes.reduce(0) { $0 &+ $1.size }
    batches.append(batch)
    sizes.append(size)
    bytes &+= size
  }

  /// Removes the first batch and returns it. There must be one.
  ///
  /// - Complexity: O(n)
  mutating func removeFirst() -> PendingBatch {
    bytes &-= sizes.removeFirst()
    return batches.removeFirst()
  }

  /// Removes a batch; no effect if it isn't in the pipeline.
  ///
  /// - Complexity: O(n)
  mutating func remove(_ id: Int64) {
    guard let index = batches.firstIndex(where: { $0.id == id }) else { return }
    bytes &-= sizes.remove(at: index)
    batches.remove(at: index)
  }

  /// Removes all batches.
  mutating func removeAll() { self = WritePipeline(depth: depth) }
}

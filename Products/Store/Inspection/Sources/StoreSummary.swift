package import TenonFoundation
import TenonSQLite
package import TenonStoreEngine
package import TenonValues

/// A summary of the content of a database; see ``StoreInspector/summary()``.
package struct StoreSummary: Sendable {
  /// The size of the file in bytes.
  package let fileBytes: Int64
  /// The size of the write-ahead log in bytes; 0 if there is none.
  package let logBytes: Int64
  /// The version of the file format.
  package let version: Int
  /// Whether each page has a checksum.
  package let hasChecksums: Bool
  /// Whether documents are synchronized with a remote.
  package let sharing: Sharing
  /// The user whose writes are shown; `nil` for the signed-out user.
  package let user: String?
  /// The collections with documents, the largest first.
  package let collections: [CollectionSize]
  /// Whether every field has an index.
  package let indexesEveryField: Bool
  /// The progress of building the index of every field; `nil` unless it is being built.
  package let everyFieldProgress: OperationProgress?
  /// The indexes of single fields.
  package let fieldIndexes: [IndexProgress<CompositeIndex>]
  /// The composite indexes.
  package let indexes: [IndexProgress<CompositeIndex>]
  /// The text indexes.
  package let textIndexes: [IndexProgress<TextIndex>]
  /// The queues that aren't empty, and the users with rejected writes.
  package let queues: [Queue]
  /// The pinned documents and queries, for example `The document notes/tea`.
  package let pins: [String]
  /// The IDs of the collections that exist only on this device.
  package let localCollections: [String]

  /// The pending writes of a user.
  package struct Queue: Sendable, Hashable {
    /// The user; `nil` for the signed-out user.
    package let user: String?
    /// The number of batches that the remote hasn't answered.
    package var pending: Int64 = 0
    /// When the oldest of them was made; `nil` if there are none.
    package var oldest: Timestamp?
    /// The number of batches that the remote has rejected and the app hasn't dismissed.
    package var rejected: Int64 = 0
  }
}

extension StoreInspector {
  /// Returns a summary of the content.
  ///
  /// - Complexity: O(n) in the number of documents and index entries, which are counted.
  package func summary() throws -> StoreSummary {
    let indexes = tables.indexes
    try tables.localCollections.load()
    return StoreSummary(
      fileBytes: sizes.file, logBytes: sizes.log, version: LocalSchema.migrations.count,
      hasChecksums: connection.hasChecksums, sharing: try DatabaseOpening.lastSharing(tables.globals),
      user: try tables.globals.text("user"), collections: try reader.collectionSizes(),
      indexesEveryField: indexes.fieldIndexes.everyField?.state == .complete,
      everyFieldProgress: try indexes.everyFieldProgress(), fieldIndexes: try indexes.fieldProgress(),
      indexes: try indexes.progress(), textIndexes: try indexes.textProgress(), queues: try queues(),
      pins: try tables.pins.pins().map(\.subject.description),
      localCollections: tables.localCollections.ids.sorted())
  }

  private func queues() throws -> [StoreSummary.Queue] {
    var queues: [String: StoreSummary.Queue] = [:]
    func queue(_ user: String) -> StoreSummary.Queue {
      queues[user] ?? StoreSummary.Queue(user: user.isEmpty ? nil : user)
    }
    try tables.queue.forEachLength { user, count, oldest in
      var queue = queue(user)
      (queue.pending, queue.oldest) = (count, oldest)
      queues[user] = queue
    }
    try tables.rejections.forEachCount { user, count in
      var queue = queue(user)
      queue.rejected = count
      queues[user] = queue
    }
    return queues.sorted { $0.key < $1.key }.map(\.value)
  }
}

import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The result of a garbage collection.
package struct CollectionResult: Sendable, Equatable {
  /// The number of targets that were removed.
  package var targets = 0
  /// The number of documents that were removed.
  package var documents = 0
}

/// Deletes targets and documents that nothing uses.
///
/// With eager collection, it deletes the documents that a transaction has released before that transaction commits.
/// Otherwise it deletes the least recently used ones when ``collect(percent:limit:in:)`` is called. The idea and the
/// default limits are those of the Firestore SDKs. It frees pages for later writes; the file does not become smaller.
final class GarbageCollector {
  private let reader: DatabaseReader
  private let targets: TargetTable
  private let uses: UseTable
  private let overlays: Overlays

  init(_ reader: DatabaseReader, targets: TargetTable, uses: UseTable, overlays: Overlays) {
    self.reader = reader
    self.targets = targets
    self.uses = uses
    self.overlays = overlays
  }

  /// Returns the size of the database in bytes, without free pages
  /// (https://www.sqlite.org/pragma.html#pragma_freelist_count).
  ///
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(1); SQLite keeps both numbers of pages.
  func size() throws -> Int {
    let pages = try reader.first("PRAGMA page_count") { $0.integer(0) } ?? 0
    let free = try reader.first("PRAGMA freelist_count") { $0.integer(0) } ?? 0
    let size = try reader.first("PRAGMA page_size") { $0.integer(0) } ?? 0
    // Checked: SQLite counts pages with 32 bits.
    return Int(clamping: (pages - free) * size)
  }

  /// Deletes the least recently used targets and documents, except for active targets, and documents that belong to a
  /// target, have pending writes or are shown by a view.
  ///
  /// The number to delete is a share of all candidates: targets, and documents without a target. All candidates that
  /// were last used in or before the same transaction are deleted together, including the documents that lost their
  /// target in this call, so the number may be exceeded.
  ///
  /// - Parameters:
  ///   - percent: the maximum percentage of the targets and unowned documents to delete.
  ///   - limit: the maximum number of targets and unowned documents to delete.
  ///   - transaction: the transaction.
  /// - Returns: the numbers of deleted targets and documents.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n log n) in the number of candidates, plus the cost of deleting the documents and their index
  ///   entries.
  func collect(percent: Int, limit: Int, in transaction: WriteTransaction) throws -> CollectionResult {
    let count = min(try uses.candidateCount() * percent / 100, limit)
    guard count > 0 else { return CollectionResult() }
    let bound = try uses.bound(ofOldest: count)
    var result = CollectionResult()
    for id in try targets.ids(lastUsedUpTo: bound) where targets.active(id) == nil {
      try targets.remove(id, in: transaction)
      result.targets += 1
    }
    for path in try uses.documents(lastUsedUpTo: bound) where try !uses.isReferenced(path) {
      try remove(path, in: transaction)
      result.documents += 1
    }
    return result
  }

  /// Deletes a document, its base and its last use. Pending writes do not exist, because ``UseTable/isReferenced(_:)``
  /// is false.
  private func remove(_ path: ResourcePath, in transaction: WriteTransaction) throws {
    try overlays.rebase(path, on: nil, in: transaction)
    try uses.remove(path, in: transaction)
  }
}

extension GarbageCollector: TransactionParticipant {
  /// Deletes the documents that the transaction has released.
  func transactionWillCommit(_ transaction: WriteTransaction) throws {
    for path in try uses.releaseUnviewed(in: transaction) where try !uses.isReferenced(path) {
      try remove(path, in: transaction)
    }
  }
}

import TenonSQLite
import TenonValues

/// The result of a garbage collection.
package struct CollectionResult: Sendable, Equatable {
  /// The number of targets that were removed.
  package var targets = 0
  /// The number of documents that were removed.
  package var documents = 0
}

/// Deletes targets and documents that nothing uses.
///
/// With eager collection, it deletes the documents that a transaction has released before that transaction
/// commits. Otherwise it deletes the least recently used ones when ``collect(percent:limit:in:)`` is called.
/// The idea and the default limits are those of the Firestore SDKs. It frees pages for later writes; the file
/// doesn't become smaller.
final class GarbageCollector {
  private let reader: DatabaseReader
  private let targets: TargetTable
  private let uses: UseTable
  private let overlays: Overlays
  private let pins: PinTable
  private let localCollections: LocalCollections
  /// Runs pinned queries. It is set by the database, which owns both objects.
  weak var documents: LocalReader?
  /// The documents that eager collection has kept only because of pinned queries with a limit, whose results
  /// they may leave later.
  private var kept: Set<ResourcePath> = []
  /// The value of ``kept`` after the open transaction.
  private var keptNext: Set<ResourcePath> = []

  init(
    _ reader: DatabaseReader, targets: TargetTable, uses: UseTable, overlays: Overlays, pins: PinTable,
    localCollections: LocalCollections
  ) {
    self.reader = reader
    self.targets = targets
    self.uses = uses
    self.overlays = overlays
    self.pins = pins
    self.localCollections = localCollections
  }

  // MARK: - Pins

  /// Returns the documents that pins currently keep.
  ///
  /// - Throws: as ``LocalReader``.
  func pinnedDocuments() throws -> PinnedDocuments { try PinnedDocuments(try pins.pins(), documents) }

  /// Returns the IDs of the saved targets of pinned documents and queries.
  ///
  /// - Throws: `SQLiteError`.
  func pinnedTargets() throws -> Set<Int> {
    Set(try pins.pins().compactMap { try targets.id(of: $0.target) })
  }

  // MARK: - The least recently used

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

  /// The maximum number of times that a collection looks for further candidates in place of pinned ones.
  private static let rounds = 10

  /// Deletes the least recently used targets and documents, except for active and pinned targets, and
  /// documents that belong to a target, have pending writes, are pinned or are shown by a view.
  ///
  /// The number to delete is a share of all candidates: targets, and documents without a target. All
  /// candidates that were last used in or before the same transaction are deleted together, including the
  /// documents that lost their target in this call, so the number may be exceeded. Pinned ones count as used
  /// now, so that others are the least recently used ones from then on, and are deleted in their place.
  ///
  /// - Parameters:
  ///   - percent: the maximum percentage of the targets and unowned documents to delete.
  ///   - limit: the maximum number of targets and unowned documents to delete.
  ///   - transaction: the transaction.
  /// - Returns: the numbers of deleted targets and documents.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n log n) in the number of candidates, plus the cost of deleting the documents and their
  ///   index entries.
  func collect(percent: Int, limit: Int, in transaction: WriteTransaction) throws -> CollectionResult {
    var count = min(try uses.candidateCount() * percent / 100, limit)
    var result = CollectionResult()
    guard count > 0 else { return result }
    let (pinned, keptTargets) = (try pinnedDocuments(), try pinnedTargets())
    for _ in 0..<Self.rounds {
      let bound = try uses.bound(ofOldest: count)
      var skipped = 0
      for id in try targets.ids(lastUsedUpTo: bound) where targets.active(id) == nil {
        if keptTargets.contains(id) {
          try targets.touch(id, in: transaction)
          skipped += 1
        } else {
          try targets.remove(id, in: transaction)
          result.targets += 1
        }
      }
      for path in try uses.documents(lastUsedUpTo: bound) where try !isNeeded(path) {
        if try pinned.contains(path) {
          try uses.touch(path, in: transaction)
          skipped += 1
        } else {
          try remove(path, in: transaction)
          result.documents += 1
        }
      }
      guard skipped > 0, bound < transaction.number else { break }
      count = skipped
    }
    return result
  }

  /// Returns whether a document is in use, or exists only on this device.
  private func isNeeded(_ path: ResourcePath) throws -> Bool {
    try localCollections.contains(path) || uses.isReferenced(path)
  }

  /// Deletes a document, its base and its last use. Pending writes don't exist, because
  /// ``UseTable/isReferenced(_:)`` is false.
  private func remove(_ path: ResourcePath, in transaction: WriteTransaction) throws {
    try overlays.rebase(path, on: nil, in: transaction)
    try uses.remove(path, in: transaction)
  }
}

extension GarbageCollector: TransactionParticipant {
  /// Deletes the documents that the transaction has released, except for pinned ones.
  func transactionWillCommit(_ transaction: WriteTransaction) throws {
    let released = try uses.releaseUnviewed(in: transaction)
    keptNext = kept
    let unused = try released.isEmpty ? [] : released.union(kept).filter { try !isNeeded($0) }
    guard !unused.isEmpty else { return }
    keptNext = []
    let pinned = try pinnedDocuments()
    for path in unused {
      guard try pinned.contains(path) else {
        try remove(path, in: transaction)
        continue
      }
      if try pinned.isKeptByLimit(path) { keptNext.insert(path) }
    }
  }

  func transactionCommitted() { kept = keptNext }
}

import TenonDocuments
import TenonSQLite
import TenonValues

/// The table `uses`: the number of the transaction in which each document was last used, for garbage
/// collection of the least recently used ones.
///
/// A use is recorded when a target gains or loses the document, the remote sends a new state of it, a pending
/// write to it is resolved, or a view stops showing it. Reading a document isn't a use.
///
/// Documents shown by views are in use; they are counted in memory. If documents are collected eagerly, the
/// table stays empty; the documents that a transaction releases are then collected in memory until it
/// commits.
final class UseTable {
  private let reader: DatabaseReader
  private let collections: CollectionTable
  private let collection: StoreSettings.GarbageCollection
  /// The number of views that show each document.
  private var viewCounts: [ResourcePath: Int] = [:]
  /// The documents that views have stopped showing since the last transaction.
  private var unviewed: Set<ResourcePath> = []
  /// The documents that the open transaction has released; used for eager collection only.
  private var released: Set<ResourcePath> = []

  init(
    _ reader: DatabaseReader, collections: CollectionTable, collection: StoreSettings.GarbageCollection
  ) {
    self.reader = reader
    self.collections = collections
    self.collection = collection
  }

  /// Whether documents are deleted at the end of the transaction that releases them.
  var collectsEagerly: Bool { if case .eager = collection { true } else { false } }

  // MARK: - Views

  /// Counts the views that show documents, which aren't collected while shown. The effect on the table is
  /// deferred until the next transaction.
  ///
  /// - Parameter change: the documents that a view has started and stopped showing. A document must not be
  ///   removed more often than it was added.
  func count(_ change: LocalViewChange) {
    for path in change.added { viewCounts[path, default: 0] += 1 }
    for path in change.removed {
      let count = (viewCounts[path] ?? 0) - 1
      viewCounts[path] = count > 0 ? count : nil
      if count <= 0 { unviewed.insert(path) }
    }
  }

  /// Returns whether a view shows a document.
  func isViewed(_ path: ResourcePath) -> Bool { viewCounts[path] != nil }

  /// Whether views have stopped showing documents since the last transaction.
  var hasUnviewedDocuments: Bool { !unviewed.isEmpty }

  // MARK: - Uses

  /// Records the use of a document that gained or lost a reference; for eager collection, releases it.
  ///
  /// - Throws: `SQLiteError`.
  func touch(_ path: ResourcePath, in transaction: WriteTransaction) throws {
    switch collection {
    case .eager: released.insert(path)
    case .leastRecentlyUsed:
      try transaction.run(
        "INSERT OR REPLACE INTO uses (collection, name, sequence) VALUES (?, ?, ?)",
        [
          .integer(try collections.number(containing: path, in: transaction)), .text(path.id),
          .integer(transaction.number),
        ])
    }
  }

  /// Releases documents at the end of the open transaction; no effect unless documents are collected eagerly.
  func release(_ paths: some Sequence<ResourcePath>) {
    if collectsEagerly { released.formUnion(paths) }
  }

  /// Records the use of the documents that views have stopped showing, and returns those that the transaction
  /// has released; an empty set unless documents are collected eagerly. Called once per transaction, before
  /// it commits.
  ///
  /// - Throws: `SQLiteError`.
  func releaseUnviewed(in transaction: WriteTransaction) throws -> Set<ResourcePath> {
    for path in unviewed { try touch(path, in: transaction) }
    defer { released = [] }
    return released
  }

  /// Deletes the last use of a document that is being deleted.
  func remove(_ path: ResourcePath, in transaction: WriteTransaction) throws {
    try transaction.run(
      "DELETE FROM uses WHERE collection = ? AND name = ?",
      [.integer(try collections.number(containing: path, in: transaction)), .text(path.id)])
  }

  /// Deletes all last uses.
  func removeAll(in transaction: WriteTransaction) throws { try transaction.run("DELETE FROM uses") }

  // MARK: - The least recently used

  /// Documents that belong to no target, with their last use.
  private static let unowned = """
    FROM uses u WHERE NOT EXISTS \
    (SELECT 1 FROM target_documents t WHERE t.collection = u.collection AND t.name = u.name)
    """
  private static let candidates = "SELECT sequence FROM targets UNION ALL SELECT u.sequence \(unowned)"

  /// Returns the number of targets plus the number of documents that belong to no target.
  ///
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n log n) in the number of targets and of documents with a recorded use; each document is
  ///   looked up in the lists of the targets.
  func candidateCount() throws -> Int {
    Int(clamping: try reader.first("SELECT count(*) FROM (\(Self.candidates))") { $0.integer(0) } ?? 0)
  }

  /// Returns the number of the transaction in which the newest of the `count` least recently used candidates
  /// was used; 0 if there are fewer. Other candidates may have been used in the same transaction.
  ///
  /// - Parameter count: a positive number.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n log n), as ``candidateCount()``.
  func bound(ofOldest count: Int) throws -> Int64 {
    try reader.first(
      "SELECT sequence FROM (\(Self.candidates)) ORDER BY sequence LIMIT 1 OFFSET ?",
      [.integer(count - 1)]
    ) { $0.integer(0) } ?? 0
  }

  /// Returns the documents without a target that were last used in or before a transaction.
  ///
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n log n) in the number of documents with such a use.
  func documents(lastUsedUpTo bound: Int64) throws -> [ResourcePath] {
    try reader.rows(
      """
      SELECT u.collection, u.name FROM uses u WHERE u.sequence <= ? AND NOT EXISTS \
      (SELECT 1 FROM target_documents t WHERE t.collection = u.collection AND t.name = u.name)
      """, [.integer(bound)]
    ) { try collections.path(of: $0.integer(0)).appending($0.text(1)) }
  }

  /// Returns whether a target, a pending write of any user, or a view of this process uses a document.
  ///
  /// - Throws: `SQLiteError`.
  func isReferenced(_ path: ResourcePath) throws -> Bool {
    if isViewed(path) { return true }
    guard let collection = try collections.number(containing: path) else { return false }
    return try reader.hasRow(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM target_documents WHERE collection = ?1 AND name = ?2) \
      OR EXISTS (SELECT 1 FROM batch_documents WHERE collection = ?1 AND name = ?2)
      """, [.integer(collection), .text(path.id)])
  }
}

extension UseTable: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) { released = [] }
  func transactionCommitted() { unviewed = [] }
  func transactionRolledBack() { released = [] }
}

/// The documents that a view has started or stopped showing. Reads of documents count as views as well until
/// they end.
package struct LocalViewChange: Sendable {
  /// The ID of the view's target; 0 if it has none.
  let target: Int
  /// Whether the view may be incomplete. Otherwise its target has a complete result.
  let isFromCache: Bool
  /// The documents that the view has started to show.
  var added: [ResourcePath] = []
  /// The documents that it has stopped showing.
  var removed: [ResourcePath] = []
}

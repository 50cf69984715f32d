import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// When documents were last used, in transactions, in the table `uses`: documents that nothing has used for long are collected.
///
/// Documents that views show are in use; they are counted in memory.
final class UseTable {
  private let reader: DatabaseReader
  private let collections: CollectionTable
  private let collection: StoreSettings.GarbageCollection
  /// The number of views that show a document.
  private var viewCounts: [ResourcePath: Int] = [:]
  /// The documents that views have ceased to show since the last transaction.
  private var unviewed: Set<ResourcePath> = []
  /// The documents that the open transaction has released, if documents are collected eagerly.
  private var released: Set<ResourcePath> = []

  init(
    _ reader: DatabaseReader, collections: CollectionTable, collection: StoreSettings.GarbageCollection
  ) {
    self.reader = reader
    self.collections = collections
    self.collection = collection
  }

  /// Whether documents are collected at the end of the transaction that releases them.
  var collectsEagerly: Bool { if case .eager = collection { true } else { false } }

  // MARK: - Views

  /// Counts the views that show documents, which aren't collected meanwhile.
  func count(_ change: LocalViewChange) {
    for path in change.added { viewCounts[path, default: 0] += 1 }
    for path in change.removed {
      let count = (viewCounts[path] ?? 0) - 1
      viewCounts[path] = count > 0 ? count : nil
      if count <= 0 { unviewed.insert(path) }
    }
  }

  func isViewed(_ path: ResourcePath) -> Bool { viewCounts[path] != nil }

  /// Whether the next transaction has documents to release.
  var hasUnviewedDocuments: Bool { !unviewed.isEmpty }

  // MARK: - Uses

  /// Dates a document that has gained or lost a reference.
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

  /// Releases documents at the end of the open transaction, if documents are collected eagerly.
  func release(_ paths: some Sequence<ResourcePath>) {
    if collectsEagerly { released.formUnion(paths) }
  }

  /// Dates the documents that views have ceased to show, and returns those that the transaction has released.
  func releaseUnviewed(in transaction: WriteTransaction) throws -> Set<ResourcePath> {
    for path in unviewed { try touch(path, in: transaction) }
    defer { released = [] }
    return released
  }

  func remove(_ path: ResourcePath, in transaction: WriteTransaction) throws {
    try transaction.run(
      "DELETE FROM uses WHERE collection = ? AND name = ?",
      [.integer(try collections.number(containing: path, in: transaction)), .text(path.id)])
  }

  func removeAll(in transaction: WriteTransaction) throws { try transaction.run("DELETE FROM uses") }

  // MARK: - The least recently used

  /// Documents without a target, by when they were last used.
  private static let unowned = """
    FROM uses u WHERE NOT EXISTS \
    (SELECT 1 FROM target_documents t WHERE t.collection = u.collection AND t.name = u.name)
    """
  private static let candidates = "SELECT sequence FROM targets UNION ALL SELECT u.sequence \(unowned)"

  /// Returns the number of targets and of documents without a target.
  func candidateCount() throws -> Int {
    Int(try reader.first("SELECT count(*) FROM (\(Self.candidates))") { $0.integer(0) } ?? 0)
  }

  /// Returns the number of the transaction in which the last of the `count` least recently used candidates was used.
  func bound(ofOldest count: Int) throws -> Int64 {
    try reader.first(
      "SELECT sequence FROM (\(Self.candidates)) ORDER BY sequence LIMIT 1 OFFSET ?",
      [.integer(Int64(count - 1))]
    ) { $0.integer(0) } ?? 0
  }

  /// Returns the documents without a target that were last used up to a transaction.
  func documents(lastUsedUpTo bound: Int64) throws -> [ResourcePath] {
    try reader.rows(
      """
      SELECT u.collection, u.name FROM uses u WHERE u.sequence <= ? AND NOT EXISTS \
      (SELECT 1 FROM target_documents t WHERE t.collection = u.collection AND t.name = u.name)
      """, [.integer(bound)]
    ) { try collections.path(of: $0.integer(0)).appending($0.text(1)) }
  }

  /// Returns whether a target, a pending write or a view needs a document.
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

/// The change of what a view shows.
package struct LocalViewChange: Sendable {
  let target: Int
  let isFromCache: Bool
  var added: [ResourcePath] = []
  var removed: [ResourcePath] = []
}

import TenonDocuments
import TenonSQLite
import TenonValues

/// The table `local_collections`: the IDs of the collections that exist only on this device; see
/// ``StoreSettings/localCollections``.
///
/// Their documents have no base, no pending writes and no use, and belong to no target. The IDs are cached.
/// The generation of ``IndexTable`` detects changes by other processes, because a declaration increments it.
package final class LocalCollections {
  /// The declaration contradicts the documents of the database.
  struct Conflict: Error {
    /// The ID of the collection.
    let id: String
  }

  private let reader: DatabaseReader
  private let indexes: IndexTable
  /// The IDs, as of the transaction opened last.
  package private(set) var ids: Set<String> = []
  /// The generation with which ``ids`` was read; `nil` if it must be read again.
  private var generation: Int64?
  /// The IDs before the open transaction, which a rollback restores; `nil` if no transaction is open.
  private var saved: Set<String>?
  /// The IDs that were reported last.
  private var reported: Set<String> = []
  /// Called when the IDs have changed, also by another process.
  var onChange: (Set<String>) -> Void = { _ in }

  init(_ reader: DatabaseReader, indexes: IndexTable) {
    self.reader = reader
    self.indexes = indexes
  }

  /// Returns whether a document belongs to one of the collections.
  func contains(_ document: ResourcePath) -> Bool {
    guard !ids.isEmpty, let collection = document.segments.dropLast().last else { return false }
    return ids.contains(bytesOf: collection)
  }

  /// Reads the IDs. Transactions do so by themselves when they have changed.
  ///
  /// - Throws: `SQLiteError`.
  package func load() throws {
    ids = try read()
    report()
  }

  private func read() throws -> Set<String> {
    Set(try reader.rows("SELECT collection_id FROM local_collections") { $0.text(0) })
  }

  private func report() {
    guard !ids.areEqual(bytesOf: reported) else { return }
    reported = ids
    onChange(ids)
  }

  /// Replaces the declared collections.
  ///
  /// A new one must not contain anything that comes from the remote or is to be sent to it, except for the
  /// knowledge that documents don't exist, which is deleted. One that is no longer declared must not contain
  /// documents, which would then be neither final nor known to the remote.
  ///
  /// - Parameters:
  ///   - declared: all IDs from now on, which have been checked.
  ///   - isShared: whether documents may come from the remote; `false` for a database that was local-only
  ///     until now.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` and a ``Conflict``; `SQLiteError`.
  func declare(_ declared: Set<String>, isShared: Bool, in transaction: WriteTransaction) throws {
    guard !declared.areEqual(bytesOf: ids) else { return }
    for id in ids.filter({ !declared.contains(bytesOf: $0) }).sorted() where try has("documents", in: id) {
      throw StoreError(
        .failedPrecondition,
        "The collection \"\(id)\" has documents that exist only on this device, so StoreSettings.localCollections must "
          + "contain it. Delete its documents before, or copy them to another collection.",
        underlying: Conflict(id: id))
    }
    for id in declared.filter({ !ids.contains(bytesOf: $0) }).sorted() where isShared {
      guard try !has("documents", in: id), try !has("batch_documents", in: id) else {
        throw StoreError(
          .failedPrecondition,
          "The collection \"\(id)\" can't be one that exists only on this device: it has documents of the remote or "
            + "pending writes. Open the database without it in StoreSettings.localCollections, wait for the writes with "
            + "waitForPendingWrites(), and remove the documents from this device with "
            + "collectionGroup(\"\(id)\").evict().",
          underlying: Conflict(id: id))
      }
      try transaction.run(
        """
        DELETE FROM targets WHERE id IN (SELECT t.target FROM collections c JOIN target_documents t \
        ON t.collection = c.id WHERE c.collection_id = ?)
        """, [.text(id)])
      for table in ["bases", "uses", "target_documents"] {
        try transaction.run(
          "DELETE FROM \(table) WHERE collection IN (SELECT id FROM collections WHERE collection_id = ?)",
          [.text(id)])
      }
    }
    try transaction.run("DELETE FROM local_collections")
    for id in declared {
      try transaction.run("INSERT INTO local_collections (collection_id) VALUES (?)", [.text(id)])
    }
    ids = declared
    try indexes.declarationsChanged(in: transaction)
  }

  /// Returns whether a table has a row for a collection with an ID.
  private func has(_ table: String, in id: String) throws -> Bool {
    try reader.hasRow(
      "SELECT 1 FROM collections c JOIN \(table) t ON t.collection = c.id WHERE c.collection_id = ? LIMIT 1",
      [.text(id)])
  }

  // MARK: - Writes

  /// Returns whether writes concern only collections that exist on this device, so that they are final.
  ///
  /// - Returns: `false` also if there are no writes.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if they also concern others.
  func containsAll(_ writes: [DocumentWrite]) throws -> Bool {
    guard !ids.isEmpty, let local = writes.first(where: { contains($0.document) }) else { return false }
    guard let other = writes.first(where: { !contains($0.document) }) else { return true }
    throw StoreError(
      .invalidArgument,
      "\(local.document.text) exists only on this device, and \(other.document.text) is synchronized with the remote, "
        + "so they can't be written together. Write them in two batches or transactions.")
  }

  /// Checks, within the transaction that makes writes, that another process hasn't changed the collections
  /// since it was decided whether the writes are final.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/aborted``.
  func check(_ writes: some Sequence<DocumentWrite>, areFinal: Bool) throws {
    guard areFinal || !ids.isEmpty, writes.contains(where: { contains($0.document) != areFinal }) else {
      return
    }
    throw StoreError(
      .aborted,
      "Another process has changed which collections exist only on this device. Nothing was written; try again."
    )
  }
}

extension LocalCollections: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws {
    if state.indexGeneration != generation {
      ids = try read()
      generation = state.indexGeneration
    }
    saved = ids
  }

  func transactionCommitted() {
    saved = nil
    report()
  }

  func transactionRolledBack() {
    if let saved { ids = saved }
    (saved, generation) = (nil, nil)
    report()
  }
}

extension Set<String> {
  /// Returns whether the set contains an ID with the same UTF-8 bytes, as Firestore compares IDs. Swift's
  /// `==` treats canonically equivalent strings as equal.
  package func contains(bytesOf id: String) -> Bool {
    firstIndex(of: id).map { UTF8Text.areEqual(self[$0], id) } ?? false
  }

  /// Returns whether both sets contain IDs with the same UTF-8 bytes.
  func areEqual(bytesOf other: Set<String>) -> Bool {
    count == other.count && allSatisfy { other.contains(bytesOf: $0) }
  }
}

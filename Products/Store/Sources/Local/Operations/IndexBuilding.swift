import TenonDocuments
import TenonSQLite
import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Declares composite indexes, and builds them incrementally.
///
/// Documents are indexed in the order of collection numbers and keys. Because collections receive increasing numbers, a
/// collection that is created during the building is reached as well, and writes add their own documents. An index
/// becomes complete in the transaction that finds no further collection with its ID.
///
/// Several processes may build at the same time. Each step reads the stored position in its transaction, so that they
/// share the work.
struct IndexBuilding {
  let transactions: Transactions
  let indexes: IndexTable
  let documents: DocumentTable
  let collections: CollectionTable

  /// Replaces the declared indexes. New ones are built by ``step(limit:)``; dropped ones are no longer used by queries.
  ///
  /// - Parameter definitions: all indexes from now on; an empty array drops all of them.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if an index is invalid; `SQLiteError`.
  func declare(_ definitions: [CompositeIndex]) throws {
    for index in definitions { try index.check() }
    // Usually the declarations are unchanged, and reading them takes no write lock.
    try transactions.read {}
    guard Set(indexes.declared.map(\.definition)) != Set(definitions) else { return }
    try transactions.write { try indexes.declare(definitions, in: $0) }
  }

  /// Returns the composite indexes and the progress of building them.
  ///
  /// - Throws: `SQLiteError`.
  func progress() throws -> [IndexProgress] { try transactions.read { try indexes.progress() } }

  /// Performs one step of building an index, or of deleting a dropped one, in its own transaction.
  ///
  /// The transaction also saves the position up to which the index is built, so that the next step continues there
  /// after a crash. Indexes are built before the entries of dropped ones are deleted.
  ///
  /// - Parameter limit: the maximum number of documents per step, because other writers wait in the meantime; four
  ///   times as many entries of a dropped index.
  /// - Returns: whether there is more to do.
  /// - Throws: `SQLiteError`; ``StoreError`` with ``StoreError/Code/dataLoss`` if a document cannot be decoded.
  func step(limit: Int = 500) throws -> Bool {
    // Usually there is nothing to do, and checking takes no write lock.
    guard try indexes.hasWork() else { return false }
    return try transactions.write { transaction in
      if let index = indexes.building {
        try build(index, limit: limit, in: transaction)
      } else {
        try indexes.removeDroppedEntries(limit: limit * 4, in: transaction)
      }
      return try indexes.hasWork()
    }
  }

  /// Indexes up to `limit` documents, and saves the position.
  private func build(_ index: DeclaredIndex, limit: Int, in transaction: WriteTransaction) throws {
    var position = try indexes.position(of: index)
    var left = limit
    var isComplete = false
    while left > 0 {
      if position.collection != 0 {
        let collection = position.collection
        try documents.forEach(in: collection, after: position.key, limit: left) { document, id, key in
          try indexes.insert(
            document.fields, at: document.path, collection: collection, document: id, into: index,
            in: transaction)
          position.key = key
          position.documents += 1
          left -= 1
        }
      }
      guard left > 0 else { break }
      guard
        let next = try collections.next(after: position.collection, id: index.definition.collectionID)
      else {
        isComplete = true
        break
      }
      (position.collection, position.key) = (next, Data())
      // Empty collections count as well, which limits the step.
      left -= 1
    }
    try indexes.save(position, of: index, isComplete: isComplete, in: transaction)
  }
}

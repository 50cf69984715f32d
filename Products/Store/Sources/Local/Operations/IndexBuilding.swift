import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Declares indexes, and builds them step by step.
struct IndexBuilding {
  let transactions: Transactions
  let indexes: IndexTable
  let documents: DocumentTable
  let collections: CollectionTable

  /// Makes these the declared indexes. New ones are built by ``step(limit:)``; the others serve no query from now on.
  func declare(_ definitions: [CompositeIndex]) throws {
    for index in definitions { try index.check() }
    // Usually nothing has changed, which takes no lock.
    try transactions.read {}
    guard Set(indexes.declared.map(\.definition)) != Set(definitions) else { return }
    try transactions.write { try indexes.declare(definitions, in: $0) }
  }

  /// Returns the declared indexes, and how far they are built.
  func progress() throws -> [IndexProgress] { try transactions.read { try indexes.progress() } }

  /// Does one step of building a declared index, or of removing a dropped one, in a transaction of its own.
  ///
  /// The transaction also saves how far the index is built, so that the next step continues there after a crash.
  ///
  /// - Parameter limit: the number of documents at most, because other writers wait meanwhile.
  /// - Returns: whether there is more to do.
  func step(limit: Int = 500) throws -> Bool {
    // Usually there is nothing to do, which takes no lock.
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
      // Collections without documents count as well.
      left -= 1
    }
    try indexes.save(position, of: index, isComplete: isComplete, in: transaction)
  }
}

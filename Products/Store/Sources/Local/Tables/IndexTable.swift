import TenonDocuments
import TenonJSON
import TenonSQLite
import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tables `indexes` and `index_entries`: the composite indexes and their entries.
///
/// A row of `indexes` contains the definition as JSON with sorted keys, the collection ID, the raw value of
/// ``DeclaredIndex/State``, the position up to which the index is built, the number of documents indexed so far, and
/// the number of documents in its collections when it was declared. The format of an entry is described at
/// ``DeclaredIndex``.
///
/// An index contains every document once it is complete, because writes maintain it from the transaction that declares
/// it on, and ``IndexBuilding`` adds the documents that existed before. A document that both add has one entry per
/// value, because an insertion replaces an equal entry.
///
/// The declarations are cached. The generation, a number in the table `globals`, detects changes by other processes.
final class IndexTable {
  private let reader: DatabaseReader
  private let globals: GlobalTable
  /// The composite indexes that are not dropped, as of the transaction opened last.
  private(set) var declared: [DeclaredIndex] = []
  /// The generation of the declarations with which ``declared`` was read; -1 if it must be read again.
  private var generation: Int64 = 0

  init(_ reader: DatabaseReader, globals: GlobalTable) {
    self.reader = reader
    self.globals = globals
  }

  /// The indexes that contain every document.
  var complete: [DeclaredIndex] { declared.filter { $0.state == .complete } }

  // MARK: - Declarations

  /// Reads the declarations again if another process has declared, built or dropped an index. Called in each
  /// transaction, so that everything in it uses the same indexes.
  ///
  /// - Throws: `DecodingError` if a definition cannot be decoded; `SQLiteError`.
  func refresh() throws {
    let generation = try reader.first("SELECT value FROM globals WHERE name = 'indexes'") { $0.integer(0) }
    try refresh(generation ?? 0)
  }

  /// Reads the declarations again unless they are those of a generation.
  private func refresh(_ generation: Int64) throws {
    guard generation != self.generation else { return }
    declared = try reader.rows(
      "SELECT id, definition, state FROM indexes WHERE state <> ? ORDER BY id",
      [.integer(DeclaredIndex.State.dropped.rawValue)]
    ) { row in
      DeclaredIndex(
        number: row.integer(0), definition: try JSON.decode(CompositeIndex.self, from: row.blob(1)),
        state: DeclaredIndex.State(rawValue: row.integer(2)) ?? .building)
    }
    self.generation = generation
  }

  /// Increments the generation, so that all processes read the declarations again.
  private func declarationsChanged(in transaction: WriteTransaction) throws {
    let generation = try globals.counter("indexes") + 1
    try globals.set("indexes", .integer(generation), in: transaction)
    try refresh(generation)
  }

  /// Replaces the declared indexes. New ones are empty and must be built; dropped ones are no longer used by queries, and their
  /// entries are deleted later.
  /// An index that is declared already keeps its entries, and its progress.
  ///
  /// - Parameters:
  ///   - definitions: all indexes from now on, which have been checked; duplicates have no effect.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of documents in the collections of each new index, which are counted.
  func declare(_ definitions: [CompositeIndex], in transaction: WriteTransaction) throws {
    for index in declared where !definitions.contains(index.definition) {
      try transaction.run(
        "UPDATE indexes SET state = ? WHERE id = ?",
        [.integer(DeclaredIndex.State.dropped.rawValue), .integer(index.number)])
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var added = Set(declared.map(\.definition))
    for index in definitions where added.insert(index).inserted {
      let total = try reader.first(
        """
        SELECT count(*) FROM collections c CROSS JOIN documents d ON d.collection = c.id WHERE c.collection_id = ?
        """, [.text(index.collectionID)]
      ) { $0.integer(0) }
      try transaction.run(
        """
        INSERT INTO indexes (definition, collection_id, state, collection, key, documents, total) \
        VALUES (?, ?, ?, 0, x'', 0, ?)
        """,
        [
          .blob(try encoder.encode(index)), .text(index.collectionID),
          .integer(DeclaredIndex.State.building.rawValue), .integer(total ?? 0),
        ])
    }
    try declarationsChanged(in: transaction)
  }

  /// Returns the composite indexes and the progress of building them, in the order in which they were declared.
  ///
  /// - Throws: `SQLiteError`.
  func progress() throws -> [IndexProgress] {
    try declared.compactMap { index in
      try reader.first("SELECT documents, total FROM indexes WHERE id = ?", [.integer(index.number)]) {
        IndexProgress(
          index: index.definition, isComplete: index.state == .complete,
          documents: Int(clamping: $0.integer(0)),
          total: Int(clamping: $0.integer(1)))
      }
    }
  }

  // MARK: - Entries

  /// Updates the composite indexes for a change of a document: those that are complete and those that are being built.
  ///
  /// - Parameters:
  ///   - old: the fields before the change; `nil` if the document is inserted.
  ///   - new: the fields after the change; `nil` if the document is deleted.
  ///   - path: the document.
  ///   - collection: the number of its collection.
  ///   - document: its row ID.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of indexes, plus one statement for each entry that changes.
  func update(
    from old: Fields?, to new: Fields?, at path: ResourcePath, collection: Int64, document: Int64,
    in transaction: WriteTransaction
  ) throws {
    guard !declared.isEmpty, let parent = path.parent else { return }
    for index in declared where index.definition.concerns(parent) {
      let before = old.map(index.values) ?? []
      let after = new.map(index.values) ?? []
      guard before != after else { continue }
      let key = index.key(of: path)
      for value in before.subtracting(after) {
        try transaction.run(
          "DELETE FROM index_entries WHERE idx = ? AND collection = ? AND value = ? AND key = ?",
          [.integer(index.number), .integer(index.collection(collection)), .blob(value), .blob(key)])
      }
      for value in after.subtracting(before) {
        try insert(value, key, into: index, collection: collection, document: document, in: transaction)
      }
    }
  }

  /// Inserts the entries of a document that existed before the index was declared. If a write has inserted them since,
  /// they are replaced by equal ones.
  ///
  /// - Throws: `SQLiteError`.
  func insert(
    _ fields: Fields, at path: ResourcePath, collection: Int64, document: Int64, into index: DeclaredIndex,
    in transaction: WriteTransaction
  ) throws {
    for value in index.values(of: fields) {
      try insert(
        value, index.key(of: path), into: index, collection: collection, document: document, in: transaction)
    }
  }

  /// Inserts one entry.
  private func insert(
    _ value: Data, _ key: Data, into index: DeclaredIndex, collection: Int64, document: Int64,
    in transaction: WriteTransaction
  ) throws {
    try transaction.run(
      "INSERT OR REPLACE INTO index_entries (idx, collection, value, key, document) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(index.number), .integer(index.collection(collection)), .blob(value), .blob(key),
        .integer(document),
      ])
  }

  // MARK: - Building

  /// The progress of building an index: the last indexed document, by collection number and key, and the number of
  /// documents so far. Documents up to the position are indexed; those beyond it are only if they were written since
  /// the index was declared.
  struct Position {
    /// The number of the collection that is being indexed; 0 before the first one.
    var collection: Int64 = 0
    /// The key of the last indexed document; empty before the first one of the collection.
    var key = Data()
    /// The number of documents that building has visited, for progress reports.
    var documents = 0
  }

  /// Returns whether an index must be built, or entries of a dropped index must be deleted.
  ///
  /// - Throws: `SQLiteError`.
  func hasWork() throws -> Bool {
    try reader.hasRow(
      "SELECT 1 FROM indexes WHERE state <> ?", [.integer(DeclaredIndex.State.complete.rawValue)])
  }

  /// The first index that must be built; `nil` if there is none.
  var building: DeclaredIndex? { declared.first { $0.state == .building } }

  /// Returns the position up to which an index has been built; the start if the index no longer exists.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the number of documents is damaged; `SQLiteError`.
  func position(of index: DeclaredIndex) throws -> Position {
    try reader.first(
      "SELECT collection, key, documents FROM indexes WHERE id = ?", [.integer(index.number)]
    ) {
      Position(
        collection: $0.integer(0), key: $0.blob(1),
        documents: Int(clamping: try GlobalTable.counter($0.integer(2), "documents", in: reader.path)))
    } ?? Position()
  }

  /// Saves the position up to which an index has been built.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - index: the index.
  ///   - isComplete: whether all documents are indexed, so that queries use the index from now on.
  ///   - transaction: the transaction that has inserted the entries up to the position.
  /// - Throws: `SQLiteError`.
  func save(
    _ position: Position, of index: DeclaredIndex, isComplete: Bool, in transaction: WriteTransaction
  ) throws {
    let state: DeclaredIndex.State = isComplete ? .complete : .building
    try transaction.run(
      "UPDATE indexes SET state = ?, collection = ?, key = ?, documents = ? WHERE id = ?",
      [
        .integer(state.rawValue), .integer(position.collection), .blob(position.key),
        .integer(position.documents), .integer(index.number),
      ])
    if isComplete { try declarationsChanged(in: transaction) }
  }

  /// Deletes up to `limit` entries of a dropped index, and the index itself after its last entries. It has no effect if
  /// there is no dropped index.
  ///
  /// - Throws: `SQLiteError`.
  func removeDroppedEntries(limit: Int, in transaction: WriteTransaction) throws {
    let dropped = try reader.first(
      "SELECT id FROM indexes WHERE state = ? LIMIT 1", [.integer(DeclaredIndex.State.dropped.rawValue)]
    ) { $0.integer(0) }
    guard let dropped else { return }
    try transaction.run(
      """
      DELETE FROM index_entries WHERE (idx, collection, value, key) IN \
      (SELECT idx, collection, value, key FROM index_entries WHERE idx = ? LIMIT ?)
      """, [.integer(dropped), .integer(limit)])
    if transaction.changedRows < limit {
      try transaction.run("DELETE FROM indexes WHERE id = ?", [.integer(dropped)])
    }
  }
}

extension IndexTable: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) throws {
    try refresh(state.indexGeneration)
  }

  /// Discards the declarations, which the transaction may have changed; the next transaction reads them again.
  func transactionRolledBack() { generation = -1 }
}

import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonSQLite
package import TenonValues

/// The tables `indexes` and `index_entries`: the composite indexes with their entries, and which fields have
/// a separate index, whose entries are in ``EntryTable``.
///
/// A row of `indexes` contains the definition as JSON with sorted keys, the collection ID, the raw value of
/// ``DeclaredIndex/State``, the position up to which the index is built, the number of documents indexed so
/// far, and the number of documents in its collections when it was declared; `kind` is 0 for a composite
/// index and the raw value of ``FieldIndex/Origin`` for others, and `used` is the last recorded use of an
/// automatic index. The format of an entry is described at ``DeclaredIndex``.
///
/// An index contains every document once it is complete, because writes maintain it from the transaction that
/// declares it on, and ``IndexBuilding`` adds the documents that existed before. A document that both add has
/// one entry per value, because an insertion replaces an equal entry.
///
/// The declarations are cached. The generation, a number in the table `globals`, detects changes by other
/// processes.
package final class IndexTable {
  let reader: DatabaseReader
  private let globals: GlobalTable
  let fieldTable: FieldTable
  private let collections: CollectionTable
  /// The composite indexes that aren't dropped, as of the transaction opened last.
  private(set) var declared: [DeclaredIndex] = []
  /// The indexes of single fields, as of the transaction opened last.
  package var fieldIndexes = FieldIndexes()
  /// The text indexes by the ID of their collections, as of the transaction opened last.
  package private(set) var textIndexes: [ResourcePath: StoredTextIndex] = [:]
  /// The entries that are maintained, by collection number; computed when they are first needed.
  private var policies: [Int64: FieldPolicy] = [:]
  /// The generation of the declarations with which ``declared`` was read; `nil` if it must be read again.
  private var generation: Int64?
  /// Changes when declarations have been read again.
  private(set) var revision = 0

  init(
    _ reader: DatabaseReader, globals: GlobalTable, fields: FieldTable, collections: CollectionTable
  ) {
    self.reader = reader
    self.globals = globals
    fieldTable = fields
    self.collections = collections
  }

  /// The indexes that contain every document.
  package var complete: [DeclaredIndex] { declared.filter { $0.state == .complete } }

  // MARK: - Declarations

  /// Reads the declarations again if another process has registered, built or dropped an index. Called in
  /// each transaction, so that everything in it uses the same indexes.
  ///
  /// - Throws: `DecodingError` if a definition can't be decoded; `SQLiteError`.
  func refresh() throws {
    let generation = try reader.first("SELECT value FROM globals WHERE name = 'indexes'") { $0.integer(0) }
    try refresh(generation ?? 0)
  }

  /// Reads the declarations again unless they are those of a generation.
  private func refresh(_ generation: Int64) throws {
    guard generation != self.generation else { return }
    collections.forget()
    var (composite, fields): ([DeclaredIndex], FieldIndexes) = ([], FieldIndexes())
    var texts: [ResourcePath: StoredTextIndex] = [:]
    let dropped = try collections.droppedIDs()
    try reader.forEachRow("SELECT id, definition, state, kind, used FROM indexes ORDER BY id") { row in
      let (number, kind) = (row.integer(0), row.integer(3))
      let state = DeclaredIndex.State(rawValue: row.integer(2)) ?? .building
      guard let origin = FieldIndex.Origin(rawValue: kind) else {
        if kind == 0, state != .dropped {
          let definition = try JSON.decode(CompositeIndex.self, from: row.blob(1))
          composite.append(
            DeclaredIndex(
              number: number, definition: definition, state: state,
              hidesDropped: definition.scope == .collectionGroup
                && dropped.contains(ResourcePath(segments: [definition.collectionID]))))
        } else if kind == StoredTextIndex.kind,
          let index = try StoredTextIndex(number: number, definition: row.blob(1), state: state)
        {
          texts[ResourcePath(segments: [index.definition.collectionID])] = index
        }
        return true
      }
      if origin == .everyField {
        fields.setEveryField(number, state)
      } else {
        let definition = try JSON.decode(CompositeIndex.self, from: row.blob(1))
        if let index = try fieldIndex(number, definition, origin, state, used: row.integer(4)) {
          fields.add(index)
        }
      }
      return true
    }
    (declared, fieldIndexes, textIndexes, policies) = (composite, fields, texts, [:])
    self.generation = generation
    revision &+= 1
  }

  /// Returns the index of a field with a row; `nil` if the row or the field's number is damaged.
  private func fieldIndex(
    _ number: Int64, _ definition: CompositeIndex, _ origin: FieldIndex.Origin, _ state: DeclaredIndex.State,
    used: Int64
  ) throws -> FieldIndex? {
    guard let field = definition.fields.first, let path = try fieldTable.number(of: field.path) else {
      return nil
    }
    let kind: EntryTable.Kind = field.kind == .contains ? .element : .value
    return FieldIndex(
      number: number, key: FieldIndexKey(definition.collectionID, field.path, kind),
      column: EntryTable.field(path, kind), origin: origin, state: state, used: used)
  }

  /// Returns which fields of the documents of a collection have entries.
  ///
  /// - Parameter collection: the number of the collection.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(1) once it was determined, until an index changes.
  func policy(of collection: Int64) throws -> FieldPolicy {
    if let policy = policies[collection] { return policy }
    let path = try collections.path(of: collection)
    let policy = fieldIndexes.policy(ResourcePath(segments: path.segments.suffix(1)))
    policies[collection] = policy
    return policy
  }

  /// Increments the generation, so that all processes read the declarations again.
  func declarationsChanged(in transaction: WriteTransaction) throws {
    let generation = try globals.counter("indexes") + 1
    try globals.set("indexes", .integer(generation), in: transaction)
    try refresh(generation)
  }

  /// Replaces the declared indexes. New ones are empty and must be built; dropped ones are no longer used by
  /// queries, and their entries are deleted later. An index that is declared already keeps its entries, and
  /// its progress.
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
    var added = Set(declared.map(\.definition))
    for index in definitions where added.insert(index).inserted {
      try insert(index, kind: 0, .building, used: 0, in: transaction)
    }
    try declarationsChanged(in: transaction)
  }

  /// Inserts the row of an index.
  ///
  /// - Parameters:
  ///   - index: the index.
  ///   - kind: the value of the column `kind`.
  ///   - state: its state.
  ///   - used: the time of its last use, in microseconds since 1970.
  ///   - total: the number of documents in its collections; `nil` to count them.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func insert(
    _ index: CompositeIndex, kind: Int64, _ state: DeclaredIndex.State, used: Int64, total: Int64? = nil,
    in transaction: WriteTransaction
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try insert(
      encoder.encode(index), index.collectionID, kind: kind, state, used: used, total: total, in: transaction)
  }

  /// Inserts the row of an index of any kind, given its encoded definition and the ID of its collections. The
  /// other parameters are those of ``insert(_:kind:_:used:total:in:)``.
  ///
  /// - Throws: `SQLiteError`.
  func insert(
    _ definition: Data, _ collectionID: String, kind: Int64, _ state: DeclaredIndex.State, used: Int64 = 0,
    total: Int64? = nil, in transaction: WriteTransaction
  ) throws {
    let total = try total ?? documentCount(collectionID)
    try transaction.run(
      """
      INSERT INTO indexes (definition, collection_id, state, collection, key, documents, total, kind, used) \
      VALUES (?, ?, ?, 0, x'', ?, ?, ?, ?)
      """,
      [
        .blob(definition), .text(collectionID), .integer(state.rawValue),
        .integer(state == .complete ? total : 0), .integer(total), .integer(kind), .integer(used),
      ])
  }

  /// Returns the number of documents in the collections with an ID.
  ///
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in this number.
  func documentCount(_ collectionID: String) throws -> Int64 {
    try reader.first(
      """
      SELECT count(*) FROM collections c CROSS JOIN documents d ON d.collection = c.id WHERE c.collection_id = ?
      """, [.text(collectionID)]
    ) { $0.integer(0) } ?? 0
  }

  /// Returns the composite indexes and the progress of building them, in the order in which they were
  /// declared.
  ///
  /// - Throws: `SQLiteError`.
  package func progress() throws -> [IndexProgress<CompositeIndex>] {
    try declared.compactMap { try progress($0.number, $0.definition, isComplete: $0.state == .complete) }
  }

  /// Returns the progress of building an index; `nil` if it has no row.
  func progress(
    _ number: Int64, _ definition: CompositeIndex, isComplete: Bool
  ) throws -> IndexProgress<CompositeIndex>? {
    try progress(ofNumber: number).map {
      IndexProgress(index: definition, isComplete: isComplete, progress: $0)
    }
  }

  /// Returns the number of documents that building an index of any kind has visited, and the number of those
  /// that existed when it was declared; `nil` if it has no row.
  func progress(ofNumber number: Int64) throws -> OperationProgress? {
    try reader.first("SELECT documents, total FROM indexes WHERE id = ?", [.integer(number)]) {
      OperationProgress(completedUnitCount: $0.integer(0), totalUnitCount: $0.integer(1))
    }
  }

  // MARK: - Entries

  /// Returns whether a document may have entries in composite indexes or in a text index.
  func hasCompositeOrTextIndex(of path: ResourcePath) -> Bool {
    guard !declared.isEmpty || !textIndexes.isEmpty, let parent = path.parent else { return false }
    return declared.contains { $0.definition.concerns(parent) } || textIndex(ofDocument: path) != nil
  }

  /// Updates the composite indexes for a change of a document: those that are complete and those that are
  /// being built.
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

  /// Inserts the entries of a document that existed before the index was declared. If a write has inserted
  /// them since, they are replaced by equal ones.
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

  /// The progress of building an index: the last indexed document, by collection number and key, and the
  /// number of documents so far. Documents up to the position are indexed; those beyond it are only if they
  /// were written since the index was declared.
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
      "SELECT 1 FROM indexes WHERE state <> ? UNION ALL SELECT 1 FROM dropped_collections LIMIT 1",
      [.integer(DeclaredIndex.State.complete.rawValue)])
  }

  /// The first composite index that must be built; `nil` if there is none.
  var building: DeclaredIndex? { declared.first { $0.state == .building } }

  /// Returns the position up to which an index has been built; the start if the index no longer exists.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the number of documents is damaged;
  ///   `SQLiteError`.
  func position(of index: Int64) throws -> Position {
    try reader.first("SELECT collection, key, documents FROM indexes WHERE id = ?", [.integer(index)]) {
      Position(
        collection: $0.integer(0), key: $0.blob(1),
        documents: Int(clamping: try GlobalTable.counter($0.integer(2), "documents", in: reader.path)))
    } ?? Position()
  }

  /// Saves the position up to which an index has been built.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - index: the number of the index.
  ///   - isComplete: whether all documents are indexed, so that queries use the index from now on.
  ///   - transaction: the transaction that has inserted the entries up to the position.
  /// - Throws: `SQLiteError`.
  func save(
    _ position: Position, of index: Int64, isComplete: Bool = false, in transaction: WriteTransaction
  ) throws {
    try transaction.run(
      "UPDATE indexes SET collection = ?, key = ?, documents = ? WHERE id = ?",
      [
        .integer(position.collection), .blob(position.key), .integer(position.documents), .integer(index),
      ])
    guard isComplete else { return }
    try transaction.run(
      "UPDATE indexes SET state = ? WHERE id = ?",
      [.integer(DeclaredIndex.State.complete.rawValue), .integer(index)])
    try declarationsChanged(in: transaction)
  }

  /// Returns the number of a dropped composite index; `nil` if there is none.
  ///
  /// - Throws: `SQLiteError`.
  func droppedIndex() throws -> Int64? {
    try reader.first(
      "SELECT id FROM indexes WHERE state = ? AND kind = 0 LIMIT 1",
      [.integer(DeclaredIndex.State.dropped.rawValue)]
    ) { $0.integer(0) }
  }

  /// Deletes up to `limit` entries of a dropped composite index, and the index itself after its last entries.
  ///
  /// - Throws: `SQLiteError`.
  func removeEntries(ofDropped dropped: Int64, limit: Int, in transaction: WriteTransaction) throws {
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

  /// Discards the declarations, which the transaction may have changed; the next transaction reads them
  /// again.
  func transactionRolledBack() { generation = nil }
}

import TenonDocuments
import TenonSQLite
import TenonValues

/// The FTS5 tables of the text indexes, whose declarations ``IndexTable`` keeps.
///
/// Writes maintain an index from the transaction that declares it on, and ``IndexBuilding`` adds the
/// documents that existed before. FTS5 doesn't notice if a row is deleted that a table without content
/// doesn't have, or inserted twice; therefore it is looked up first.
struct TextIndexTable {
  private let reader: DatabaseReader
  private let indexes: IndexTable

  init(_ reader: DatabaseReader, indexes: IndexTable) {
    self.reader = reader
    self.indexes = indexes
  }

  /// Updates the text indexes for a change of a document: those that are complete and those that are being
  /// built. Text that hasn't changed isn't written again.
  ///
  /// - Parameters:
  ///   - old: the fields before the change; `nil` if the document is inserted.
  ///   - new: the fields after the change; `nil` if the document is deleted.
  ///   - path: the document.
  ///   - document: its row ID.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func update(
    from old: Fields?, to new: Fields?, at path: ResourcePath, document: Int64,
    in transaction: WriteTransaction
  ) throws {
    guard let index = indexes.textIndex(ofDocument: path) else { return }
    let before = old.flatMap { fields in index.texts { fields[$0] } }
    let after = new.flatMap { fields in index.texts { fields[$0] } }
    guard before != after else { return }
    if let before, try contains(document, index) {
      try transaction.run(
        "INSERT INTO \(index.table) (\(index.table), rowid, \(index.columns)) VALUES ('delete', ?\(Self.parameters(before)))",
        [.integer(document)] + before.map { .text($0.string) })
    }
    if let after { try insert(document, after, index, in: transaction) }
  }

  /// Adds a document that existed before an index was declared, unless a write has added it since.
  ///
  /// - Throws: `SQLiteError`.
  func add(
    _ document: Int64, _ texts: [UTF8Text], to index: StoredTextIndex, in transaction: WriteTransaction
  ) throws {
    if try !contains(document, index) { try insert(document, texts, index, in: transaction) }
  }

  private func insert(
    _ document: Int64, _ texts: [UTF8Text], _ index: StoredTextIndex, in transaction: WriteTransaction
  ) throws {
    try transaction.run(
      "INSERT INTO \(index.table) (rowid, \(index.columns)) VALUES (?\(Self.parameters(texts)))",
      [.integer(document)] + texts.map { .text($0.string) })
  }

  private static func parameters(_ texts: [UTF8Text]) -> String {
    String(repeating: ", ?", count: texts.count)
  }

  /// Returns whether a document is in an index. It is one if it has text, unless the index is being built.
  private func contains(_ document: Int64, _ index: StoredTextIndex) throws -> Bool {
    try reader.hasRow("SELECT 1 FROM \(index.table) WHERE rowid = ?", [.integer(document)])
  }
}

/// The rows of `indexes` for text indexes.
extension IndexTable {
  /// Returns the text index that contains a document; `nil` if there is none.
  func textIndex(ofDocument path: ResourcePath) -> StoredTextIndex? {
    guard !textIndexes.isEmpty, let collection = path.parent else { return nil }
    return textIndexes[ResourcePath(segments: [collection.id])]
  }

  /// Returns the progress of building each text index, in the order in which they were declared.
  ///
  /// - Throws: `SQLiteError`.
  package func textProgress() throws -> [IndexProgress<TextIndex>] {
    try textIndexes.values.sorted { $0.number < $1.number }.compactMap { index in
      try progress(ofNumber: index.number).map {
        IndexProgress(index: index.definition, isComplete: index.state == .complete, progress: $0)
      }
    }
  }

  /// Replaces the text indexes. New ones are empty and must be built; one that is declared already keeps its
  /// entries, and its progress.
  ///
  /// - Parameters:
  ///   - definitions: all text indexes from now on, which have been checked.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unimplemented`` if SQLite lacks FTS5 or the tokenizer;
  ///   `SQLiteError`.
  /// - Complexity: O(n) in the number of documents in the collections of each new index, which are counted.
  func declare(_ definitions: [TextIndex], in transaction: WriteTransaction) throws {
    for index in textIndexes.values where !definitions.contains(index.definition) {
      for table in [index.termTable, index.table] { try transaction.run("DROP TABLE IF EXISTS \(table)") }
      try remove(index.number, in: transaction)
    }
    let known = Set(textIndexes.values.map(\.definition))
    for definition in definitions where !known.contains(definition) {
      try insert(
        StoredTextIndex.encode(definition), definition.collectionID, kind: StoredTextIndex.kind, .building,
        in: transaction)
      let index = StoredTextIndex(
        number: transaction.lastInsertedRowID, definition: definition, state: .building)
      do { for statement in index.creation { try transaction.run(statement) } } catch let error as SQLiteError
      {
        if let missing = StoredTextIndex.missingFeature(error) { throw missing }
        throw error
      }
    }
    try declarationsChanged(in: transaction)
  }
}

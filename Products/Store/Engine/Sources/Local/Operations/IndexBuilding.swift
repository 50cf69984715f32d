import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// Declares composite indexes, and builds these and the indexes of fields incrementally.
///
/// Documents are indexed in the order of collection numbers and keys. Because collections receive increasing
/// numbers, a collection that is created during the building is reached as well, and writes add their own
/// documents. An index becomes complete in the transaction that finds no further collection with its ID.
///
/// Several processes may build at the same time. Each step reads the stored position in its transaction, so
/// that they share the work.
struct IndexBuilding {
  let transactions: Transactions
  let indexes: IndexTable
  let documents: DocumentTable
  let collections: CollectionTable
  let entries: EntryTable
  let texts: TextIndexTable
  let dropped: DroppedRows

  /// Replaces the declared indexes. New ones are built by ``step(_:)``; dropped ones are no longer used by
  /// queries.
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

  /// Replaces the text indexes. New ones are built by ``step(_:)``; dropped ones are deleted immediately.
  ///
  /// - Parameter definitions: all text indexes from now on; an empty array drops all of them.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if an index is invalid, and with
  ///   ``StoreError/Code/unimplemented`` if SQLite can't search text; `SQLiteError`.
  func declare(_ definitions: [TextIndex]) throws {
    try TextIndex.check(definitions)
    try transactions.read {}
    guard Set(indexes.textIndexes.values.map(\.definition)) != Set(definitions) else { return }
    try transactions.write { try indexes.declare(definitions, in: $0) }
  }

  /// Returns the composite indexes and the progress of building them.
  ///
  /// - Throws: `SQLiteError`.
  func progress() throws -> [IndexProgress<CompositeIndex>] {
    try transactions.read { try indexes.progress() }
  }

  /// Returns the indexes of single fields that have been registered, and the progress of building them.
  ///
  /// - Throws: `SQLiteError`.
  func fieldProgress() throws -> [IndexProgress<CompositeIndex>] {
    try transactions.read { try indexes.fieldProgress() }
  }

  /// Returns the text indexes and the progress of building them.
  ///
  /// - Throws: `SQLiteError`.
  func textProgress() throws -> [IndexProgress<TextIndex>] {
    try transactions.read { try indexes.textProgress() }
  }

  /// Returns whether an index must be built, or entries must be deleted. Nothing is written.
  ///
  /// - Throws: `SQLiteError`.
  func hasWork() throws -> Bool { try indexes.hasWork() }

  // MARK: - Steps

  /// The size of a step.
  struct Budget {
    /// The maximum number of documents that are indexed.
    let documents: Int
    /// The maximum number of entries that are deleted.
    let entries: Int
    /// Returns whether the time of the step has passed. Called after each group of documents, so that a step
    /// makes some progress.
    var isOver: () -> Bool = { false }
  }

  /// What a step works on.
  private enum Work {
    /// Deletes the entries of a field that were left by a former index, or whose index was dropped.
    case clearField(FieldIndex)
    case buildField(FieldIndex)
    case build(DeclaredIndex)
    case buildText(StoredTextIndex)
    /// Deletes the entries of a composite index that was dropped.
    case clear(Int64)
    /// Deletes the entries of all fields that have no index.
    case clearFields
    case buildEveryField
    /// Deletes the documents and entries of a dropped collection.
    case clearCollection
  }

  /// Returns what is to be done next; `nil` if there is nothing to do.
  ///
  /// Indexes that queries need are built before entries are deleted that nobody reads. The index of every
  /// field comes last: once it is maintained, all entries of former indexes must have been deleted.
  private func nextWork() throws -> Work? {
    let fields = indexes.fieldIndexes.all
    if let index = fields.first(where: { $0.state == .clearing }) { return .clearField(index) }
    if let index = fields.first(where: { $0.state == .building }) { return .buildField(index) }
    if let index = indexes.building { return .build(index) }
    if let index = indexes.textIndexes.values.first(where: { $0.state == .building }) {
      return .buildText(index)
    }
    if let index = fields.first(where: { $0.state == .dropped }) { return .clearField(index) }
    if let index = try indexes.droppedIndex() { return .clear(index) }
    switch indexes.fieldIndexes.everyField?.state {
    case .clearing, .dropped: return .clearFields
    case .building: return .buildEveryField
    case .complete, nil: return try dropped.exist() ? .clearCollection : nil
    }
  }

  /// Performs one step of building an index, or of deleting a dropped one, in its own transaction.
  ///
  /// The transaction also saves the position up to which the index is built, so that the next step continues
  /// there after a crash.
  ///
  /// - Parameter budget: the size of the step, because other writers wait in the meantime.
  /// - Returns: whether there is more to do.
  /// - Throws: `SQLiteError`; ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be
  ///   decoded.
  func step(_ budget: Budget) throws -> Bool {
    // Usually there is nothing to do, and checking takes no write lock.
    guard try indexes.hasWork() else { return false }
    return try transactions.write { transaction in
      switch try nextWork() {
      case .clearField(let index): try clear(index, limit: budget.entries, in: transaction)
      case .buildField(let index): try build(index, budget, in: transaction)
      case .build(let index): try build(index, budget, in: transaction)
      case .buildText(let index): try build(index, budget, in: transaction)
      case .clear(let index):
        try indexes.removeEntries(ofDropped: index, limit: budget.entries, in: transaction)
      case .clearFields: try clearFields(limit: budget.entries, in: transaction)
      case .buildEveryField: try buildEveryField(budget, in: transaction)
      case .clearCollection:
        try dropped.deleteSome(limit: budget.entries, until: budget.isOver, in: transaction)
      case nil: return false
      }
      return try indexes.hasWork()
    }
  }

  /// Deletes up to `limit` rows of dropped collections, before anything else is done: on a full disk, only
  /// deletions succeed.
  ///
  /// - Returns: whether there was something to delete.
  /// - Throws: `SQLiteError`.
  func deleteDropped(limit: Int) throws -> Bool {
    try transactions.write { transaction in
      guard try dropped.exist() else { return false }
      try dropped.deleteSome(limit: limit, in: transaction)
      return true
    }
  }

  // MARK: - Building

  /// Visits documents after a position, in the order in which indexes are built.
  ///
  /// - Parameters:
  ///   - position: the position, which is moved to the last document visited.
  ///   - budget: the size of the step. Empty collections count as documents, which limits the step.
  ///   - next: returns the number of the collection after another.
  ///   - body: called with each row, whose first columns are ``DocumentTable/columns``, the path of its
  ///     collection, the number of the collection, the row ID and the key.
  /// - Returns: whether all documents were visited.
  /// - Throws: what `body` throws; `SQLiteError`.
  private func visit(
    from position: inout IndexTable.Position, _ budget: Budget, next: (Int64) throws -> Int64?,
    _ body: (borrowing Row, ResourcePath, EntryChanges.Document) throws -> Void
  ) throws -> Bool {
    var left = budget.documents
    var isOver = false
    while left > 0, !isOver {
      if position.collection != 0 {
        let collection = position.collection
        let path = try collections.path(of: collection)
        // Nothing is left of a collection that was dropped in the meantime.
        let limit = path.segments.isEmpty ? 0 : left
        try documents.forEachRow(in: collection, after: position.key, limit: limit) { row, id, key in
          try body(row, path, EntryChanges.Document(collection: collection, key: key, id: id))
          position.key = key
          position.documents += 1
          left -= 1
          isOver = left.isMultiple(of: 16) && budget.isOver()
          return !isOver
        }
      }
      guard left > 0, !isOver else { break }
      guard let next = try next(position.collection) else { return true }
      (position.collection, position.key) = (next, Data())
      left -= 1
    }
    return false
  }

  /// Indexes some documents in a composite index, and saves the position.
  private func build(_ index: DeclaredIndex, _ budget: Budget, in transaction: WriteTransaction) throws {
    var position = try indexes.position(of: index.number)
    let id = index.definition.collectionID
    let isComplete = try visit(
      from: &position, budget, next: { try collections.next(after: $0, id: id) }
    ) { row, collection, place in
      let document = try documents.document(row, in: collection)
      try indexes.insert(
        document.fields, at: document.path, collection: place.collection, document: place.id, into: index,
        in: transaction)
    }
    try indexes.save(position, of: index.number, isComplete: isComplete, in: transaction)
  }

  /// Adds some documents, of which only the text is decoded, to a text index, and saves the position.
  private func build(_ index: StoredTextIndex, _ budget: Budget, in transaction: WriteTransaction) throws {
    var position = try indexes.position(of: index.number)
    let id = index.definition.collectionID
    let fields = Dictionary(uniqueKeysWithValues: index.definition.fields.map { ($0, StoredField($0)) })
    let isComplete = try visit(
      from: &position, budget, next: { try collections.next(after: $0, id: id) }
    ) { row, collection, place in
      let found = try index.texts {
        try fields[$0].flatMap { try documents.value(of: $0, row, in: collection) }
      }
      if let found { try texts.add(place.id, found, to: index, in: transaction) }
    }
    try indexes.save(position, of: index.number, isComplete: isComplete, in: transaction)
  }

  /// Indexes a field of some documents, of which only the field is decoded, and saves the position.
  private func build(_ index: FieldIndex, _ budget: Budget, in transaction: WriteTransaction) throws {
    var position = try indexes.position(of: index.number)
    var field = FieldPolicy.Field(path: index.key.field)
    if index.key.kind == .value { field.value = index.column } else { field.element = index.column }
    let id = index.key.collection.id
    let stored = StoredField(field.path)
    let isComplete = try visit(
      from: &position, budget, next: { try collections.next(after: $0, id: id) }
    ) { row, collection, place in
      guard let value = try documents.value(of: stored, row, in: collection) else { return }
      try entries.insert(place, value, of: field, in: transaction)
    }
    if isComplete, index.origin == .automatic, indexes.fieldIndexes.everyField?.state == .complete {
      // The field was exempt before. From now on, it is like every other.
      try indexes.remove(index.number, in: transaction)
      return try indexes.declarationsChanged(in: transaction)
    }
    try indexes.save(position, of: index.number, isComplete: isComplete, in: transaction)
  }

  /// Indexes all fields of some documents, and saves the position. When it becomes complete, it replaces the
  /// indexes of single fields that queries have registered.
  private func buildEveryField(_ budget: Budget, in transaction: WriteTransaction) throws {
    guard let number = indexes.fieldIndexes.everyField?.number else { return }
    var position = try indexes.position(of: number)
    let isComplete = try visit(
      from: &position, budget, next: { try collections.next(after: $0) }
    ) { row, collection, place in
      let fields = try documents.document(row, in: collection).fields
      try entries.insert(place, fields, try indexes.policy(of: place.collection), in: transaction)
    }
    if isComplete {
      for index in indexes.fieldIndexes.all where index.origin == .automatic && index.isComplete {
        try indexes.remove(index.number, in: transaction)
      }
    }
    try indexes.save(position, of: number, isComplete: isComplete, in: transaction)
  }

  // MARK: - Deleting entries

  /// Deletes up to `limit` entries of a field. After the last one, a dropped index is removed, the row of an
  /// exempt field is complete, and building of others begins.
  private func clear(_ index: FieldIndex, limit: Int, in transaction: WriteTransaction) throws {
    var position = try indexes.position(of: index.number)
    var left = limit
    while left > 0 {
      if position.collection != 0 {
        let group = EntryGroup(collection: position.collection, column: index.column)
        left -= try indexes.removeEntries(of: group, limit: left, in: transaction)
        guard left > 0 else { break }
      }
      if let next = try collections.next(after: position.collection, id: index.key.collection.id) {
        position.collection = next
        left -= 1
        continue
      }
      if index.state == .dropped {
        try indexes.remove(index.number, in: transaction)
      } else {
        try indexes.set(index.origin == .exempt ? .complete : .building, of: index.number, in: transaction)
      }
      return try indexes.declarationsChanged(in: transaction)
    }
    try indexes.save(position, of: index.number, in: transaction)
  }

  /// Deletes up to `limit` entries of fields that have no index. After the last one, the row for every field
  /// is removed if it was dropped; otherwise its building begins.
  private func clearFields(limit: Int, in transaction: WriteTransaction) throws {
    guard let row = indexes.fieldIndexes.everyField else { return }
    var position = try indexes.position(of: row.number)
    var left = limit
    // The number of the field is stored in the place of a document's key.
    var done = Int64(decimal: String(decoding: position.key, as: UTF8.self)).map {
      EntryGroup(collection: position.collection, column: $0)
    }
    while left > 0 {
      guard let group = try indexes.entryGroup(after: done) else {
        if row.state == .dropped {
          try indexes.remove(row.number, in: transaction)
        } else {
          try indexes.set(.building, of: row.number, in: transaction)
        }
        return try indexes.declarationsChanged(in: transaction)
      }
      left -= 1
      if try !indexes.policy(of: group.collection).maintains(group.column) {
        left -= try indexes.removeEntries(of: group, limit: max(left, 1), in: transaction)
        guard left > 0 else { break }
      }
      done = group
    }
    if let done { (position.collection, position.key) = (done.collection, Data("\(done.column)".utf8)) }
    try indexes.save(position, of: row.number, in: transaction)
  }
}

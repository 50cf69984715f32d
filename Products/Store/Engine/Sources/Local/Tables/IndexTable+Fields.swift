package import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// The rows of `indexes` for single fields.
extension IndexTable {
  /// Inserts the row of a field's index, and the number of its field. The parameters are those of
  /// ``insert(_:kind:_:used:total:in:)``.
  ///
  /// - Throws: `SQLiteError`.
  func insert(
    _ key: FieldIndexKey, _ origin: FieldIndex.Origin, _ state: DeclaredIndex.State, used: Int64,
    total: Int64? = nil, in transaction: WriteTransaction
  ) throws {
    _ = try fieldTable.number(of: key.field, in: transaction)
    try insert(
      key.definition, kind: origin.rawValue, state, used: used, total: total, in: transaction)
  }

  /// Inserts the row for every field, whose index must be built.
  ///
  /// - Throws: `SQLiteError`.
  func insertEveryField(in transaction: WriteTransaction) throws {
    let counted = "documents WHERE collection NOT IN (SELECT id FROM dropped_collections)"
    let total = try reader.first("SELECT count(*) FROM \(counted)") { $0.integer(0) }
    try transaction.run(
      """
      INSERT INTO indexes (definition, collection_id, state, collection, key, documents, total, kind) \
      VALUES (x'', '', ?, 0, x'', 0, ?, ?)
      """,
      [
        .integer(DeclaredIndex.State.clearing.rawValue), .integer(total ?? 0),
        .integer(FieldIndex.Origin.everyField.rawValue),
      ])
  }

  /// Changes the state of a row, and returns to its first position.
  ///
  /// - Parameters:
  ///   - state: the new state.
  ///   - origin: the new origin; `nil` to keep it.
  ///   - number: the number of the row.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func set(
    _ state: DeclaredIndex.State, _ origin: FieldIndex.Origin? = nil, of number: Int64,
    in transaction: WriteTransaction
  ) throws {
    try transaction.run(
      "UPDATE indexes SET state = ?, collection = 0, key = x'', documents = 0 WHERE id = ?",
      [.integer(state.rawValue), .integer(number)])
    if let origin { try setOrigin(origin, of: number, in: transaction) }
  }

  /// Changes the origin of a row, whose state and position remain.
  ///
  /// - Throws: `SQLiteError`.
  func setOrigin(
    _ origin: FieldIndex.Origin, of number: Int64, in transaction: WriteTransaction
  ) throws {
    try transaction.run(
      "UPDATE indexes SET kind = ? WHERE id = ?", [.integer(origin.rawValue), .integer(number)])
  }

  /// Records when an index was used. Other processes need not notice, so the generation remains.
  ///
  /// - Throws: `SQLiteError`.
  func setUsed(_ time: Int64, of index: FieldIndex, in transaction: WriteTransaction) throws {
    try transaction.run(
      "UPDATE indexes SET used = ? WHERE id = ?", [.integer(time), .integer(index.number)])
    fieldIndexes.setUsed(index.key, time)
  }

  /// Deletes a row, whose entries have been deleted or belong to the index of every field.
  ///
  /// - Throws: `SQLiteError`.
  func remove(_ number: Int64, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM indexes WHERE id = ?", [.integer(number)])
  }

  /// Returns the progress of building the indexes of single fields, in the order in which they were
  /// registered. Those that are dropped and fields that are exempt aren't among them.
  ///
  /// - Throws: `SQLiteError`.
  package func fieldProgress() throws -> [IndexProgress<CompositeIndex>] {
    try fieldIndexes.all.filter { $0.origin != .exempt && $0.state != .dropped }.compactMap {
      try progress($0.number, $0.key.definition, isComplete: $0.isComplete)
    }
  }

  /// Returns the progress of building the index of every field; `nil` unless it is being built.
  ///
  /// - Throws: `SQLiteError`.
  package func everyFieldProgress() throws -> OperationProgress? {
    guard let row = fieldIndexes.everyField, row.state == .building || row.state == .clearing else {
      return nil
    }
    return try progress(ofNumber: row.number)
  }

  /// Returns why the index of a field is missing.
  ///
  /// - Throws: `SQLiteError`.
  func missingState(
    _ key: FieldIndexKey, _ requests: IndexRequests
  ) throws -> QueryExplanation.MissingIndex.State {
    let index = fieldIndexes.byKey[key]
    if let index, index.origin != .exempt, index.state == .building || index.state == .clearing,
      let progress = try progress(ofNumber: index.number)
    {
      return .building(progress)
    }
    if index?.origin == .exempt { return .disabled }
    if let progress = try everyFieldProgress() { return .building(progress) }
    guard requests.registersIndexes else { return .disabled }
    return fieldIndexes.count(key.collection) < FieldIndexRegistration.limit ? .unregistered : .tooMany
  }

  // MARK: - Entries

  /// Returns whether the table `entries` has rows.
  ///
  /// - Throws: `SQLiteError`.
  func hasEntries() throws -> Bool { try reader.hasRow("SELECT 1 FROM entries LIMIT 1") }

  /// Returns the first group of entries after another, in the order of the table; `nil` after the last one.
  /// It is found by seeking, in time that doesn't depend on the number of entries.
  ///
  /// - Parameter group: the group; `nil` for the start of the table.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the entry that is found is damaged;
  ///   `SQLiteError`.
  package func entryGroup(after group: EntryGroup?) throws -> EntryGroup? {
    let end = group.map { $0.prefix.successor } ?? Data()
    guard let end else { return nil }
    return try reader.first(
      "SELECT value FROM entries WHERE value >= ? ORDER BY value LIMIT 1", [.blob(end)]
    ) { row in
      guard let group = EntryGroup(of: row.blob(0)) else {
        throw StoreError.damaged(reader.path, "an index entry can't be read")
      }
      return group
    }
  }

  /// Deletes up to `limit` entries of a group.
  ///
  /// - Returns: the number of deleted entries.
  /// - Throws: `SQLiteError`.
  func removeEntries(of group: EntryGroup, limit: Int, in transaction: WriteTransaction) throws -> Int {
    let prefix = group.prefix
    try transaction.run(
      """
      DELETE FROM entries WHERE (value, key) IN \
      (SELECT value, key FROM entries WHERE value >= ? AND value < ? LIMIT ?)
      """, [.blob(prefix), .blob(prefix.successor ?? prefix), .integer(limit)])
    return transaction.changedRows
  }
}

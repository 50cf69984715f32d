import TenonDocuments
import TenonSQLite
import TenonValues

/// Decides which fields have an index: those that the settings declare, and those that queries have lacked.
///
/// It changes the rows of the table `indexes` only. ``IndexBuilding`` builds the indexes and deletes entries.
/// Registering an index always begins with deleting what a former one left, so that an index that is complete
/// contains the present entries and no others.
///
/// | state | writes maintain it | queries use it | then |
/// | --- | --- | --- | --- |
/// | clearing | no | no | building, when no entries are left |
/// | building | yes | no | complete, when all documents were visited |
/// | complete | yes | yes | |
/// | dropped | no | no | the row is removed, when no entries are left |
///
/// The row for every field stands for all fields without a separate row. Files of versions before 8 have it,
/// in the state `complete`.
package struct FieldIndexRegistration {
  /// The greatest number of indexes that queries register for the collections with one ID. Field names may
  /// come from outside, and each index makes writes dearer.
  package static let limit = 200
  /// The time in microseconds after which another use of an index is recorded: a day.
  static let useInterval: Int64 = 86_400_000_000
  /// The time in microseconds without a use after which an index is dropped: 30 days.
  static let unusedInterval: Int64 = 30 * useInterval

  let transactions: Transactions
  let indexes: IndexTable
  let fields: FieldTable
  let collections: CollectionTable
  let requests: IndexRequests

  /// The indexes of fields, as of the transaction opened last.
  private var present: FieldIndexes { indexes.fieldIndexes }

  // MARK: - Settings

  /// A change of the rows that the settings request.
  private enum Change {
    /// Inserts a row.
    case insert(FieldIndexKey, FieldIndex.Origin, DeclaredIndex.State)
    /// Changes the state and the origin of a row.
    case set(FieldIndex, FieldIndex.Origin, DeclaredIndex.State)
    /// Changes the origin of a row, which keeps its state.
    case setOrigin(FieldIndex, FieldIndex.Origin)
    /// Removes a row.
    case remove(FieldIndex)
    /// Indexes every field, beginning with clearing.
    case beginEveryField
    /// No longer indexes every field. If queries register indexes, they keep those that have entries.
    case endEveryField(keepsIndexes: Bool)
  }

  /// Makes the indexes of fields those of the settings, and drops those that haven't been used for a long
  /// time.
  ///
  /// - Parameters:
  ///   - indexing: which fields have an index.
  ///   - overrides: the settings of single fields; `nil` keeps those applied last.
  ///   - time: the current time, in microseconds since 1970.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if a setting is invalid;
  ///   `SQLiteError`.
  /// - Complexity: O(1) if nothing changes. If every field was indexed before, O(n) in the number of fields
  ///   of all collections. A declared index takes the time to count the documents of its collections.
  package func apply(_ indexing: FieldIndexing, _ overrides: [FieldOverride]?, at time: Int64) throws {
    for override in overrides ?? [] { try override.check() }
    requests.registersIndexes = indexing == .onFirstQuery
    // Usually nothing changes, and reading takes no write lock.
    try transactions.read {}
    guard !changes(for: indexing, overrides).isEmpty || !unused(at: time).isEmpty else { return }
    try transactions.write { transaction in
      for change in changes(for: indexing, overrides) {
        try apply(change, at: time, in: transaction)
        try indexes.declarationsChanged(in: transaction)
      }
      try dropUnused(at: time, in: transaction)
    }
  }

  /// Returns the changes that the settings request.
  private func changes(for indexing: FieldIndexing, _ overrides: [FieldOverride]?) -> [Change] {
    var changes: [Change] = []
    let everyField = present.everyField?.state
    let wantsEveryField = indexing == .everyField
    if wantsEveryField, everyField == nil || everyField == .dropped { changes.append(.beginEveryField) }
    if let overrides {
      var declared: [FieldIndexKey: FieldIndex.Origin] = [:]
      for override in overrides {
        for (kind, set) in [(EntryTable.Kind.value, FieldOverride.Indexes.values), (.element, .elements)] {
          let key = FieldIndexKey(override.collectionID, override.field, kind)
          declared[key] = override.indexes.contains(set) ? .declared : .exempt
        }
      }
      for (key, origin) in declared.sorted(by: { $0.key.name < $1.key.name }) {
        if let change = change(to: origin, of: key) { changes.append(change) }
      }
      for index in present.all where declared[index.key] == nil {
        if let change = withdrawal(of: index, indexing) { changes.append(change) }
      }
    }
    if indexing == .none {
      for index in present.all where index.origin == .automatic && index.state != .dropped {
        changes.append(.set(index, .automatic, .dropped))
      }
    }
    if !wantsEveryField, let everyField, everyField != .dropped {
      changes.append(.endEveryField(keepsIndexes: everyField == .complete && indexing == .onFirstQuery))
    }
    return changes
  }

  /// Returns the change that makes a field declared or exempt; `nil` if it already is.
  private func change(to origin: FieldIndex.Origin, of key: FieldIndexKey) -> Change? {
    guard let index = present.byKey[key] else {
      let isComplete = origin == .declared && present.everyField?.state == .complete
      return .insert(key, origin, isComplete ? .complete : .clearing)
    }
    if index.origin == origin, index.state != .dropped { return nil }
    // What is indexed already stays so.
    if origin == .declared, index.isMaintained { return .setOrigin(index, origin) }
    return .set(index, origin, .clearing)
  }

  /// Returns the change of a row that the settings no longer contain; `nil` if they didn't.
  private func withdrawal(of index: FieldIndex, _ indexing: FieldIndexing) -> Change? {
    switch index.origin {
    case .declared:
      return indexing == .none ? .set(index, .automatic, .dropped) : .setOrigin(index, .automatic)
    case .exempt:
      if present.maintainsEveryField, indexing == .everyField { return .set(index, .automatic, .clearing) }
      return index.state == .complete ? .remove(index) : .set(index, .automatic, .dropped)
    case .automatic, .everyField: return nil
    }
  }

  private func apply(_ change: Change, at time: Int64, in transaction: WriteTransaction) throws {
    switch change {
    case .insert(let key, let origin, let state):
      try indexes.insert(key, origin, state, used: time, in: transaction)
    case .set(let index, let origin, let state):
      try indexes.set(state, origin, of: index.number, in: transaction)
      try indexes.setUsed(time, of: index, in: transaction)
    case .setOrigin(let index, let origin):
      try indexes.setOrigin(origin, of: index.number, in: transaction)
      try indexes.setUsed(time, of: index, in: transaction)
    case .remove(let index): try indexes.remove(index.number, in: transaction)
    case .beginEveryField:
      if let row = present.everyField {
        try indexes.set(.clearing, of: row.number, in: transaction)
      } else {
        try indexes.insertEveryField(in: transaction)
      }
    case .endEveryField(let keepsIndexes):
      guard let row = present.everyField else { return }
      if keepsIndexes { try registerPresentFields(at: time, in: transaction) }
      // A new database has no entries.
      if try indexes.hasEntries() {
        try indexes.set(.dropped, of: row.number, in: transaction)
      } else {
        try indexes.remove(row.number, in: transaction)
      }
    }
  }

  /// Registers the indexes that have entries, because every field is indexed. They are complete, and will be
  /// dropped unless queries use them. The entries of fields beyond ``limit`` are deleted with the row for
  /// every field.
  ///
  /// - Complexity: O(n) in the number of fields of all collections, each of which is found by seeking.
  private func registerPresentFields(at time: Int64, in transaction: WriteTransaction) throws {
    var counts: [ResourcePath: (indexes: Int, documents: Int64)] = [:]
    var seen: Set<FieldIndexKey> = []
    var last: EntryGroup?
    while let group = try indexes.entryGroup(after: last) {
      last = group
      let collection = ResourcePath(segments: try collections.path(of: group.collection).segments.suffix(1))
      if counts[collection] == nil, let id = collection.segments.first {
        counts[collection] = (present.count(collection), try indexes.documentCount(id))
      }
      guard let count = counts[collection], count.indexes < Self.limit,
        let field = try fields.path(of: group.column >> 1),
        let kind = EntryTable.Kind(rawValue: group.column & 1)
      else { continue }
      let key = FieldIndexKey(collection.id, field, kind)
      guard present.byKey[key] == nil, seen.insert(key).inserted else { continue }
      try indexes.insert(
        key, .automatic, .complete, used: time, total: count.documents, in: transaction)
      counts[collection]?.indexes += 1
    }
  }

  // MARK: - Queries

  /// Registers the indexes that queries have lacked, records which ones they have used, and drops those that
  /// haven't been used for a long time. The requests are forgotten, also if it fails: later queries repeat
  /// them.
  ///
  /// - Parameter time: the current time, in microseconds since 1970.
  /// - Throws: `SQLiteError`.
  package func fulfill(at time: Int64) throws {
    let taken = requests.take()
    let (wanted, used) = (taken.wanted, taken.used)
    guard !taken.isEmpty else { return }
    try transactions.read {}
    guard wanted.contains(where: mayRegister) || !used.isEmpty else { return }
    try transactions.write { transaction in
      for key in wanted.sorted(by: { $0.name < $1.name }) where mayRegister(key) {
        if let index = present.byKey[key] {
          try indexes.set(.clearing, .automatic, of: index.number, in: transaction)
          try indexes.setUsed(time, of: index, in: transaction)
        } else {
          try indexes.insert(key, .automatic, .clearing, used: time, in: transaction)
        }
        try indexes.declarationsChanged(in: transaction)
      }
      for key in used {
        if let index = present.byKey[key] { try indexes.setUsed(time, of: index, in: transaction) }
      }
      try dropUnused(at: time, in: transaction)
    }
  }

  /// Returns whether a query that lacks an index registers it: whether the field has no index, none that is
  /// being built, and isn't exempt, and there aren't too many.
  private func mayRegister(_ key: FieldIndexKey) -> Bool {
    let index = present.byKey[key]
    guard index == nil || index?.state == .dropped, !present.maintainsEveryField else { return false }
    return present.count(key.collection) < Self.limit
  }

  /// Returns the automatic indexes that haven't been used for a long time.
  private func unused(at time: Int64) -> [FieldIndex] {
    guard !present.maintainsEveryField else { return [] }
    return present.all.filter { index in
      let (age, overflows) = time.subtractingReportingOverflow(index.used)
      return index.origin == .automatic && index.state != .dropped && !overflows && age >= Self.unusedInterval
    }
  }

  private func dropUnused(at time: Int64, in transaction: WriteTransaction) throws {
    let unused = unused(at: time)
    guard !unused.isEmpty else { return }
    for index in unused { try indexes.set(.dropped, of: index.number, in: transaction) }
    try indexes.declarationsChanged(in: transaction)
  }
}

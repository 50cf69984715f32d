import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonValues

/// The tables `targets` and `target_documents`: the targets that were listened to, and the documents that
/// belong to them.
///
/// A row of `targets` is the ``TargetData`` of a target, found by its canonical form. A row of
/// `target_documents` means that the remote has assigned the document to the target; documents that only
/// local writes have added aren't there. Targets that are listened to are active, and kept in memory, where
/// their state may be newer than their row. A rollback restores the memory to the state before the
/// transaction.
final class TargetTable {
  private struct State {
    /// The targets that are currently listened to, by ID.
    var active: [Int: TargetData] = [:]
    /// The IDs of the active targets.
    var ids: [SyncTarget: Int] = [:]
    /// The versions in the rows of the active targets, by ID.
    var savedVersions: [Int: Timestamp] = [:]
    /// The timestamp of the last consistent snapshot of all targets of this process; initially, of the
    /// process before it.
    var remoteVersion: Timestamp
  }

  private let reader: DatabaseReader
  private let globals: GlobalTable
  private let collections: CollectionTable
  private let uses: UseTable
  private var state: State
  /// The state before the open transaction, which a rollback restores.
  private var saved: State?

  init(
    _ reader: DatabaseReader, globals: GlobalTable, collections: CollectionTable, uses: UseTable
  ) throws {
    self.reader = reader
    self.globals = globals
    self.collections = collections
    self.uses = uses
    state = State(
      remoteVersion: Timestamp(microsecondsSince1970: try globals.integer("version") ?? 0))
  }

  // MARK: - Targets

  /// Returns an active target by its ID; `nil` if it isn't listened to.
  func active(_ id: Int) -> TargetData? { state.active[id] }

  /// Returns an active target by its content; `nil` if it isn't listened to.
  func active(_ target: SyncTarget) -> TargetData? { state.ids[target].flatMap { state.active[$0] } }

  /// Returns the version with which an active target was last saved; 0 if it isn't listened to.
  func savedVersion(of id: Int) -> Timestamp { state.savedVersions[id] ?? .zero }

  /// Returns the ID of a saved target, which may be active; `nil` if there is none.
  ///
  /// - Parameter canonical: the canonical form of the target.
  /// - Throws: `SQLiteError`.
  func id(of canonical: Data) throws -> Int? {
    try reader.first("SELECT id FROM targets WHERE canonical = ?", [.blob(canonical)]) {
      Int(clamping: $0.integer(0))
    }
  }

  /// Returns whether a target has a row. An active one has none if another process has deleted it, together
  /// with the list of its documents.
  ///
  /// - Throws: `SQLiteError`.
  func isSaved(_ id: Int) throws -> Bool {
    try reader.hasRow("SELECT 1 FROM targets WHERE id = ?", [.integer(id)])
  }

  /// Records the use of a target that isn't active.
  ///
  /// - Throws: `SQLiteError`.
  func touch(_ id: Int, in transaction: WriteTransaction) throws {
    try transaction.run(
      "UPDATE targets SET sequence = ? WHERE id = ?", [.integer(transaction.number), .integer(id)])
  }

  /// Activates a target with the ID that it had before, or with a new even one. New IDs increase, and are
  /// unique among all processes.
  ///
  /// - Parameters:
  ///   - target: a target that isn't active.
  ///   - transaction: the transaction, in which a new target is saved.
  /// - Returns: the state from which the target resumes.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the greatest ID is damaged; `SQLiteError`.
  func activate(_ target: SyncTarget, in transaction: WriteTransaction) throws -> TargetData {
    var data: TargetData
    if let known = try row(of: target) {
      data = known
      state.savedVersions[data.id] = data.version
    } else {
      let id = Int(clamping: try globals.counter("target") + 2)
      try globals.set("target", .integer(id), in: transaction)
      data = TargetData(id: id, target: target)
      data.sequence = transaction.number
      try save(data, in: transaction)
    }
    state.active[data.id] = data
    state.ids[target] = data.id
    return data
  }

  /// Changes an active target in memory, without saving it.
  ///
  /// - Precondition: the target is active.
  func update(_ data: TargetData) { state.active[data.id] = data }

  /// Deactivates a target, without saving it.
  func deactivate(_ id: Int) {
    guard let data = state.active.removeValue(forKey: id) else { return }
    state.ids[data.target] = nil
    state.savedVersions[id] = nil
  }

  /// Returns the saved state of a target; `nil` if there is none.
  private func row(of target: SyncTarget) throws -> TargetData? {
    try reader.first(
      "SELECT id, token, version, complete_version, sequence FROM targets WHERE canonical = ?",
      [.blob(target.canonical)]
    ) { row in
      var data = TargetData(id: Int(clamping: row.integer(0)), target: target)
      data.token = row.blob(1)
      data.version = Timestamp(microsecondsSince1970: row.integer(2))
      data.completeVersion = Timestamp(microsecondsSince1970: row.integer(3))
      data.sequence = row.integer(4)
      return data
    }
  }

  /// Saves a target, replacing its row. The documents of a target are saved separately.
  ///
  /// - Throws: `SQLiteError`.
  func save(_ data: TargetData, in transaction: WriteTransaction) throws {
    try transaction.run(
      """
      INSERT OR REPLACE INTO targets (id, canonical, token, version, complete_version, sequence) \
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(data.id), .blob(data.target.canonical), .blob(data.token),
        .integer(data.version.microsecondsSince1970), .integer(data.completeVersion.microsecondsSince1970),
        .integer(data.sequence),
      ])
    state.savedVersions[data.id] = data.version
  }

  /// Deletes a target and the list of its documents. The documents remain until the garbage collector deletes
  /// them. The state in memory doesn't change.
  ///
  /// - Throws: `SQLiteError`.
  func remove(_ id: Int, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM target_documents WHERE target = ?", [.integer(id)])
    try transaction.run("DELETE FROM targets WHERE id = ?", [.integer(id)])
  }

  /// Deletes all targets and the lists of their documents.
  func removeAll(in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM targets")
    try transaction.run("DELETE FROM target_documents")
  }

  /// Returns the IDs of the targets that were last used in or before a transaction, active ones included.
  ///
  /// - Complexity: O(n) in the number of targets.
  func ids(lastUsedUpTo bound: Int64) throws -> [Int] {
    try reader.rows("SELECT id FROM targets WHERE sequence <= ?", [.integer(bound)]) {
      Int(clamping: $0.integer(0))
    }
  }

  // MARK: - Versions

  /// The timestamp of the last consistent snapshot. Snapshots of other processes that use the file at the
  /// same time are ignored, because their streams may be ahead.
  var remoteVersion: Timestamp { state.remoteVersion }

  /// Sets the timestamp of the last consistent snapshot. The stored timestamp never decreases.
  ///
  /// - Parameters:
  ///   - version: the timestamp of a snapshot of all targets of this process.
  ///   - transaction: the transaction that saves the snapshot.
  /// - Throws: `SQLiteError`.
  func setRemoteVersion(_ version: Timestamp, in transaction: WriteTransaction) throws {
    state.remoteVersion = version
    let newest = max(version.microsecondsSince1970, try globals.integer("version") ?? 0)
    try globals.set("version", .integer(newest), in: transaction)
  }

  // MARK: - Documents

  /// Returns the documents that the remote has assigned to a target; an empty set for an unknown one.
  ///
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(n) in the number of documents.
  func documents(of target: Int) throws -> Set<ResourcePath> {
    Set(
      try reader.rows(
        "SELECT collection, name FROM target_documents WHERE target = ?", [.integer(target)]
      ) { try collections.path(of: $0.integer(0)).appending($0.text(1)) })
  }

  /// Returns the IDs of the targets to which the remote has assigned a document.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - collection: the number of its collection.
  /// - Throws: `SQLiteError`.
  func ids(containing path: ResourcePath, in collection: Int64) throws -> [Int] {
    try reader.rows(
      "SELECT target FROM target_documents WHERE collection = ? AND name = ?",
      [.integer(collection), .text(path.id)]
    ) { Int(clamping: $0.integer(0)) }
  }

  /// Adds documents to a target, and records their use. Documents that it already contains are only used.
  ///
  /// - Throws: `SQLiteError`.
  func add(
    _ documents: some Sequence<ResourcePath>, to target: Int, in transaction: WriteTransaction
  ) throws {
    try run(
      "INSERT OR IGNORE INTO target_documents (target, collection, name) VALUES (?, ?, ?)", documents, target,
      in: transaction)
  }

  /// Removes documents from a target, and records their use: they have lost a reference, and are collected in
  /// the order in which that happened.
  ///
  /// - Throws: `SQLiteError`.
  func remove(
    _ documents: some Sequence<ResourcePath>, from target: Int, in transaction: WriteTransaction
  ) throws {
    try run(
      "DELETE FROM target_documents WHERE target = ? AND collection = ? AND name = ?", documents, target,
      in: transaction)
  }

  /// Runs a statement, whose parameters are target, collection and name, for each document.
  private func run(
    _ statement: String, _ documents: some Sequence<ResourcePath>, _ target: Int,
    in transaction: WriteTransaction
  ) throws {
    for path in documents {
      let collection = try collections.number(containing: path, in: transaction)
      try transaction.run(statement, [.integer(target), .integer(collection), .text(path.id)])
      try uses.touch(path, in: transaction)
    }
  }
}

extension TargetTable: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) { saved = self.state }
  func transactionCommitted() { saved = nil }

  func transactionRolledBack() {
    if let saved { state = saved }
    saved = nil
  }
}

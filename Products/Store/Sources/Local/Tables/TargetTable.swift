import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The targets that were listened to and the documents that belong to them, in the tables `targets` and `target_documents`.
final class TargetTable {
  private struct State {
    /// The targets that are listened to.
    var active: [Int: TargetData] = [:]
    var ids: [SyncTarget: Int] = [:]
    /// The timestamp of the last consistent snapshot of all targets of this process, or of the process before it.
    var remoteVersion: Timestamp
  }

  private let reader: DatabaseReader
  private let globals: GlobalTable
  private let collections: CollectionTable
  private let uses: UseTable
  private var state: State
  /// The state before the open transaction.
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

  /// Returns a target that is listened to.
  func active(_ id: Int) -> TargetData? { state.active[id] }

  /// Returns a target that is listened to.
  func active(_ target: SyncTarget) -> TargetData? { state.ids[target].flatMap { state.active[$0] } }

  /// Activates a target under the id that it had before, or a new even one.
  func activate(_ target: SyncTarget, in transaction: WriteTransaction) throws -> TargetData {
    var data: TargetData
    if let known = try row(of: target) {
      data = known
    } else {
      let id = Int(try globals.integer("target") ?? 0) + 2
      try globals.set("target", .integer(Int64(id)), in: transaction)
      data = TargetData(id: id, target: target)
      data.sequence = transaction.number
      try save(data, in: transaction)
    }
    state.active[data.id] = data
    state.ids[target] = data.id
    return data
  }

  /// Changes a target that is listened to. It isn't saved.
  func update(_ data: TargetData) { state.active[data.id] = data }

  /// Ends listening to a target. It isn't saved.
  func deactivate(_ id: Int) {
    guard let data = state.active.removeValue(forKey: id) else { return }
    state.ids[data.target] = nil
  }

  private func row(of target: SyncTarget) throws -> TargetData? {
    try reader.first(
      "SELECT id, token, version, complete_version, sequence FROM targets WHERE canonical = ?",
      [.blob(target.canonical)]
    ) { row in
      var data = TargetData(id: Int(row.integer(0)), target: target)
      data.token = row.blob(1)
      data.version = Timestamp(microsecondsSince1970: row.integer(2))
      data.completeVersion = Timestamp(microsecondsSince1970: row.integer(3))
      data.sequence = row.integer(4)
      return data
    }
  }

  func save(_ data: TargetData, in transaction: WriteTransaction) throws {
    try transaction.run(
      """
      INSERT OR REPLACE INTO targets (id, canonical, token, version, complete_version, sequence) \
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(Int64(data.id)), .blob(data.target.canonical), .blob(data.token),
        .integer(data.version.microsecondsSince1970), .integer(data.completeVersion.microsecondsSince1970),
        .integer(data.sequence),
      ])
  }

  func remove(_ id: Int, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM target_documents WHERE target = ?", [.integer(Int64(id))])
    try transaction.run("DELETE FROM targets WHERE id = ?", [.integer(Int64(id))])
  }

  func removeAll(in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM targets")
    try transaction.run("DELETE FROM target_documents")
  }

  /// Returns the targets that were last used up to a transaction.
  func ids(lastUsedUpTo bound: Int64) throws -> [Int] {
    try reader.rows("SELECT id FROM targets WHERE sequence <= ?", [.integer(bound)]) { Int($0.integer(0)) }
  }

  // MARK: - Versions

  /// The timestamp of the last consistent snapshot. Those of other processes that use the file now don't count: their streams may
  /// be ahead.
  var remoteVersion: Timestamp { state.remoteVersion }

  func setRemoteVersion(_ version: Timestamp, in transaction: WriteTransaction) throws {
    state.remoteVersion = version
    let newest = max(version.microsecondsSince1970, try globals.integer("version") ?? 0)
    try globals.set("version", .integer(newest), in: transaction)
  }

  // MARK: - Documents

  /// Returns the documents that the remote has said belong to a target.
  func documents(of target: Int) throws -> Set<ResourcePath> {
    Set(
      try reader.rows(
        "SELECT collection, name FROM target_documents WHERE target = ?", [.integer(Int64(target))]
      ) { try collections.path(of: $0.integer(0)).appending($0.text(1)) })
  }

  func add(
    _ documents: some Sequence<ResourcePath>, to target: Int, in transaction: WriteTransaction
  ) throws {
    for path in documents {
      try transaction.run(
        "INSERT OR IGNORE INTO target_documents (target, collection, name) VALUES (?, ?, ?)",
        [
          .integer(Int64(target)), .integer(try collections.number(containing: path, in: transaction)),
          .text(path.id),
        ])
      try uses.touch(path, in: transaction)
    }
  }

  func remove(
    _ documents: some Sequence<ResourcePath>, from target: Int, in transaction: WriteTransaction
  ) throws {
    for path in documents {
      try transaction.run(
        "DELETE FROM target_documents WHERE target = ? AND collection = ? AND name = ?",
        [
          .integer(Int64(target)), .integer(try collections.number(containing: path, in: transaction)),
          .text(path.id),
        ])
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

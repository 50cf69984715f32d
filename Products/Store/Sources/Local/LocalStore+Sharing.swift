import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Whether the documents of a database are shared through a remote.
package enum Sharing: Int64, Sendable {
  /// What is on this device is the truth.
  case localOnly = 0
  /// There is a remote.
  case remote = 1
  /// Writes wait for a remote, which isn't there yet.
  case awaitsRemote = 2
}

extension LocalStore {
  /// How the database was last opened. One that was never shared says nothing.
  static func sharing(of database: Connection) throws -> Sharing {
    try global("shared", database).integer.flatMap(Sharing.init) ?? .localOnly
  }

  /// Makes the database shared or local-only, as it is opened.
  ///
  /// This runs in a transaction, because another process may open the database for the first time as well.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` when the database holds documents of a remote and is
  ///   to become local-only.
  func begin(as sharing: Sharing, at moment: Timestamp) throws {
    let former = try Self.sharing(of: database)
    switch (former, sharing) {
    case (.localOnly, .localOnly): return
    case (.awaitsRemote, .localOnly): try endWaiting(at: moment)
    case (.remote, .localOnly): throw StoreError.shared(database.path)
    case (.localOnly, _):
      try setGlobal("user", SQLValue.text(user))
      try queueAllDocuments(at: moment)
    default: break
    }
    // A database that had a remote goes on waiting for it.
    let isFirst = former != .remote
    if isFirst { try setGlobal("shared", sharing == .localOnly ? .null : .integer(sharing.rawValue)) }
  }

  /// Makes documents final whose writes waited for a remote that never came.
  private func endWaiting(at moment: Timestamp) throws {
    let others = try database.first("SELECT 1 FROM batches WHERE user <> ?", [.text(user ?? "")]) { _ in true
    }
    // What other users wrote isn't shown, and would be lost.
    guard others == nil else { throw StoreError.shared(database.path) }
    let now = SQLValue.integer(moment.microsecondsSince1970)
    try database.run(
      """
      UPDATE documents SET updated = ?1, created = CASE created WHEN 0 THEN ?1 ELSE created END, flags = 0, \
      timestamps = NULL WHERE flags <> 0
      """, [now])
    for table in ["batches", "batch_documents", "bases", "targets", "target_documents", "uses"] {
      try database.run("DELETE FROM \(table)")
    }
  }
}

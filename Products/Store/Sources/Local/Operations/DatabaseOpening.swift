import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Whether the documents of a database are shared through a remote.
package enum Sharing: Int64, Sendable {
  /// The documents of this device are the truth.
  case localOnly = 0
  /// There is a remote.
  case remote = 1
  /// Writes wait for a remote, which isn't there yet.
  case awaitsRemote = 2
}

/// Makes a database shared or local-only when it is opened.
struct DatabaseOpening {
  private let tables: LocalTables
  private let transactions: Transactions
  private let writes: WriteQueueing
  /// Whether the database was never shared.
  private let isNew: Bool

  /// Reads how the database was last opened.
  init(_ tables: LocalTables, transactions: Transactions, writes: WriteQueueing) throws {
    self.tables = tables
    self.transactions = transactions
    self.writes = writes
    isNew = try Self.lastSharing(tables.globals) == .localOnly
  }

  /// How the database was last opened. A database that was never shared doesn't say.
  private static func lastSharing(_ globals: GlobalTable) throws -> Sharing {
    try globals.integer("shared").flatMap(Sharing.init) ?? .localOnly
  }

  /// Makes the database shared or local-only, and shows the writes of a user.
  ///
  /// - Parameters:
  ///   - sharing: whether documents come from and go to a remote.
  ///   - user: the user who is signed in.
  ///   - isUserKnown: whether that is known; otherwise the last user stays.
  ///   - time: the current time, for documents that are pending now that there is a remote.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database holds documents of a remote and is to
  ///   become local-only; `SQLiteError`.
  func open(as sharing: Sharing, user: String?, isUserKnown: Bool, at time: Timestamp) throws {
    let hasRemote = sharing != .localOnly
    guard hasRemote || !isNew else { return }
    if !isNew { try tables.users.load() }
    // In a transaction, because another process may open the database for the first time as well.
    try transactions.write { transaction in
      try convert(to: sharing, user: user, at: time, in: transaction)
      guard hasRemote else { return }
      try tables.users.load()
      if isUserKnown, tables.users.current != user {
        try tables.overlays.showWrites(of: user, in: transaction)
      }
    }
  }

  private func convert(
    to sharing: Sharing, user: String?, at time: Timestamp, in transaction: WriteTransaction
  ) throws {
    let former = try Self.lastSharing(tables.globals)
    switch (former, sharing) {
    case (.localOnly, .localOnly): return
    case (.awaitsRemote, .localOnly): try stopWaiting(at: time, in: transaction)
    case (.remote, .localOnly): throw StoreError.shared(tables.reader.path)
    case (.localOnly, _):
      try tables.users.set(user, in: transaction)
      try writes.appendAllDocuments(at: time, in: transaction)
    default: break
    }
    // A database that had a remote goes on waiting for it.
    if former != .remote {
      let value: SQLValue = sharing == .localOnly ? .null : .integer(sharing.rawValue)
      try tables.globals.set("shared", value, in: transaction)
    }
  }

  /// Makes documents final whose writes waited for a remote that never came.
  private func stopWaiting(at time: Timestamp, in transaction: WriteTransaction) throws {
    // What other users wrote isn't shown, and would be lost.
    guard try !tables.queue.hasBatches(ofOthersThan: tables.users.current) else {
      throw StoreError.shared(tables.reader.path)
    }
    try tables.documents.makeFinal(at: time, in: transaction)
    try tables.queue.removeAll(in: transaction)
    try tables.bases.removeAll(in: transaction)
    try tables.targets.removeAll(in: transaction)
    try tables.uses.removeAll(in: transaction)
  }
}

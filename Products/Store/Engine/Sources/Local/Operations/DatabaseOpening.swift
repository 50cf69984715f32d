import TenonDocuments
import TenonSQLite
import TenonValues

/// Whether the documents of a database are synchronized with a remote. The raw values are stored in the file.
package enum Sharing: Int64, Sendable {
  /// The documents on this device are authoritative.
  case localOnly = 0
  /// There is a remote.
  case remote = 1
  /// Writes are queued for a remote that isn't available yet.
  case awaitsRemote = 2
}

/// Converts a database to a shared or local-only one when it is opened.
///
/// The conversions are:
/// - From local-only to shared: every document becomes a pending write that sets it, of the user who is
///   signed in, unless its collection exists only on this device.
/// - From awaiting a remote to local-only: the queued writes become final; the queue, the bases, the targets
///   and the last uses are deleted. This is refused if other users have queued writes.
/// - From awaiting a remote to having one: only the record changes; the queued writes are then sent.
/// - From having a remote to awaiting one: nothing changes, and the record remains that of a database with a
///   remote.
/// - From having a remote to local-only: refused.
///
/// A conversion runs in one transaction that reads the previous state as well, so that one of several
/// processes performs it. If it fails, the next attempt to open the database repeats it.
package struct DatabaseOpening {
  private let tables: LocalTables
  private let transactions: Transactions
  private let writes: WriteQueueing
  /// Whether the database has never been shared.
  private let isNew: Bool

  /// Reads how the database was last opened.
  ///
  /// - Throws: `SQLiteError`.
  init(_ tables: LocalTables, transactions: Transactions, writes: WriteQueueing) throws {
    self.tables = tables
    self.transactions = transactions
    self.writes = writes
    isNew = try Self.lastSharing(tables.globals) == .localOnly
  }

  /// Returns how the database was last opened; `localOnly` if it was never shared, which isn't recorded. A
  /// raw value that this version doesn't know counts as missing.
  ///
  /// - Throws: `SQLiteError`.
  package static func lastSharing(_ globals: GlobalTable) throws -> Sharing {
    try globals.integer("shared").flatMap(Sharing.init) ?? .localOnly
  }

  /// Makes the database shared or local-only, and shows the pending writes of a user.
  ///
  /// - Parameters:
  ///   - sharing: whether documents are synchronized with a remote.
  ///   - user: the signed-in user's ID; `nil` if no user is signed in.
  ///   - isUserKnown: whether `user` is known; otherwise the last user remains current.
  ///   - localCollections: the collections that exist only on this device; `nil` keeps those declared last.
  ///     Their documents don't become pending.
  ///   - time: the current time, for documents that become pending because the database now has a remote.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database contains documents
  ///   of a remote and is to become local-only, or if `localCollections` contradicts its documents;
  ///   `SQLiteError`.
  func open(
    as sharing: Sharing, user: String?, isUserKnown: Bool, localCollections: Set<String>? = nil,
    at time: Timestamp
  ) throws {
    let hasRemote = sharing != .localOnly
    try tables.localCollections.load()
    let isDeclared = localCollections.map { $0.areEqual(bytesOf: tables.localCollections.ids) } ?? true
    guard hasRemote || !isNew || !isDeclared else { return }
    if !isNew { try tables.users.load() }
    // In a transaction, because another process may open the database for the first time concurrently.
    try transactions.write { transaction in
      if let localCollections {
        let isShared = try Self.lastSharing(tables.globals) != .localOnly
        try tables.localCollections.declare(localCollections, isShared: isShared, in: transaction)
      }
      try convert(to: sharing, user: user, at: time, in: transaction)
      guard hasRemote else { return }
      try tables.users.load()
      if isUserKnown, tables.users.current != user {
        try tables.overlays.showWrites(of: user, in: transaction)
      }
    }
  }

  /// Opens a database that can't be written. It isn't converted.
  ///
  /// - Parameter sharing: whether documents are to be synchronized with a remote.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if they are, or if the database was
  ///   last opened in that way: the state of synchronization has to be saved. `SQLiteError`.
  func openReadOnly(as sharing: Sharing) throws {
    guard sharing == .localOnly, isNew else {
      throw StoreError.readOnly(
        tables.reader.path,
        "only a local-only database can be opened for reading, and "
          + (isNew ? "this one is opened with a remote" : "this one was used with a remote"))
    }
    try tables.localCollections.load()
  }

  /// Converts the database from the way in which it was last opened, which is read again within the
  /// transaction.
  ///
  /// - Throws: as ``open(as:user:isUserKnown:at:)``.
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
      let localCollections = tables.localCollections
      try writes.appendAllDocuments(at: time, in: transaction) { !localCollections.contains($0) }
    default: break
    }
    // A database that had a remote continues to wait for it.
    if former != .remote {
      let value: SQLValue = sharing == .localOnly ? .null : .integer(sharing.rawValue)
      try tables.globals.set("shared", value, in: transaction)
    }
  }

  /// Makes the queued writes final, whose remote never became available.
  ///
  /// - Parameters:
  ///   - time: the time that becomes the update time of the documents.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if other users have queued writes.
  private func stopWaiting(at time: Timestamp, in transaction: WriteTransaction) throws {
    // The writes of other users aren't visible, and would be lost.
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

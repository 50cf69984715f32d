import TenonFoundation
import TenonSQLite

/// The user whose writes are shown and sent, and for each user the stream token of the write stream and the
/// last batch that was sent, in the table `globals`.
///
/// The current user is kept in memory, and restored when a transaction is rolled back. If another process
/// changes the stored user, this one continues with its own until it calls ``load()``.
package final class UserTable {
  private let globals: GlobalTable
  /// The current user's ID; `nil` if no user is signed in.
  private(set) var current: String?
  /// The user before the open transaction, which a rollback restores; `nil` if no transaction is open.
  private var saved: String??

  init(_ globals: GlobalTable) { self.globals = globals }

  /// Reads the user whose writes were shown last, possibly by another process; `nil` if that was the
  /// signed-out user, or the database is new.
  ///
  /// - Throws: `SQLiteError`.
  package func load() throws { current = try globals.text("user") }

  /// Sets the current user, in memory and in the file. Their writes must be shown by
  /// ``Overlays/showWrites(of:in:)``, unless there are none.
  ///
  /// - Throws: `SQLiteError`.
  func set(_ user: String?, in transaction: WriteTransaction) throws {
    current = user
    try globals.set("user", .text(user), in: transaction)
  }

  /// Returns the last stream token of the current user's write stream; `nil` if there is none.
  ///
  /// - Throws: `SQLiteError`.
  func writeToken() throws -> Data? { try globals.blob(tokenName) }

  /// Sets the stream token of the current user's write stream; `nil` removes it.
  ///
  /// - Throws: `SQLiteError`.
  func setWriteToken(_ token: Data?, in transaction: WriteTransaction) throws {
    try globals.set(tokenName, .blob(token), in: transaction)
  }

  /// Returns the ID of the last batch of the current user that may have reached the remote, and with it all
  /// before it; 0 if there is none.
  ///
  /// - Throws: `SQLiteError`.
  func lastSent() throws -> Int64 { try globals.integer(sentName) ?? 0 }

  /// Records that a batch of the current user may have reached the remote.
  ///
  /// - Throws: `SQLiteError`.
  func setLastSent(_ id: Int64, in transaction: WriteTransaction) throws {
    try globals.set(sentName, .integer(id), in: transaction)
  }

  /// The name of the current user's last sent batch in the table `globals`.
  private var sentName: String { "sent:\(current ?? "")" }

  /// The name of the current user's token in the table `globals`.
  private var tokenName: String { "token:\(current ?? "")" }
}

extension UserTable: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) { saved = .some(current) }
  func transactionCommitted() { saved = nil }

  func transactionRolledBack() {
    if let saved { current = saved }
    saved = nil
  }
}

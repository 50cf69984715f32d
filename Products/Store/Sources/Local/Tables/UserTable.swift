import Foundation
import TenonSQLite

/// The user whose writes are shown and sent, and the stream token of each user's write stream, in the table `globals`.
final class UserTable {
  private let globals: GlobalTable
  /// The current user's ID; `nil` if no user is signed in.
  private(set) var current: String?
  /// The user before the open transaction, which a rollback restores; `nil` if no transaction is open.
  private var saved: String??

  init(_ globals: GlobalTable) { self.globals = globals }

  /// Reads the user whose writes were shown last, possibly by another process.
  func load() throws { current = try globals.text("user") }

  func set(_ user: String?, in transaction: WriteTransaction) throws {
    current = user
    try globals.set("user", .text(user), in: transaction)
  }

  /// Returns the last stream token of the current user's write stream.
  func writeToken() throws -> Data? { try globals.blob(tokenName) }

  func setWriteToken(_ token: Data?, in transaction: WriteTransaction) throws {
    try globals.set(tokenName, .blob(token), in: transaction)
  }

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

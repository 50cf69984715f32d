import Foundation
import TenonSQLite

extension EmbeddedDatabase {
  func account(id: String) throws -> Account? {
    try opened().first(
      "SELECT record FROM accounts WHERE project = ? AND id = ?",
      [.text(projectID), .text(id)]
    ) { row in try JSONDecoder().decode(Account.self, from: row.blob(0)) }
  }

  /// - Parameter email: in lower case.
  func account(email: String) throws -> Account? {
    try opened().first(
      "SELECT record FROM accounts WHERE project = ? AND email = ?",
      [.text(projectID), .text(email)]
    ) { row in try JSONDecoder().decode(Account.self, from: row.blob(0)) }
  }

  func save(_ account: Account) throws {
    try opened().run(
      """
      INSERT INTO accounts (project, id, email, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (project, id) DO UPDATE SET email = excluded.email, record = excluded.record
      """,
      [
        .text(projectID), .text(account.localId), .text(account.email), .blob(JSONEncoder().encode(account)),
      ]
    )
  }

  /// Deletes a user. Their refresh tokens stay known, so that their holders learn that the user is gone.
  func deleteAccount(id: String) throws {
    try opened().run("DELETE FROM accounts WHERE project = ? AND id = ?", [.text(projectID), .text(id)])
  }

  func insert(_ session: AccountSession, issued: Timestamp) throws {
    try opened().run(
      """
      INSERT INTO sessions (project, refresh_token, account, provider, epoch, issued)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(projectID), .text(session.refreshToken), .text(session.userID), .text(session.provider),
        .integer(session.epoch), .integer(issued.milliseconds),
      ]
    )
  }

  func session(_ refreshToken: String) throws -> AccountSession? {
    try opened().first(
      "SELECT account, provider, epoch FROM sessions WHERE project = ? AND refresh_token = ?",
      [.text(projectID), .text(refreshToken)]
    ) { row in
      AccountSession(
        refreshToken: refreshToken,
        userID: row.text(0),
        provider: row.text(1),
        epoch: Int(row.integer(2))
      )
    }
  }
}

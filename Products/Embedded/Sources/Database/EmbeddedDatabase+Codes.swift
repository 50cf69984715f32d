import Foundation
import TenonSQLite

extension EmbeddedDatabase {
  /// How many unused codes are kept: beyond that, the oldest are given up.
  private static let pendingCodes: Int64 = 10_000

  func insert(_ code: AccountCode) throws {
    let connection = try opened()
    try connection.run(
      "INSERT INTO codes (project, code, record) VALUES (?, ?, ?)",
      [.text(projectID), .text(code.code), .blob(JSONEncoder().encode(code))]
    )
    try connection.run(
      "DELETE FROM codes WHERE number <= ?", [.integer(connection.lastInsertedRowID - Self.pendingCodes)])
  }

  func code(_ code: String) throws -> AccountCode? {
    try opened().first(
      "SELECT record FROM codes WHERE project = ? AND code = ?",
      [.text(projectID), .text(code)]
    ) { row in try JSONDecoder().decode(AccountCode.self, from: row.blob(0)) }
  }

  func deleteCode(_ code: String) throws {
    try opened().run("DELETE FROM codes WHERE project = ? AND code = ?", [.text(projectID), .text(code)])
  }

  /// The codes that nobody has used yet, the oldest first.
  func codes() throws -> [AccountCode] {
    try opened().rows("SELECT record FROM codes WHERE project = ? ORDER BY number", [.text(projectID)]) {
      row in
      try JSONDecoder().decode(AccountCode.self, from: row.blob(0))
    }
  }
}

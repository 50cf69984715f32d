import Foundation
import TenonSQLite

extension EmbeddedDatabase {
  func insert(_ code: AccountCode) throws {
    try opened().run(
      "INSERT INTO codes (project, code, record) VALUES (?, ?, ?)",
      [.text(projectID), .text(code.code), .blob(JSONEncoder().encode(code))]
    )
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

import TenonFoundation
import TenonJSON
import TenonSQLite

extension EmbeddedDatabase {
  /// The greatest number of unused codes. Beyond it, the oldest are deleted.
  private static let pendingCodes: Int64 = 10_000

  /// Inserts a code, and deletes the oldest codes if there are too many.
  func insert(_ code: AccountCode) throws {
    let connection = try opened()
    try connection.run(
      "INSERT INTO codes (project, code, record) VALUES (?, ?, ?)",
      [.text(space), .text(code.code), .blob(JSONEncoder().encode(code))]
    )
    try connection.run(
      "DELETE FROM codes WHERE number <= ?", [.integer(connection.lastInsertedRowID - Self.pendingCodes)])
  }

  /// Returns a code that hasn't been used; `nil` if there is none.
  func code(_ code: String) throws -> AccountCode? {
    try opened().first(
      "SELECT record FROM codes WHERE project = ? AND code = ?",
      [.text(space), .text(code)]
    ) { row in try JSON.decode(AccountCode.self, from: row.blob(0)) }
  }

  /// Deletes a code. Does nothing if there is none.
  func deleteCode(_ code: String) throws {
    try opened().run("DELETE FROM codes WHERE project = ? AND code = ?", [.text(space), .text(code)])
  }

  /// Returns the codes that haven't been used, in the order of their creation.
  func codes() throws -> [AccountCode] {
    try opened().rows("SELECT record FROM codes WHERE project = ? ORDER BY number", [.text(space)]) {
      row in
      try JSON.decode(AccountCode.self, from: row.blob(0))
    }
  }
}

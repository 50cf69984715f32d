import TenonFoundation
import TenonSQLite
import TenonTransport

/// What App Check stores: the key of tokens, debug tokens, and which tokens were consumed.
extension EmbeddedDatabase {
  /// Returns the stored form of the key; `nil` if none has been generated.
  func appCheckKey() throws -> Data? {
    try opened().first("SELECT private_key FROM app_check_keys") { $0.blob(0) }
  }

  /// Returns the stored form of the key, and generates one if there is none. It is generated outside of the
  /// transaction, which would otherwise hold the write lock for a tenth of a second. If several processes generate one, the
  /// first that is stored is used by all.
  func makeAppCheckKey() throws -> Data {
    if let stored = try read({ try $0.appCheckKey() }) { return stored }
    guard let bytes = try AppCheckKey.generated() else {
      throw Refusal(
        500, "libcrypto can't generate a key for App Check tokens. Check its installation.",
        reason: "backendError", statusName: "INTERNAL")
    }
    return try transaction { database in
      if let stored = try database.appCheckKey() { return stored }
      try database.opened().run("INSERT INTO app_check_keys (private_key) VALUES (?)", [.blob(Data(bytes))])
      return Data(bytes)
    }
  }

  /// Consumes a token.
  ///
  /// - Parameters:
  ///   - id: the ID of the token.
  ///   - expires: the time at which it expires, in seconds since 1970, until which it is remembered.
  ///   - limit: the greatest number of tokens that are remembered.
  /// - Returns: whether the token had been consumed before; `nil` if it can't be remembered, because there are
  ///   as many as the limit.
  func consumeAppCheckToken(_ id: String, expires: Int64, limit: Int) throws -> Bool? {
    let connection = try opened()
    let known = try connection.first("SELECT 1 FROM consumed_tokens WHERE id = ?", [.text(id)]) { _ in true }
    guard known == nil else { return true }
    try connection.run("DELETE FROM consumed_tokens WHERE expires <= ?", [.integer(now().seconds)])
    let count = try connection.first("SELECT count(*) FROM consumed_tokens") { $0.integer(0) } ?? 0
    guard count < Int64(clamping: limit) else { return nil }
    try connection.run(
      "INSERT INTO consumed_tokens (id, expires) VALUES (?, ?)", [.text(id), .integer(expires)])
    return false
  }

  // MARK: - Debug tokens

  /// Returns whether a debug token was ever registered in the project: from then on, no others are accepted.
  func hasDebugTokens() throws -> Bool {
    try opened().first("SELECT 1 FROM debug_token_projects WHERE project = ?", [.text(projectID)]) { _ in true
    }
      ?? false
  }

  /// Returns whether a debug token is registered for an app.
  func isRegistered(debugToken digest: Data, of app: String) throws -> Bool {
    try opened().first(
      "SELECT 1 FROM debug_tokens WHERE project = ? AND app = ? AND digest = ?",
      [.text(projectID), .text(app), .blob(digest)]
    ) { _ in true } ?? false
  }

  /// Returns the debug tokens of an app, in the order of their IDs.
  func debugTokens(of app: String) throws -> [DebugTokenRecord] {
    try opened().rows(
      "SELECT record FROM debug_tokens WHERE project = ? AND app = ? ORDER BY id",
      [.text(projectID), .text(app)]
    ) { row in try JSON.decode(DebugTokenRecord.self, from: row.blob(0)) }
  }

  /// Returns a debug token; `nil` if the app has none with the ID.
  func debugToken(_ id: String, of app: String) throws -> DebugTokenRecord? {
    try opened().first(
      "SELECT record FROM debug_tokens WHERE project = ? AND app = ? AND id = ?",
      [.text(projectID), .text(app), .text(id)]
    ) { row in try JSON.decode(DebugTokenRecord.self, from: row.blob(0)) }
  }

  /// Registers a debug token.
  ///
  /// - Parameter digest: the SHA-256 of the token in lower case, in place of the secret.
  func insert(_ record: DebugTokenRecord, digest: Data, of app: String) throws {
    let connection = try opened()
    try connection.run(
      "INSERT OR IGNORE INTO debug_token_projects (project) VALUES (?)", [.text(projectID)])
    try connection.run(
      "INSERT INTO debug_tokens (project, app, id, digest, record) VALUES (?, ?, ?, ?, ?)",
      [
        .text(projectID), .text(app), .text(record.id), .blob(digest),
        .blob(try JSONEncoder().encode(record)),
      ])
  }

  /// Replaces what is known of a debug token.
  func update(_ record: DebugTokenRecord, of app: String) throws {
    try opened().run(
      "UPDATE debug_tokens SET record = ? WHERE project = ? AND app = ? AND id = ?",
      [.blob(try JSONEncoder().encode(record)), .text(projectID), .text(app), .text(record.id)])
  }

  /// Deletes a debug token.
  func deleteDebugToken(_ id: String, of app: String) throws {
    try opened().run(
      "DELETE FROM debug_tokens WHERE project = ? AND app = ? AND id = ?",
      [.text(projectID), .text(app), .text(id)])
  }
}

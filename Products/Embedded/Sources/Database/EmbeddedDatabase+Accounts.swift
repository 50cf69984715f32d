import TenonFoundation
import TenonSQLite
import TenonTransport
import TenonValues

extension EmbeddedDatabase {
  /// Returns the account with an ID; `nil` if there is none.
  func account(id: String) throws -> Account? {
    try opened().first(
      "SELECT record FROM accounts WHERE project = ? AND id = ?",
      [.text(space), .text(id)]
    ) { row in try JSON.decode(Account.self, from: row.blob(0)) }
  }

  /// Returns the account with an address; `nil` if there is none.
  ///
  /// - Parameter email: the address in its canonical form.
  func account(email: String) throws -> Account? {
    try opened().first(
      "SELECT record FROM accounts WHERE project = ? AND email = ?",
      [.text(space), .text(email)]
    ) { row in try JSON.decode(Account.self, from: row.blob(0)) }
  }

  /// Inserts an account, or replaces the one with the same ID.
  ///
  /// A new account is an event, unless it is imported or its user signs in with a custom token, as on
  /// Firebase. The functions of the backend's project receive no events of others.
  ///
  /// - Parameters:
  ///   - account: the account.
  ///   - isImported: whether the account is imported.
  /// - Throws: `SQLiteError` with `constraint` if another account has the address or an identity.
  func save(_ account: Account, isImported: Bool = false) throws {
    var account = account
    account.tenantId = tenantID
    if !isImported, accountProject == projectID, account.customAuth != true,
      try self.account(id: account.localId) == nil
    {
      try record(.userCreated, account)
    }
    try opened().run(
      """
      INSERT INTO accounts (project, id, email, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (project, id) DO UPDATE SET email = excluded.email, record = excluded.record
      """,
      [
        .text(space), .text(account.localId), .text(account.email), .blob(JSONEncoder().encode(account)),
      ]
    )
    try saveIdentities(of: account)
    try savePasskeys(of: account)
  }

  /// Replaces the identities of an account at providers.
  private func saveIdentities(of account: Account) throws {
    let connection = try opened()
    try connection.run(
      "DELETE FROM identities WHERE project = ? AND account = ?",
      [.text(space), .text(account.localId)]
    )
    for provider in account.federated {
      try connection.run(
        "INSERT INTO identities (project, provider, raw_id, email, account) VALUES (?, ?, ?, ?, ?)",
        [
          .text(space), .text(provider.providerId), .text(provider.rawId), .text(provider.email),
          .text(account.localId),
        ]
      )
    }
  }

  /// Replaces the passkeys by which an account is found.
  private func savePasskeys(of account: Account) throws {
    let connection = try opened()
    try connection.run(
      "DELETE FROM passkeys WHERE project = ? AND account = ?", [.text(space), .text(account.localId)])
    for passkey in account.passkeyInfo ?? [] {
      try connection.run(
        "INSERT INTO passkeys (project, credential, account) VALUES (?, ?, ?)",
        [.text(space), .text(passkey.credentialId), .text(account.localId)])
    }
  }

  /// Returns the account with a passkey; `nil` if there is none.
  ///
  /// - Parameter credentialID: the ID of the credential, in base64url.
  func account(passkey credentialID: String) throws -> Account? {
    let id = try opened().first(
      "SELECT account FROM passkeys WHERE project = ? AND credential = ?",
      [.text(space), .text(credentialID)]
    ) { $0.text(0) }
    return try id.flatMap { try account(id: $0) }
  }

  /// Returns the account with an identity; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - provider: the provider's ID.
  ///   - rawID: the user's ID at the provider.
  func account(provider: String, rawID: String) throws -> Account? {
    let id = try opened().first(
      "SELECT account FROM identities WHERE project = ? AND provider = ? AND raw_id = ?",
      [.text(space), .text(provider), .text(rawID)]
    ) { $0.text(0) }
    return try id.flatMap { try account(id: $0) }
  }

  /// Returns the accounts with an identity that has an address.
  ///
  /// - Parameter providerEmail: the address in its canonical form.
  func accounts(providerEmail: String) throws -> [Account] {
    try opened().rows(
      "SELECT DISTINCT account FROM identities WHERE project = ? AND email = ?",
      [.text(space), .text(providerEmail)]
    ) { $0.text(0) }.compactMap { try account(id: $0) }
  }

  /// Returns accounts in the order of their IDs.
  ///
  /// - Parameters:
  ///   - id: the ID after which to begin; `nil` to begin with the first account.
  ///   - offset: the number of accounts to skip, at least 0.
  ///   - limit: the greatest number of accounts to return.
  /// - Complexity: O(*offset* + *limit*).
  func accounts(after id: String?, skipping offset: Int64 = 0, limit: Int) throws -> [Account] {
    try opened().rows(
      "SELECT record FROM accounts WHERE project = ? AND id > ? ORDER BY id LIMIT ? OFFSET ?",
      [.text(space), .text(id ?? ""), .integer(limit), .integer(offset)]
    ) { row in try JSON.decode(Account.self, from: row.blob(0)) }
  }

  /// Returns the number of accounts of the project or tenant.
  ///
  /// - Complexity: O(*n*) in the number of accounts.
  func countAccounts() throws -> Int64 {
    try opened().first("SELECT count(*) FROM accounts WHERE project = ?", [.text(space)]) {
      $0.integer(0)
    } ?? 0
  }

  /// Deletes all accounts of the project or tenant. Their sessions and codes remain.
  func deleteAllAccounts() throws {
    for table in ["accounts", "identities", "passkeys"] {
      try opened().run("DELETE FROM \(table) WHERE project = ?", [.text(space)])
    }
  }

  /// Deletes an account. Its refresh tokens remain, so that using one fails with `USER_NOT_FOUND` rather than
  /// `INVALID_REFRESH_TOKEN`.
  ///
  /// - Parameters:
  ///   - id: the user's ID.
  ///   - isInBatch: whether several accounts are deleted, which isn't an event.
  func deleteAccount(id: String, isInBatch: Bool = false) throws {
    if !isInBatch, accountProject == projectID, let account = try account(id: id) {
      try record(.userDeleted, account)
    }
    try opened().run("DELETE FROM accounts WHERE project = ? AND id = ?", [.text(space), .text(id)])
    for table in ["identities", "passkeys"] {
      try opened().run(
        "DELETE FROM \(table) WHERE project = ? AND account = ?", [.text(space), .text(id)])
    }
  }

  /// Inserts a session. The claims are stored as JSON text, and as `NULL` if there are none.
  ///
  /// - Parameters:
  ///   - session: the session. No other one of the project may have its refresh token.
  ///   - issued: the time of the sign-in.
  /// - Throws: the error of SQLite, also if the refresh token exists already.
  func insert(_ session: AccountSession, issued: Timestamp) throws {
    try opened().run(
      """
      INSERT INTO sessions (project, refresh_token, account, provider, epoch, issued, claims, second_factor)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(space), .text(session.refreshToken), .text(session.userID), .text(session.provider),
        .integer(session.epoch), .integer(issued.millisecondsSince1970),
        session.claims.isEmpty
          ? .null : .text(String(decoding: JSON.object(session.claims).serialized, as: UTF8.self)),
        .text(session.secondFactor?.text),
      ]
    )
  }

  /// Returns the session of a refresh token; `nil` if there is none. The account may have been deleted since.
  ///
  /// - Parameter refreshToken: the token, which is compared exactly.
  /// - Throws: an error if the record is damaged.
  func session(_ refreshToken: String) throws -> AccountSession? {
    try opened().first(
      """
      SELECT account, provider, epoch, claims, second_factor FROM sessions
      WHERE project = ? AND refresh_token = ?
      """,
      [.text(space), .text(refreshToken)]
    ) { row in
      AccountSession(
        refreshToken: refreshToken,
        userID: row.text(0),
        provider: row.text(1),
        epoch: Int(clamping: row.integer(2)),
        claims: try row.optionalText(3).flatMap { try JSON(parsing: Data($0.utf8)).object } ?? [:],
        secondFactor: row.optionalText(4).flatMap(ProvenFactor.init)
      )
    }
  }
}

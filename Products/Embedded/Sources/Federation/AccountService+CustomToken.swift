import TenonTransport

extension AccountService {
  /// Handles `accounts:signInWithCustomToken`: signs in the user of a custom token, and creates the user if
  /// necessary
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithCustomToken).
  ///
  /// - Parameter call: the request, with `token`.
  /// - Returns: `isNewUser`, and the tokens of a new session. Its ID tokens have the claims of the custom
  ///   token.
  /// - Throws: ``Refusal`` with `MISSING_CUSTOM_TOKEN`, `TENANT_ID_MISMATCH`, `USER_DISABLED` or an error of ``CustomToken``.
  func signInWithCustomToken(_ call: AccountCall) async throws -> JSON {
    guard let text = call.text("token"), !text.isEmpty else { throw Self.refusal("MISSING_CUSTOM_TOKEN") }
    let custom = try CustomToken(text)
    guard custom.tenantID == tenantID else { throw Self.refusal("TENANT_ID_MISMATCH") }
    let projectID = projectID
    let now = now()
    return try await database.transaction { database in
      let found = try database.account(id: custom.userID)
      var account = found ?? Account(id: custom.userID, now: now)
      guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
      account.customAuth = true
      account.lastLoginAt = now.millisecondsSince1970
      let answer: [String: JSON] = [
        "kind": "identitytoolkit#VerifyCustomTokenResponse", "isNewUser": .bool(found == nil),
      ]
      let tokens = try Self.tokens(
        for: account,
        provider: "custom",
        claims: custom.claims,
        projectID: projectID,
        now: now,
        in: database
      )
      return .object(answer.merging(tokens) { $1 })
    }
  }
}

/// Codes that Firebase would mail to users.
extension Embedded {
  /// The codes that nobody has used yet, the oldest first. The backend mails nothing, so tests and tools read here
  /// what a user would find in their mail.
  ///
  /// ```swift
  /// try await Auth.auth().sendPasswordReset(withEmail: "ada@example.com")
  /// let code = try await Embedded.embedded().accountCodes().last?.code
  /// ```
  public func accountCodes() async throws -> [AccountCode] { try await accounts.database.codes() }
}

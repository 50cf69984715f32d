/// The codes that Firebase would send to users by email.
extension Embedded {
  /// Returns the codes that haven't been used, in the order of their creation. The backend sends no email, so
  /// tests and tools read the codes here.
  ///
  /// ```swift
  /// try await Auth.auth().sendPasswordReset(withEmail: "ada@example.com")
  /// let code = try await Embedded.embedded().accountCodes().last?.code
  /// ```
  ///
  /// At most 10,000 unused codes are kept; beyond that, the oldest are deleted.
  ///
  /// - Throws: an error if the database can't be read.
  public func accountCodes() async throws -> [AccountCode] { try await accounts.database.codes() }
}

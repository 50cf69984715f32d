/// Emails to the user. Each operation throws ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user
/// is no longer the current one.
extension User {
  /// Sends an email with a link that verifies the user's email address.
  ///
  /// - Parameter actionCodeSettings: the link's target; the project's page if `nil`.
  public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) async throws {
    try await withFreshToken { server, idToken in
      try await server.sendCode(CodeRequest(.verifyEmail, idToken: idToken, actionCodeSettings))
    }
  }

  /// Sends an email with a link to a new email address, which becomes the user's when the link is opened. The
  /// server then ends the user's sessions, and the user signs in again with the new address.
  ///
  /// - Parameters:
  ///   - email: the new address.
  ///   - actionCodeSettings: the link's target; the project's page if `nil`.
  public func sendEmailVerification(
    beforeUpdatingEmail email: String,
    actionCodeSettings: ActionCodeSettings? = nil
  ) async throws {
    try Auth.check(email: email)
    try await withFreshToken { server, idToken in
      let request = CodeRequest(.verifyAndChangeEmail, newEmail: email, idToken: idToken, actionCodeSettings)
      try await server.sendCode(request)
    }
  }
}

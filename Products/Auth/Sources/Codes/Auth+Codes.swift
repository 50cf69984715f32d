import TenonCore
import TenonFoundation

/// Emails with a link, and the action codes in the links.
extension Auth {
  /// Sends an email with a link for setting a new password.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - actionCodeSettings: the link's target; the project's page if `nil`.
  /// - Throws: ``AuthError``; with ``AuthError/Code/userNotFound`` if no user has the address, except in
  ///   projects with email enumeration protection.
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws {
    try Self.check(email: email)
    try await server.sendCode(CodeRequest(.passwordReset, email: email, actionCodeSettings))
  }

  /// Sends an email with a link that signs in the user with that address. Store the address until the link is
  /// opened: ``signIn(withEmail:link:)`` requires it.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - actionCodeSettings: settings with a ``ActionCodeSettings/url``, and with
  ///     ``ActionCodeSettings/handleCodeInApp`` `true`.
  /// - Throws: ``AuthError``; with ``AuthError/Code/argumentError`` if ``ActionCodeSettings/handleCodeInApp``
  ///   is `false`.
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings
  ) async throws {
    try Self.check(email: email)
    guard actionCodeSettings.handleCodeInApp else {
      throw AuthError(
        .argumentError,
        "A link for signing in is handled by the app. Set ActionCodeSettings.handleCodeInApp to true."
      )
    }
    try await server.sendCode(CodeRequest(.emailLink, email: email, actionCodeSettings))
  }

  /// Returns whether a link is a sign-in link, for ``signIn(withEmail:link:)``. The server isn't contacted,
  /// so the link may have expired or been used.
  public func isSignIn(withEmailLink link: String) -> Bool {
    ActionCodeURL(link: link)?.operation == .emailLink
  }

  /// Returns the purpose of a code. The code stays valid.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidActionCode`` or
  ///   ``AuthError/Code/expiredActionCode``.
  public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
    try await server.resetPassword(ResetPasswordRequest(oobCode: Self.checked(code)))
  }

  /// Applies a code: verifies, changes or restores an email address. A code can be applied once.
  ///
  /// If the code is the current user's, ``User/reload()`` updates the user.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidActionCode`` or
  ///   ``AuthError/Code/expiredActionCode``.
  public func applyActionCode(_ code: String) async throws {
    try await server.applyCode(Self.checked(code))
  }

  /// Returns the email address of the user whose password a code resets. The code stays valid.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/expiredActionCode``, and with
  ///   ``AuthError/Code/invalidActionCode`` if the code is unknown, was used before, or has another purpose.
  public func verifyPasswordResetCode(_ code: String) async throws -> String {
    let info = try await checkActionCode(code)
    guard info.operation == .passwordReset, let email = info.email else {
      throw AuthError(
        .invalidActionCode,
        "This code doesn't reset a password: its purpose is \(info.operation.rawValue). Use applyActionCode(_:)."
      )
    }
    return email
  }

  /// Sets a new password with a code. The server ends all sessions of the user.
  ///
  /// - Parameters:
  ///   - code: the code in the email's link (``ActionCodeURL/code``).
  ///   - newPassword: the new password, at least 6 characters.
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidActionCode`` or
  ///   ``AuthError/Code/expiredActionCode``.
  public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
    try Self.check(newPassword: newPassword)
    let request = try ResetPasswordRequest(oobCode: Self.checked(code), newPassword: Secret(newPassword))
    _ = try await server.resetPassword(request)
  }

  /// Returns the sign-in methods of the user with an email address: the providers' identifiers, and
  /// `emailLink` for sign-in links. Empty if there is no such user, and in projects with email enumeration
  /// protection.
  public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
    try Self.check(email: email)
    return try await server.signInMethods(for: email)
  }

  /// Returns a code as a secret.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/missingActionCode`` if it is empty.
  private static func checked(_ code: String) throws(AuthError) -> Secret {
    guard !code.isEmpty else {
      throw AuthError(.missingActionCode, "The code is missing. Pass the one in the mail's link (oobCode).")
    }
    return Secret(code)
  }

  /// Returns the code of a sign-in link. The error doesn't quote the link, which is secret.
  static func signInCode(in link: Secret) throws(AuthError) -> Secret { try signInCode(in: link.value) }

  /// Returns the code of a sign-in link.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/argumentError`` if the link isn't a sign-in link.
  static func signInCode(in link: String) throws(AuthError) -> Secret {
    guard let url = ActionCodeURL(link: link), url.operation == .emailLink else {
      throw AuthError(
        .argumentError,
        "This isn't a link for signing in. Pass the mail's link unchanged; isSignIn(withEmailLink:) recognizes one."
      )
    }
    return Secret(url.code)
  }
}

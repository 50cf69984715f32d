public import Foundation
import TenonCore

/// Mails with a link, and the codes in them.
extension Auth {
  /// Mails a link by which the user of an address sets a new password.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userNotFound``; projects that protect addresses don't tell.
  public func sendPasswordReset(to email: String, settings: ActionCodeSettings? = nil) async throws {
    try Self.check(email: email)
    try await server.sendCode(CodeRequest(.passwordReset, email: email, settings))
  }

  /// Mails a link that signs the user of an address in, whoever opens it. Keep the address: the sign-in asks for it.
  ///
  /// - Parameter settings: with a ``ActionCodeSettings/continueURL`` and ``ActionCodeSettings/handlesCodeInApp``.
  public func sendSignInLink(to email: String, settings: ActionCodeSettings) async throws {
    try Self.check(email: email)
    guard settings.handlesCodeInApp else {
      throw AuthError(
        .argumentError,
        "A link for signing in is used by the app. Set ActionCodeSettings.handlesCodeInApp to true."
      )
    }
    try await server.sendCode(CodeRequest(.emailSignIn, email: email, settings))
  }

  /// Mails a link by which the current user shows that their address is theirs.
  public func sendEmailVerification(settings: ActionCodeSettings? = nil) async throws {
    try await withFreshToken { idToken in
      try await self.server.sendCode(CodeRequest(.verifyEmail, idToken: idToken, settings))
    }
  }

  /// Mails a link to another address, which becomes the current user's as soon as it is opened. The user's sessions end
  /// by that: the user signs in again with the new address.
  public func sendEmailVerification(
    beforeUpdatingTo email: String,
    settings: ActionCodeSettings? = nil
  ) async throws {
    try Self.check(email: email)
    try await withFreshToken { idToken in
      let request = CodeRequest(.verifyAndChangeEmail, newEmail: email, idToken: idToken, settings)
      try await self.server.sendCode(request)
    }
  }

  /// What the code of a mail is for. The code stays good.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/invalidActionCode`` or ``AuthError/Code/expiredActionCode``.
  public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
    try await server.resetPassword(ResetPasswordRequest(oobCode: Self.checked(code)))
  }

  /// Does what the code of a mail is for: verifies, changes or restores an address. A code can be used once.
  ///
  /// When the code is the current user's, ``reload()`` brings the change.
  public func applyActionCode(_ code: String) async throws {
    try await server.applyCode(Self.checked(code))
  }

  /// The address whose password a code sets. The code stays good.
  public func verifyPasswordResetCode(_ code: String) async throws -> String {
    let info = try await checkActionCode(code)
    guard info.operation == .passwordReset, let email = info.email else {
      throw AuthError(
        .invalidActionCode, "This code does not set a password: it is for \(info.operation.rawValue).")
    }
    return email
  }

  /// Sets a new password by the code of a mail. Every session of the user ends by that.
  public func confirmPasswordReset(code: String, newPassword: String) async throws {
    try Self.check(newPassword: newPassword)
    let request = try ResetPasswordRequest(oobCode: Self.checked(code), newPassword: Secret(newPassword))
    _ = try await server.resetPassword(request)
  }

  /// Whether a link is one that ``signIn(email:link:)`` takes.
  public func isSignInLink(_ link: URL) -> Bool { ActionLink(link)?.operation == .emailSignIn }

  /// Signs the user of an address in with the link that was mailed there; creates them when they are new.
  @discardableResult
  public func signIn(email: String, link: URL) async throws -> AuthResult {
    try Self.check(email: email)
    return try await signIn(with: .emailLink(email: email, link: link))
  }

  /// The ways in which the user of an address can sign in; empty when there is no such user, and in projects that
  /// protect addresses.
  public func fetchSignInMethods(for email: String) async throws -> [ProviderID] {
    try Self.check(email: email)
    return try await server.signInMethods(for: email)
  }

  private static func checked(_ code: String) throws -> Secret {
    guard !code.isEmpty else {
      throw AuthError(.missingActionCode, "The code is missing. Take it from the link of the mail (oobCode).")
    }
    return Secret(code)
  }
}

public import TenonFoundation
import TenonJSON

/// Links for emails that a server sends itself. A link contains a code that acts for the user, so it is a
/// secret.
extension Admin {
  /// Returns a link with which a user sets a new password.
  ///
  /// - Parameters:
  ///   - email: the user's email address.
  ///   - actionCodeSettings: the target of the link; none if `nil`.
  /// - Throws: ``AdminError``; with ``AdminError/Code/emailNotFound`` if no user has the address.
  public func generatePasswordResetLink(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws -> URL {
    try await link("PASSWORD_RESET", email, actionCodeSettings)
  }

  /// Returns a link with which a user proves to have an email address.
  ///
  /// - Parameters:
  ///   - email: the user's email address.
  ///   - actionCodeSettings: the target of the link; none if `nil`.
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` or ``AdminError/Code/emailNotFound`` if no
  ///   user has the address.
  public func generateEmailVerificationLink(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws -> URL {
    try await link("VERIFY_EMAIL", email, actionCodeSettings)
  }

  /// Returns a link with which a user signs in, and is created if there is none.
  ///
  /// - Parameters:
  ///   - email: the user's email address.
  ///   - actionCodeSettings: the target of the link; `handleCodeInApp` must be `true`.
  /// - Throws: ``AdminError``; with ``AdminError/Code/operationNotAllowed`` if the project doesn't allow it.
  public func generateSignInWithEmailLink(
    withEmail email: String, actionCodeSettings: ActionCodeSettings
  ) async throws -> URL {
    guard actionCodeSettings.handleCodeInApp else {
      throw AdminError(.argumentError, "A link for signing in needs settings with handleCodeInApp: true.")
    }
    return try await link("EMAIL_SIGNIN", email, actionCodeSettings)
  }

  /// Returns a link with which a user proves to have a new email address, and gets it.
  ///
  /// - Parameters:
  ///   - email: the user's present email address.
  ///   - newEmail: the new one, to which the link is sent.
  ///   - actionCodeSettings: the target of the link; none if `nil`.
  /// - Throws: ``AdminError``; with ``AdminError/Code/emailAlreadyExists`` if another user has the new address.
  public func generateVerifyAndChangeEmailLink(
    withEmail email: String, newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws -> URL {
    try UserRules.check(email: newEmail)
    return try await link("VERIFY_AND_CHANGE_EMAIL", email, actionCodeSettings, newEmail: newEmail)
  }

  private func link(
    _ type: String, _ email: String, _ settings: ActionCodeSettings?, newEmail: String? = nil
  ) async throws -> URL {
    try UserRules.check(email: email)
    var members = try settings?.wire() ?? [:]
    members["requestType"] = .string(type)
    members["email"] = .string(email)
    members["newEmail"] = newEmail.map(JSON.string)
    members["returnOobLink"] = true
    let answer = try await send(
      ServerRequest(suffix: "/accounts:sendOobCode", body: .object(members), isRepeatable: true))
    if let link = answer["oobLink"]?.string.flatMap(URL.init(string:)) { return link }
    // A project that doesn't reveal which addresses it knows answers without a link.
    throw AdminError(
      .emailNotFound, "The server made no link, because no user has this email address. Check it.")
  }
}

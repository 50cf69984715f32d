import TenonFoundation

/// Changes to the account. Each throws ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no
/// longer the current one.
///
/// A new password or email address that was sent is processed to completion even if the calling task is
/// cancelled, because the server may have revoked the old tokens; the call itself then throws
/// `CancellationError` immediately.
extension User {
  /// Changes the user's password. The server ends the user's sessions on other devices.
  ///
  /// If the connection loses the answer, a sign-in with the new password determines whether the change was
  /// made, so the outcome is certain while the server can be reached.
  ///
  /// - Parameter password: the new password, at least 6 characters.
  /// - Throws: ``AuthError``; with ``AuthError/Code/requiresRecentLogin`` if the last sign-in was too long
  ///   ago.
  public func updatePassword(to password: String) async throws {
    try Auth.check(newPassword: password)
    let proof = try await signedIn().profile.email.map { (email: $0, password: Secret(password)) }
    _ = try await changing(provenBy: proof) { server, idToken in
      try await server.update(UpdateRequest(idToken: idToken, password: Secret(password)))
    }
  }

  /// Changes the user's email address immediately, without verifying it. The server ends the user's sessions
  /// on other devices; it ends this one as well if the connection loses the answer with the new tokens.
  ///
  /// ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)`` verifies the address first, and is
  /// the only way in projects with email enumeration protection.
  ///
  /// - Parameter email: the new address.
  /// - Throws: ``AuthError``; with ``AuthError/Code/requiresRecentLogin`` if the last sign-in was too long
  ///   ago, and with ``AuthError/Code/emailAlreadyInUse`` if another user has the address.
  public func updateEmail(to email: String) async throws {
    try Auth.check(email: email)
    _ = try await changing { server, idToken in
      try await server.update(UpdateRequest(idToken: idToken, email: email))
    }
  }

  /// Updates the properties from the server. If the server reports that the session has ended, the user is
  /// signed out.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/networkError`` if the server can't be reached.
  public func reload() async throws {
    let session = try session
    let server = session.server.begun()
    let stored = try await signedIn()
    try await endingRefused(stored) {
      let idToken = try await session.token(of: self, forcingRefresh: false)
      try await keep(try await server.lookup(idToken), nil)
    }
  }

  /// Deletes the account permanently, and signs the user out.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/requiresRecentLogin`` if the last sign-in was too long
  ///   ago.
  public func delete() async throws {
    let session = try session
    try await withFreshToken { server, idToken in try await server.delete(idToken) }
    try await session.signOut(self)
  }
}

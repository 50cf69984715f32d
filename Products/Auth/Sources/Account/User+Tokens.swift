import TenonCore

extension User {
  /// Returns an ID token that is valid for at least five more minutes.
  ///
  /// However many callers wait, one refresh is in flight; a caller that is cancelled leaves the others waiting. If the
  /// server ends the session, the user is signed out and ``Auth/signOutReason`` is the error; if the network fails, the
  /// user stays signed in.
  ///
  /// - Parameter forceRefresh: requests a new token from the server even if the present one is still valid.
  /// - Throws: ``AuthError``; with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func getIDToken(forcingRefresh forceRefresh: Bool = false) async throws -> String {
    try await session.token(of: self, forcingRefresh: forceRefresh).value
  }

  /// Returns an ID token with its claims, under the conditions of ``getIDToken(forcingRefresh:)``.
  ///
  /// - Parameter forceRefresh: requests a new token from the server, for example after an administrator has changed the
  ///   user's claims.
  /// - Throws: as ``getIDToken(forcingRefresh:)``, and ``AuthError`` with ``AuthError/Code/malformedJWT`` if the
  ///   server's token has not the form of Firebase's.
  public func getIDTokenResult(forcingRefresh forceRefresh: Bool = false) async throws -> AuthTokenResult {
    try AuthTokenResult(try await getIDToken(forcingRefresh: forceRefresh))
  }
}

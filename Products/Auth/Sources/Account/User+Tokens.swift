import TenonCore
import TenonFoundation

extension User {
  /// Returns an ID token that is valid for at least five more minutes.
  ///
  /// Concurrent callers share one refresh; cancelling one of them doesn't affect the others. If the server
  /// ends the session, the user is signed out and ``Auth/signOutReason`` is the error; if the network fails,
  /// the user stays signed in.
  ///
  /// - Parameter forceRefresh: whether to request a new token even if the current one is still valid.
  /// - Throws: ``AuthError``; with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func getIDToken(forcingRefresh forceRefresh: Bool = false) async throws -> String {
    try await session.token(of: self, forcingRefresh: forceRefresh).value
  }

  /// Returns an ID token with its claims, under the conditions of ``getIDToken(forcingRefresh:)``.
  ///
  /// - Parameter forceRefresh: whether to request a new token even if the current one is still valid, for
  ///   example after an administrator has changed the user's claims.
  /// - Throws: as ``getIDToken(forcingRefresh:)``, and ``AuthError`` with ``AuthError/Code/malformedJWT`` if
  ///   the server's token doesn't have the form of Firebase's.
  public func getIDTokenResult(forcingRefresh forceRefresh: Bool = false) async throws -> AuthTokenResult {
    try AuthTokenResult(try await getIDToken(forcingRefresh: forceRefresh))
  }
}

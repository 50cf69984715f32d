import TenonFoundation
import TenonJSON

/// Session cookies (https://firebase.google.com/docs/auth/admin/manage-cookies).
extension Admin {
  /// How long a session cookie may be valid: 5 minutes to 14 days.
  // Checked: constants.
  private static let durations = Duration.seconds(300)...Duration.seconds(1_209_600)

  /// Returns a session cookie for the user of an ID token: a token that is valid for days, with the same
  /// claims. The cookie is a secret; send it with `HttpOnly` and `Secure`.
  ///
  /// - Parameters:
  ///   - idToken: an ID token of a recent sign-in, as the client sends it.
  ///   - expiresIn: how long the cookie is valid: 5 minutes to 14 days. Fractions of a second are ignored.
  /// - Returns: the cookie, which ``verifySessionCookie(_:checkRevoked:)`` verifies.
  /// - Throws: ``AdminError``; with ``AdminError/Code/invalidSessionCookieDuration``,
  ///   ``AdminError/Code/invalidIDToken``, ``AdminError/Code/idTokenExpired``,
  ///   ``AdminError/Code/userDisabled`` or ``AdminError/Code/userNotFound``.
  public func createSessionCookie(withIDToken idToken: String, expiresIn: Duration) async throws -> String {
    guard Self.durations.contains(expiresIn) else {
      throw AdminError(
        .invalidSessionCookieDuration,
        "A session cookie is valid for 5 minutes to 14 days, and not for \(expiresIn).")
    }
    guard !idToken.isEmpty else {
      throw AdminError(.invalidIDToken, "The ID token is empty. Pass the one that the client sends.")
    }
    let answer = try await send(
      ServerRequest(
        suffix: ":createSessionCookie",
        body: ["idToken": .string(idToken), "validDuration": .string(String(expiresIn.components.seconds))],
        secrets: [idToken], isRepeatable: true))
    guard let cookie = answer["sessionCookie"]?.string, !cookie.isEmpty else {
      throw AdminError(.internalError, "The server for accounts sent no session cookie. Try again later.")
    }
    return cookie
  }
}

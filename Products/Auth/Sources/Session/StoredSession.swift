import TenonFoundation

/// The session of a signed-in user, in the format in which it is stored across launches (``SessionFormat``).
struct StoredSession: Sendable, Hashable, Codable {
  /// The version of the format. Later versions can't be read.
  var version = SessionFormat.version
  var profile: UserProfile
  var tokens: SessionTokens

  private enum CodingKeys: String, CodingKey {
    case version, tokens
    case profile = "user"
  }

  /// Text that changes whenever the profile or the ID token does. It contains the token, and must not be
  /// printed.
  var fingerprint: String { "\(profile) \(tokens.idToken.value)" }
}

extension IDTokenClaims {
  /// Returns whether the claims name no user but the given one. A token without a user has no tenant either.
  fileprivate func belong(to profile: UserProfile) -> Bool {
    (userID == nil && tenantID == nil) || (userID == profile.uid && tenantID == profile.tenantID)
  }
}

/// The tokens of a session.
struct SessionTokens: Sendable, Hashable, Codable {
  /// The ID token, a JWT that proves the user's identity to servers.
  var idToken: Secret
  /// The refresh token, with which Secure Token issues new tokens.
  var refreshToken: Secret
  /// The time at which the ID token expires, by this machine's clock.
  var expires: Date
  /// The time at which the tokens were received, by this machine's clock; `nil` in sessions that version 0.1
  /// stored.
  var received: Date?

  /// Checks that the tokens belong to a user; a faulty connection may deliver another user's. Tokens that
  /// name no user pass.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/internalError`` if they belong to another user.
  func check(belongTo profile: UserProfile) throws(AuthError) {
    guard let claims = IDTokenClaims(idToken.value) else { return }
    guard claims.belong(to: profile) else {
      throw AuthError(
        .internalError, "The server sent the tokens of another user, which weren't accepted. Try again.")
    }
  }

  /// Returns whether the ID token is a JWT that names no user but the given one.
  func belong(to profile: UserProfile) -> Bool {
    IDTokenClaims(idToken.value)?.belong(to: profile) ?? false
  }

  /// How long before its expiry an ID token is renewed, in seconds.
  static let margin: TimeInterval = 5 * 60

  /// Returns whether the ID token is valid for at least five more minutes.
  ///
  /// Both times are this machine's, so a clock that is wrong by hours does no harm. If the clock was set back
  /// by more than five minutes since the tokens were received, their age is unknown, and the token doesn't
  /// count as fresh.
  func isFresh(at now: Date) -> Bool {
    if let received, now < received - Self.margin { return false }
    return expires > now + Self.margin
  }
}

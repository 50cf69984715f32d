import Foundation
import TenonCore

/// Who is signed in, with what proves it: all that is kept across launches.
struct StoredSession: Sendable, Hashable, Codable {
  /// The version of this form.
  var version = 1
  var user: User
  var tokens: SessionTokens
}

/// The tokens of a session.
struct SessionTokens: Sendable, Hashable, Codable {
  var idToken: Secret
  var refreshToken: Secret
  /// When the ID token expires, by this machine's clock.
  var expires: Date
  /// When the tokens came, by this machine's clock; sessions that version 0.1 kept lack it.
  var received: Date?

  /// Refuses tokens of somebody else, which a broken connection may bring.
  func check(belongTo user: User) throws(AuthError) {
    let owner = IDTokenClaims(idToken.value)?.userID
    guard owner == nil || owner == user.uid else {
      throw AuthError(.internalError, "The server sent the tokens of another user. They were not accepted.")
    }
  }

  /// How long before its end an ID token is renewed.
  static let margin: TimeInterval = 5 * 60

  /// Whether the ID token holds for five more minutes at least.
  ///
  /// Only the time that has passed since the tokens came counts, so a clock that goes wrong by hours does no harm. When
  /// it was put back meanwhile, nobody knows how much has passed.
  func isFresh(at now: Date) -> Bool {
    if let received, now < received - Self.margin { return false }
    return expires > now + Self.margin
  }
}

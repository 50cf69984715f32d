import Foundation
import TenonCore

/// A token with the times that bound its use, in the form in which it is stored across launches.
struct KeptToken: Sendable, Hashable, Codable {
  /// The version of the form.
  var version = 1
  /// The backend, the provider and the app of the token. A token of another source is not used.
  var source: String
  var value: Secret
  var received: Date
  var expires: Date

  /// How long before its expiry a token is refreshed.
  static let margin: TimeInterval = 5 * 60
  /// By how much the clock may have been set back since the token was received.
  static let clockTolerance: TimeInterval = 60

  var token: AppCheckToken { AppCheckToken(token: value.value, expirationDate: expires) }

  /// Returns whether the token is valid for at least five more minutes.
  func isFresh(at now: Date) -> Bool { expires > now + Self.margin && isOfThePast(at: now) }

  /// Returns whether the token is valid.
  func isAlive(at now: Date) -> Bool { expires > now && isOfThePast(at: now) }

  /// If the clock was set back, the token's age is unknown.
  private func isOfThePast(at now: Date) -> Bool { received <= now + Self.clockTolerance }

  /// Returns how long to wait before the token is refreshed: until five minutes after the middle of its lifetime, but
  /// not into its last five minutes, and never less than a minute.
  func refreshDelay(at now: Date) -> TimeInterval {
    let halfway = received + expires.timeIntervalSince(received) / 2 + Self.margin
    return max(60, min(halfway, expires - Self.margin).timeIntervalSince(now))
  }
}

import Foundation
import TenonCore

/// A token with what tells how long it may be used: all that is kept across launches.
struct KeptToken: Sendable, Hashable, Codable {
  /// The version of this form.
  var version = 1
  /// Where it came from, and for which app. A token of another source is none.
  var source: String
  var value: Secret
  var received: Date
  var expires: Date

  /// How long before its end a token is renewed.
  static let margin: TimeInterval = 5 * 60
  /// How far the clock may have been set back since the token came.
  static let clockTolerance: TimeInterval = 60

  var token: AppCheckToken { AppCheckToken(value.value, expires: expires) }

  /// Whether the token holds for five more minutes at least.
  func isFresh(at now: Date) -> Bool { expires > now + Self.margin && isOfThePast(at: now) }

  /// Whether the token holds at all.
  func isAlive(at now: Date) -> Bool { expires > now && isOfThePast(at: now) }

  /// By a clock that was set back, nobody can tell how old a token is.
  private func isOfThePast(at now: Date) -> Bool { received <= now + Self.clockTolerance }

  /// How long to wait before it is renewed: until half of its life and five minutes have passed, but not into its last
  /// five minutes, and never less than a minute.
  func refreshDelay(at now: Date) -> TimeInterval {
    let halfway = received + expires.timeIntervalSince(received) / 2 + Self.margin
    return max(60, min(halfway, expires - Self.margin).timeIntervalSince(now))
  }
}

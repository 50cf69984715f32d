import TenonFoundation

/// A token with the times that limit its use, in the format in which it is stored across launches.
struct KeptToken: Sendable, Hashable, Codable {
  /// The version of the format. Other versions can't be read.
  var version = 1
  /// The backend, the provider and the app of the token (``TokenRules/source``). A token of another source
  /// isn't used.
  var source: String
  var value: Secret
  /// The time at which the token was received, by this machine's clock.
  var received: Date
  /// The time at which the token expires, by this machine's clock.
  var expires: Date

  /// How long before its expiry a token is refreshed, in seconds.
  static let margin: TimeInterval = 5 * 60
  /// By how many seconds the clock may have been set back since the token was received.
  static let clockTolerance: TimeInterval = 60

  var token: AppCheckToken { AppCheckToken(token: value.value, expirationDate: expires) }

  /// Returns whether the token is valid for at least five more minutes.
  func isFresh(at now: Date) -> Bool { expires > now + Self.margin && wasReceived(before: now) }

  /// Returns whether the token is valid.
  func isAlive(at now: Date) -> Bool { expires > now && wasReceived(before: now) }

  /// Returns whether the token was received before a time. If the clock was set back since, the token's age
  /// is unknown, and the token isn't used.
  private func wasReceived(before now: Date) -> Bool { received <= now + Self.clockTolerance }

  /// Returns the time until the token is to be refreshed, in seconds: five minutes after the middle of its
  /// lifetime, but not later than five minutes before its expiry, and not before a minute has passed.
  func refreshDelay(at now: Date) -> TimeInterval {
    let halfway = received + expires.timeIntervalSince(received) / 2 + Self.margin
    return max(60, min(halfway, expires - Self.margin).timeIntervalSince(now))
  }
}

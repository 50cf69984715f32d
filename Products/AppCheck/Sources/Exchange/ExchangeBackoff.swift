import TenonCore

/// How long an exchange waits after the server refused one.
///
/// As in Firebase's SDKs: a day after answers that no repetition changes, and otherwise a time that doubles with each
/// failure, up to four hours, but not less than the server asks for, up to a day. A failing network asks for no wait.
struct ExchangeBackoff: Sendable {
  private static let day = Duration.seconds(24 * 3_600)
  private static let backoff = Backoff(first: .seconds(2), longest: .seconds(4 * 3_600))

  private var failures = 0
  private var end: ContinuousClock.Instant?

  /// The time until the next exchange may be made; `nil` when it may be made at once.
  func remaining(at now: ContinuousClock.Instant) -> Duration? {
    guard let end, end > now else { return nil }
    return end - now
  }

  mutating func succeed() { self = ExchangeBackoff() }

  /// - Parameters:
  ///   - retryAfter: what the server asks to wait.
  ///   - random: a number from 0 up to 1.
  mutating func fail(
    status: Int, retryAfter: Duration? = nil, at now: ContinuousClock.Instant, random: Double
  ) {
    failures += 1
    switch status {
    case 400, 404: end = now + Self.day
    default:
      end = now + max(Self.backoff.delay(after: failures, random: random), min(retryAfter ?? .zero, Self.day))
    }
  }
}

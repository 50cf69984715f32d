import TenonCore

/// How long the next exchange waits after the server rejected one.
///
/// As in Firebase's SDKs: a day after answers that retrying does not change; otherwise a time that doubles with each
/// failure, up to four hours, but not less than the server requests, up to a day. A failure of the network causes no
/// wait.
struct ExchangeBackoff: Sendable {
  private static let day = Duration.seconds(24 * 3_600)
  private static let backoff = Backoff(first: .seconds(2), longest: .seconds(4 * 3_600))

  private var failures = 0
  private var end: ContinuousClock.Instant?

  /// Returns the time until the next exchange may be made; `nil` if it may be made at once.
  func remaining(at now: ContinuousClock.Instant) -> Duration? {
    guard let end, end > now else { return nil }
    return end - now
  }

  mutating func succeed() { self = ExchangeBackoff() }

  /// - Parameters:
  ///   - retryAfter: the wait that the server requests; `nil` if it requests none.
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

import TenonFoundation

/// The time that must pass before the next exchange after the server rejected one.
///
/// As in Firebase's SDKs: a day after status 400 and 404, which a retry doesn't change; otherwise a time that
/// doubles with each failure, from two seconds to four hours, but not less than the server requests, up to a
/// day. A network failure causes no wait.
struct ExchangeBackoff: Sendable {
  /// The wait after answers that a retry doesn't change, and the longest wait that a server may request.
  private static let day = Duration.seconds(24 * 3_600)
  private static let backoff = Backoff(first: .seconds(2), longest: .seconds(4 * 3_600))

  /// The number of consecutive failures.
  private var failures = 0
  /// The time at which the next exchange may be made; `nil` if it may be made immediately.
  private var end: ContinuousClock.Instant?

  /// Returns the time until the next exchange may be made; `nil` if it may be made immediately.
  ///
  /// - Parameter now: the current time of a clock that runs while the machine sleeps.
  func remaining(at now: ContinuousClock.Instant) -> Duration? {
    guard let end, end > now else { return nil }
    return end - now
  }

  /// Records an exchange that succeeded, which ends the backoff.
  mutating func succeed() { self = ExchangeBackoff() }

  /// Records an exchange that the server rejected.
  ///
  /// - Parameters:
  ///   - status: the HTTP status code.
  ///   - retryAfter: the wait that the server requests (`Retry-After`, RFC 9110, section 10.2.3); `nil` if it
  ///     requests none.
  ///   - now: the current time.
  ///   - random: a number from 0 up to, but not including, 1, which selects the jitter.
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

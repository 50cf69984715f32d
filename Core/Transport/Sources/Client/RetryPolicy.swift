import TenonFoundation
package import TenonTransportInterop

/// The number of attempts for a repeatable request, the delays between them and the outcomes that lead to
/// another attempt.
///
/// Delays grow exponentially and vary randomly, so that clients that failed together don't retry together.
///
/// A policy is a value without state: the number of attempts so far is kept by
/// ``HTTPClient/send(_:repeatable:lastStart:)``. It doesn't decide whether a request may be repeated; the
/// caller does.
///
/// ```swift
/// var patient = RetryPolicy.standard
/// patient.attempts = 8
/// ```
package struct RetryPolicy: Sendable {
  /// The maximum number of attempts, including the first one. With 1 or less, a request is sent once.
  package var attempts: Int
  /// The mean delay before the second attempt. It doubles with each further attempt, and each delay varies by
  /// ±50 %.
  package var firstDelay: Duration
  /// The longest delay between attempts, and the longest `Retry-After` that is honored. A longer one ends the
  /// attempts.
  package var longestDelay: Duration
  /// The statuses after which a request is sent again.
  package var statuses: Set<Int>
  /// The error codes after which a request is sent again.
  package var failures: Set<TransportError.Code>

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - attempts: the maximum number of attempts, including the first one.
  ///   - firstDelay: the mean delay before the second attempt.
  ///   - longestDelay: the longest delay between attempts, jitter included, and the longest honored
  ///     `Retry-After`.
  ///   - statuses: the statuses after which a request is sent again. By default, these are the statuses that
  ///     are documented as temporary (RFC 9110, section 15; RFC 6585, section 4).
  ///   - failures: the error codes after which a request is sent again. By default, these are failures of the
  ///     network.
  package init(
    attempts: Int,
    firstDelay: Duration,
    longestDelay: Duration,
    statuses: Set<Int> = [408, 429, 502, 503, 504],
    failures: Set<TransportError.Code> = [.unreachable, .connectionLost]
  ) {
    self.attempts = attempts
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.statuses = statuses
    self.failures = failures
  }

  /// The default policy: five attempts within about eight seconds, plus the duration of the attempts
  /// themselves.
  ///
  /// The mean delays are 0.5, 1, 2 and 4 seconds: 7.5 seconds in total, 3.75 at least and 11.25 at most. A
  /// `Retry-After` of up to 32 seconds can lengthen each of them.
  package static let standard = RetryPolicy(
    attempts: 5,
    firstDelay: .milliseconds(500),
    longestDelay: .seconds(32)
  )
  /// A policy without retries. Even a repeatable request is sent once.
  package static let never = RetryPolicy(attempts: 1, firstDelay: .zero, longestDelay: .zero)

  /// Returns whether a response leads to another attempt, as far as attempts remain.
  func repeats(after response: TransportResponse) -> Bool { statuses.contains(response.status) }

  /// Returns whether an error leads to another attempt, as far as attempts remain.
  func repeats(after error: TransportError) -> Bool { failures.contains(error.code) }

  /// Returns the delay after an attempt, or `nil` if the server requests a longer one than ``longestDelay``.
  ///
  /// - Parameters:
  ///   - attempt: the number of the attempt that failed, from 1. The delay doubles with it.
  ///   - retryAfter: the delay that the server requested; `nil` if it requested none.
  ///   - random: a number from 0 up to, but not including, 1, which selects the jitter.
  /// - Returns: the longer one of the backoff and the requested delay, at most ``longestDelay``.
  func delay(after attempt: Int, retryAfter: Duration?, random: Double) -> Duration? {
    let backoff = Backoff(first: firstDelay, longest: longestDelay, jitter: 0.5...1.5)
    let delay = backoff.delay(after: attempt, random: random)
    guard let retryAfter else { return delay }
    return retryAfter > longestDelay ? nil : max(retryAfter, delay)
  }
}

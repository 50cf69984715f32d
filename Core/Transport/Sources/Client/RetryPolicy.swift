import TenonCore
package import TenonTransportInterop

/// How often and after which delays a repeatable request is sent again.
package struct RetryPolicy: Sendable {
  /// The largest number of attempts, the first one included.
  package var attempts: Int
  /// The mean delay before the second attempt. It doubles with each further attempt and varies by ±50 %.
  package var firstDelay: Duration
  /// The longest delay between attempts, and the longest `Retry-After` that is waited for.
  package var longestDelay: Duration
  /// The statuses after which a request is sent again.
  package var statuses: Set<Int>
  /// The failures after which a request is sent again.
  package var failures: Set<TransportError.Code>

  /// Creates a policy. By default, requests are sent again after statuses that are documented as temporary (RFC 9110,
  /// section 15) and after failures of the network.
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

  /// Five attempts within about eight seconds.
  package static let standard = RetryPolicy(
    attempts: 5,
    firstDelay: .milliseconds(500),
    longestDelay: .seconds(32)
  )
  /// One attempt.
  package static let never = RetryPolicy(attempts: 1, firstDelay: .zero, longestDelay: .zero)

  /// Whether a response is followed by another attempt.
  func repeats(after response: HTTPResponse) -> Bool { statuses.contains(response.status) }

  /// Whether a failure is followed by another attempt.
  func repeats(after error: TransportError) -> Bool { failures.contains(error.code) }

  /// Returns the delay after an attempt, or `nil` if the server asks for a longer one than ``longestDelay``.
  ///
  /// - Parameters:
  ///   - attempt: the number of the attempt, from 1.
  ///   - retryAfter: the delay that the server asked for.
  ///   - random: a number from 0 up to 1, which selects the jitter.
  func delay(after attempt: Int, retryAfter: Duration?, random: Double) -> Duration? {
    let backoff = Backoff(first: firstDelay, longest: longestDelay, jitter: 0.5...1.5)
    let delay = backoff.delay(after: attempt, random: random)
    guard let retryAfter else { return delay }
    return retryAfter > longestDelay ? nil : max(retryAfter, delay)
  }
}

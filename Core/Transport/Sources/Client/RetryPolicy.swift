package import Foundation
package import TenonTransportInterop

/// How often a request that is safe to repeat is sent again, and after how long.
package struct RetryPolicy: Sendable {
  /// How often a request is sent at most, the first time included.
  package var attempts: Int
  /// The wait before the second attempt. It doubles from there, and varies by ±50 % so that clients part.
  package var firstDelay: Duration
  /// The longest wait, also the longest `Retry-After` that is honoured.
  package var longestDelay: Duration
  /// After which statuses a request is sent again.
  package var statuses: Set<Int>
  /// After which failures a request is sent again.
  package var failures: Set<TransportError.Code>

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

  /// Whether an answer says that the same request may succeed later.
  func repeats(after response: HTTPResponse) -> Bool { statuses.contains(response.status) }

  /// Whether a failure may pass.
  func repeats(after error: TransportError) -> Bool { failures.contains(error.code) }

  /// How long to wait after an attempt, counted from 1; `nil` when the server asks for more than we would wait.
  func delay(after attempt: Int, retryAfter: Duration?, random: Double) -> Duration? {
    let backoff = Backoff(first: firstDelay, longest: longestDelay, spread: 0.5...1.5)
    let delay = backoff.delay(after: attempt, random: random)
    guard let retryAfter else { return delay }
    return retryAfter > longestDelay ? nil : max(retryAfter, delay)
  }
}

/// Time and chance as the retries see them, so that tests neither wait nor guess.
package struct RetryPace: Sendable {
  package var now: @Sendable () -> ContinuousClock.Instant
  package var date: @Sendable () -> Date
  package var sleep: @Sendable (Duration) async throws -> Void
  /// A number from 0 up to 1.
  package var random: @Sendable () -> Double

  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    date: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0.limited) },
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.now = now
    self.date = date
    self.sleep = sleep
    self.random = random
  }

  /// The clock and the generator of this machine.
  package static let system = RetryPace()
}

extension HTTPResponse {
  /// What the server asks to wait: seconds or a date (RFC 9110, section 10.2.3).
  package func retryAfter(now: Date) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
      // What doesn't fit is longer than anybody waits.
      return Int64(text).map { .seconds($0).limited } ?? .longestWait
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text).map { .wait(seconds: $0.timeIntervalSince(now)) }
  }
}

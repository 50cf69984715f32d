package import Foundation
import TenonTransportInterop

/// How often a request that is safe to repeat is sent again, and after how long.
package struct RetryPolicy: Sendable {
  /// How often a request is sent at most, the first time included.
  package var attempts: Int
  /// The wait before the second attempt. It doubles from there, and varies by ±50 % so that clients part.
  package var firstDelay: Duration
  /// The longest wait, also the longest `Retry-After` that is honoured.
  package var longestDelay: Duration

  package init(attempts: Int, firstDelay: Duration, longestDelay: Duration) {
    self.attempts = attempts
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
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
  func repeats(after response: HTTPResponse) -> Bool {
    [408, 429, 502, 503, 504].contains(response.status)
  }

  /// Whether a failure may pass.
  func repeats(after error: TransportError) -> Bool {
    error.code == .unreachable || error.code == .connectionLost
  }

  /// How long to wait after an attempt, counted from 1; `nil` when the server asks for more than we would wait.
  func delay(after attempt: Int, retryAfter: Duration?, random: Double) -> Duration? {
    let doubled = firstDelay * Int(1 << min(attempt - 1, 16))
    let delay = min(doubled, longestDelay) * (0.5 + random)
    guard let retryAfter else { return min(delay, longestDelay) }
    return retryAfter > longestDelay ? nil : max(retryAfter, min(delay, longestDelay))
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
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
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
  func retryAfter(now: Date) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    if let seconds = Int(text), seconds >= 0 { return .seconds(seconds) }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text).map { .seconds(max(0, $0.timeIntervalSince(now))) }
  }
}

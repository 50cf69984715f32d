import TenonFoundation

/// How a function that throws is called again with the same event, as `retryConfig` of Cloud Functions.
///
/// The delay doubles with each attempt, from ``minBackoff`` to ``maxBackoff``. Later events of the same
/// document, object or user wait. When the attempts end, the event is one of
/// ``Embedded/failedEvents(limit:)``.
public struct RetryConfig: Sendable, Hashable {
  /// The greatest number of attempts after the first one.
  public var retryCount: Int
  /// The age of an event after which it isn't attempted again. The first attempt has no limit of age.
  public var maxRetryDuration: Duration
  /// The delay after the first attempt.
  public var minBackoff: Duration
  /// The longest delay between two attempts.
  public var maxBackoff: Duration

  /// Creates a value.
  ///
  /// - Parameters:
  ///   - retryCount: the greatest number of attempts after the first one; 100 by default.
  ///   - maxRetryDuration: the age after which there are no more attempts; 24 hours by default, as for Cloud
  ///     Functions.
  ///   - minBackoff: the delay after the first attempt; a second by default.
  ///   - maxBackoff: the longest delay; ten minutes by default.
  public init(
    retryCount: Int = 100, maxRetryDuration: Duration = .seconds(24 * 3_600),
    minBackoff: Duration = .seconds(1), maxBackoff: Duration = .seconds(600)
  ) {
    self.retryCount = retryCount
    self.maxRetryDuration = maxRetryDuration
    self.minBackoff = minBackoff
    self.maxBackoff = maxBackoff
  }

  /// A function that throws isn't called again.
  public static let never = RetryConfig(retryCount: 0)

  /// Returns the delay before the next attempt; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - event: the event, with the number of its attempts.
  ///   - now: the current time.
  ///   - random: a number from 0 up to, but not including, 1.
  func delay(after event: StoredEvent, now: Timestamp, random: Double) -> Duration? {
    let milliseconds = now.millisecondsSince1970 - event.recorded.millisecondsSince1970
    let age = Duration.wait(seconds: Double(milliseconds) / 1_000)
    guard event.attempts <= retryCount, age < maxRetryDuration else { return nil }
    let first = max(minBackoff, .milliseconds(1))
    return Backoff(first: first, longest: max(maxBackoff, first)).delay(after: event.attempts, random: random)
  }
}

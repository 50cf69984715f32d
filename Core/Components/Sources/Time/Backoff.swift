/// Exponential backoff: delays that double with each consecutive failure, with random jitter that keeps clients from
/// retrying in step.
package struct Backoff: Sendable, Hashable {
  /// The delay after the first failure, before jitter.
  package var first: Duration
  /// The longest delay, jitter included.
  package var longest: Duration
  /// The range of factors that jitter multiplies a delay by.
  package var jitter: ClosedRange<Double>

  /// Creates a backoff.
  ///
  /// - Parameters:
  ///   - first: the delay after the first failure, before jitter.
  ///   - longest: the longest delay, jitter included.
  ///   - jitter: the range of factors that a delay is multiplied by; 1 to 1.5 by default.
  package init(first: Duration, longest: Duration, jitter: ClosedRange<Double> = 1...1.5) {
    self.first = first
    self.longest = longest
    self.jitter = jitter
  }

  /// The backoff of tokens that are renewed before they expire: 30 seconds, doubling up to 16 minutes, as in Firebase's
  /// SDKs.
  package static let renewal = Backoff(first: .seconds(30), longest: .seconds(16 * 60))

  /// Returns the delay before the next attempt, at most ``longest``.
  ///
  /// - Parameters:
  ///   - failures: the number of consecutive failures. Values below 1 count as 1.
  ///   - random: a number from 0 up to, but not including, 1, which selects a factor in ``jitter``.
  package func delay(after failures: Int, random: Double) -> Duration {
    let doubled = min(first * Int(1 << min(max(failures, 1) - 1, 20)), longest)
    return min(doubled * (jitter.lowerBound + random * (jitter.upperBound - jitter.lowerBound)), longest)
  }
}

/// Exponential backoff: delays that grow with each consecutive failure, with random jitter that keeps clients
/// from retrying in step.
package struct Backoff: Sendable, Hashable {
  /// The delay after the first failure, before jitter.
  package var first: Duration
  /// The factor by which the delay grows with each further failure, before jitter. It is greater than 1.
  package var factor: Double
  /// The longest delay before jitter.
  package var longestBase: Duration
  /// The longest delay, jitter included.
  package var longest: Duration
  /// The range of factors that jitter multiplies a delay by.
  package var jitter: ClosedRange<Double>

  /// Creates a backoff.
  ///
  /// - Parameters:
  ///   - first: the delay after the first failure, before jitter.
  ///   - factor: the factor by which the delay grows with each further failure; 2 by default.
  ///   - longestBase: the longest delay before jitter; `longest` if `nil`, the default.
  ///   - longest: the longest delay, jitter included.
  ///   - jitter: the range of factors that a delay is multiplied by; 1 to 1.5 by default.
  package init(
    first: Duration, factor: Double = 2, longestBase: Duration? = nil, longest: Duration,
    jitter: ClosedRange<Double> = 1...1.5
  ) {
    self.first = first
    self.factor = factor
    self.longestBase = longestBase ?? longest
    self.longest = longest
    self.jitter = jitter
  }

  /// The backoff of tokens that are renewed before they expire: 30 seconds, doubling up to 16 minutes, as in
  /// Firebase's SDKs.
  package static let renewal = Backoff(first: .seconds(30), longest: .seconds(16 * 60))

  /// Returns the delay before the next attempt, at most ``longest``.
  ///
  /// Complexity: O(log(``longestBase`` / ``first``)).
  ///
  /// - Parameters:
  ///   - failures: the number of consecutive failures. Values below 1 count as 1.
  ///   - random: a number from 0 up to, but not including, 1, which selects a factor in ``jitter``.
  package func delay(after failures: Int, random: Double) -> Duration {
    var (base, remaining) = (min(first, longestBase), max(failures, 1) - 1)
    while remaining > 0, base > .zero, base < longestBase {
      base = min(base * factor, longestBase)
      remaining -= 1
    }
    return min(base * (jitter.lowerBound + random * (jitter.upperBound - jitter.lowerBound)), longest)
  }
}

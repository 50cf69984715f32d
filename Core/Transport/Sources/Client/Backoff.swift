/// Waits that double from one failure to the next, and vary by chance so that clients part.
package struct Backoff: Sendable, Hashable {
  /// The wait after the first failure, before chance.
  package var first: Duration
  /// The longest wait, chance included.
  package var longest: Duration
  /// What chance multiplies a wait by.
  package var spread: ClosedRange<Double>

  package init(first: Duration, longest: Duration, spread: ClosedRange<Double> = 1...1.5) {
    self.first = first
    self.longest = longest
    self.spread = spread
  }

  /// For what is renewed ahead of its end: 30 seconds, doubling up to 16 minutes, as in Firebase's SDKs.
  package static let renewal = Backoff(first: .seconds(30), longest: .seconds(16 * 60))

  /// How long to wait.
  ///
  /// - Parameters:
  ///   - failures: how many there were in a row, at least 1.
  ///   - random: a number from 0 up to 1.
  package func delay(after failures: Int, random: Double) -> Duration {
    let doubled = min(first * Int(1 << min(max(failures, 1) - 1, 20)), longest)
    return min(doubled * (spread.lowerBound + random * (spread.upperBound - spread.lowerBound)), longest)
  }
}

import TenonFoundation

/// The delays before consecutive retries. The first retry is immediate, the base delay of the second is 1
/// second, and each further one is 1.5 times the previous, up to 60 seconds; jitter of up to ±50 % is added.
struct RetryDelays {
  private static let backoff = Backoff(
    first: .seconds(1), factor: 1.5, longestBase: .seconds(60), longest: .seconds(90), jitter: 0.5...1.5)

  /// The number of consecutive retries so far.
  private var retries = 0
  private let random: () -> Double

  /// - Parameter random: returns a new random number in `0..<1` on each call.
  init(random: @escaping () -> Double) { self.random = random }

  /// Makes the next delay zero.
  mutating func reset() { retries = 0 }
  /// Makes the next base delay the maximum.
  mutating func resetToMost() { retries = .max }

  /// Makes the next delay at most that of the second retry.
  mutating func shorten() { retries = min(retries, 1) }

  /// Returns the next delay.
  mutating func next() -> Duration {
    defer { if retries < .max { retries += 1 } }
    return retries == 0 ? .zero : Self.backoff.delay(after: retries, random: random())
  }
}

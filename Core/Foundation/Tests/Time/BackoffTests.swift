import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct BackoffTests {
  @Test func delaysDoubleUpToTheLongest() {
    let delays = (1...8).map { Backoff.renewal.delay(after: $0, random: 0) }
    #expect(delays == [30, 60, 120, 240, 480, 960, 960, 960].map { .seconds($0) })
    #expect(Backoff.renewal.delay(after: 1_000_000, random: 0.99) == .seconds(960))
  }

  @Test func delaysGrowByTheFactor() {
    let backoff = Backoff(
      first: .seconds(1), factor: 1.5, longestBase: .seconds(4), longest: .seconds(5), jitter: 0.5...1.5)
    let delays = (1...6).map { backoff.delay(after: $0, random: 0.5) }
    #expect(delays == [1, 1.5, 2.25, 3.375, 4, 4].map { .seconds($0) })
    // Jitter applies to the limited delay, and may exceed it up to the longest one.
    #expect(backoff.delay(after: .max, random: 0) == .seconds(2))
    #expect(backoff.delay(after: .max, random: 0.625) == .seconds(4.5))
    #expect(backoff.delay(after: .max, random: 0.9) == .seconds(5))
  }

  @Test(arguments: [Int.min, -1, 0, 1])
  func failuresBelowOneCountAsOne(failures: Int) {
    #expect(Backoff.renewal.delay(after: failures, random: 0) == .seconds(30))
  }

  @Test(arguments: [(0.0, 1.0), (0.5, 2), (0.75, 2.5)])
  func jitterVariesTheDelay(random: Double, seconds: Double) {
    let backoff = Backoff(first: .seconds(2), longest: .seconds(60), jitter: 0.5...1.5)
    #expect(backoff.delay(after: 1, random: random) == .seconds(seconds))
  }
}

import TenonCore
import Testing

struct BackoffTests {
  @Test func delaysDoubleUpToTheLongest() {
    let delays = (1...8).map { Backoff.renewal.delay(after: $0, random: 0) }
    #expect(delays == [30, 60, 120, 240, 480, 960, 960, 960].map { .seconds($0) })
    #expect(Backoff.renewal.delay(after: 1_000_000, random: 0.99) == .seconds(960))
  }

  @Test(arguments: [(0.0, 1.0), (0.5, 2), (0.75, 2.5)])
  func jitterVariesTheDelay(random: Double, seconds: Double) {
    let backoff = Backoff(first: .seconds(2), longest: .seconds(60), jitter: 0.5...1.5)
    #expect(backoff.delay(after: 1, random: random) == .seconds(seconds))
  }
}

import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited) struct RetryDelaysTests {
  @Test func firstRetryIsImmediateAndTheDelaysGrowToAMinute() {
    var delays = RetryDelays { 0.5 }
    let seconds = (0..<5).map { _ in delays.next() / .seconds(1) }
    #expect(seconds == [0, 1, 1.5, 2.25, 3.375])
    for _ in 0..<20 { _ = delays.next() }
    #expect(delays.next() == .seconds(60))
    delays.reset()
    #expect(delays.next() == .zero)
  }

  @Test(arguments: [(0.0, 30.0), (0.5, 60), (0.75, 75)])
  func exhaustedQuotaCausesTheLongestDelays(random: Double, seconds: Double) {
    var delays = RetryDelays { random }
    delays.resetToMost()
    #expect((0..<3).map { _ in delays.next() / .seconds(1) } == [seconds, seconds, seconds])
  }
}

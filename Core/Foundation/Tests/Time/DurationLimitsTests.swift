import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct DurationLimitsTests {
  @Test(
    arguments: [
      (0, .zero), (-1, .zero), (1.5, .milliseconds(1_500)), (.nan, .zero), (.infinity, .longestWait),
      (-.infinity, .zero), (1e300, .longestWait), (9.3e18, .longestWait),
    ] as [(Double, Duration)])
  func anyNumberOfSecondsBecomesADuration(seconds: Double, duration: Duration) {
    #expect(Duration.wait(seconds: seconds) == duration)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e19), .seconds(-1e19), .seconds(Int64.min)])
  func anyDurationCanBeLimited(duration: Duration) {
    #expect((.zero ... .longestWait).contains(duration.limited))
  }

  @Test func waitOfAnyLengthCanBeCancelled() async {
    let wait = Task { try await TimeSource.system.sleep(.seconds(Int64.max)) }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }
}

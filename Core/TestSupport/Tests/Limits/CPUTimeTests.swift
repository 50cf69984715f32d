import TenonTestSupport
import Testing

@Suite(.limited) struct CPUTimeTests {
  /// Does as many steps as a number says, which the optimizer can't remove.
  private static func steps(_ count: Int, _ sum: inout UInt64) {
    for step in 0..<UInt64(count) { sum = (sum ^ step) &* 0x9E37_79B9_7F4A_7C15 }
  }

  @Test func aLinearCostIsWithinItsLimitAndAQuadraticOneIsNot() {
    var sum: UInt64 = 1
    let linear = CPUTime.growth(from: 4_000, by: 16) { Self.steps($0, &sum) }
    #expect(linear < CPUTime.limit(ofLinear: 16))
    let quadratic = CPUTime.growth(from: 60, by: 16) { Self.steps($0 * $0, &sum) }
    #expect(quadratic > CPUTime.limit(ofLinear: 16))
    #expect(sum != 0)
  }
}

import TenonTestSupport
import Testing

/// A short version of the stress test that CI runs longer with `-O` (P7).
@Suite(.limited) struct StressTests {
  @Test(arguments: ["container", "auth", "store"])
  func p7InvariantsHoldUnderConcurrentUse(part: String) async throws {
    let result = try await Executable("stress").run([
      "--seconds", "\(DeepTests.count(1, deep: 2))", "--part", part,
    ])
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }
}

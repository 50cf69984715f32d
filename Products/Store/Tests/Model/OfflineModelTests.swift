import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Store does what a naive model of offline work does: see ``OfflineModel``.
///
/// `TENON_MODELS` sets how many random programs are run, and `TENON_SEED` the first seed (see `TestSeeds`).
@Suite(.limited) struct OfflineModelTests {
  /// Seeds of programs that are run one after another.
  private static let groups: [[UInt64]] = {
    let seeds = TestSeeds.seeds("TENON_MODELS", count: DeepTests.count(200, deep: 10_000))
    return stride(from: 0, to: seeds.count, by: 10).map { Array(seeds[$0..<min($0 + 10, seeds.count)]) }
  }()

  @Test(arguments: groups) func randomProgramsDoWhatTheModelSays(seeds: [UInt64]) async throws {
    for seed in seeds {
      let program = ModelProgram(steps: ModelStep.program(seed: seed))
      guard try await program.difference() != nil else { continue }
      let short = try await program.shrunk { try await $0.difference() != nil }
      let difference = try await short.difference() ?? "it fails at times only"
      Issue.record("Seed \(seed): \(difference)\n\(short)\n")
    }
  }

  @Test func aFailedProgramIsShrunkToTheStepsThatMatter() async {
    let steps = ModelStep.program(seed: 7) + [.offline, .cancel(3)] + ModelStep.program(seed: 8) + [.dismiss]
    let short = await ModelProgram(steps: steps).shrunk { program in
      let text = program.description
      return text.contains("cancel 3") && text.hasSuffix("dismiss")
    }
    #expect(short.description == "  cancel 3\n  dismiss")
  }
}

/// Programs that the random ones seldom contain.
extension OfflineModelTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: @Sendable () -> [ModelStep]
  }

  private static func set(_ document: Int, _ number: Int) -> ModelChange {
    ModelChange(document: document, kind: .set(s: number, n: nil))
  }

  private static let examples = [
    Example(testDescription: "A refused transaction refuses none that has read what it has only read") {
      [
        .write([set(0, 1), set(1, 1)]), .offline, .transaction(reads: [0, 1], [set(2, 2)]),
        .transaction(reads: [0], [set(3, 3)]), .others([set(1, 9)]), .online,
      ]
    },
    Example(testDescription: "A document that a queued transaction has only read has no pending writes") {
      [.write([set(0, 1)]), .offline, .transaction(reads: [0], [set(1, 2)])]
    },
    Example(testDescription: "A transaction on the result of a cancelled write is undone as a whole") {
      [
        .offline, .write([set(0, 1)]), .transaction(reads: [0], [set(0, 2), set(1, 2)]), .cancel(0),
      ]
    },
    Example(testDescription: "An increment after a cancelled write is added to what is left") {
      [
        .write([ModelChange(document: 0, kind: .set(s: 1, n: 1))]), .offline,
        .write([ModelChange(document: 0, kind: .set(s: 1, n: 100))]),
        .write([ModelChange(document: 0, kind: .increment(1))]), .cancel(0),
      ]
    },
    Example(testDescription: "A transaction that was overtaken while another user was online is undone") {
      [
        .write([set(0, 1)]), .signIn(1), .offline, .transaction(reads: [0], [set(0, 2), set(1, 2)]),
        .signIn(2), .others([set(0, 9)]), .online, .offline, .signIn(1),
      ]
    },
    Example(testDescription: "A transaction that only the server has is left to it when its user returns") {
      [
        .write([set(0, 1)]), .signIn(1), .offline, .transaction(reads: [0], [set(0, 2)]), .interrupt,
        .restart, .signIn(2), .online, .signIn(1),
      ]
    },
    Example(testDescription: "A write that the server may have isn't cancelled") {
      [.offline, .write([set(0, 1)]), .interrupt, .restart, .cancel(0), .online]
    },
  ]

  @Test(arguments: examples) func anExampleDoesWhatTheModelSays(_ example: Example) async throws {
    let program = ModelProgram(steps: example.steps(), avoidsKnownDefects: false)
    #expect(try await program.difference() == nil)
  }
}

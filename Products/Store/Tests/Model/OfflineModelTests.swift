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

/// Programs in which Store is known to differ from the model, with what is right.
extension OfflineModelTests {
  struct Defect: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var concernsPendingReads = false
    let steps: @Sendable () -> [ModelStep]
  }

  private static func set(_ document: Int, _ number: Int) -> ModelChange {
    ModelChange(document: document, kind: .set(s: number, n: nil))
  }

  private static let defects = [
    Defect(testDescription: "A refused transaction refuses those that only read what it has only read") {
      [
        .write([set(0, 1), set(1, 1)]), .offline, .transaction(reads: [0, 1], [set(2, 2)]),
        .transaction(reads: [0], [set(3, 3)]), .others([set(1, 9)]), .online,
      ]
    },
    Defect(
      testDescription: "A document that a queued transaction has only read has pending writes",
      concernsPendingReads: true
    ) {
      [.write([set(0, 1)]), .offline, .transaction(reads: [0], [set(1, 2)])]
    },
    Defect(testDescription: "A transaction on the result of a cancelled write stays visible") {
      [
        .offline, .write([set(0, 1)]), .transaction(reads: [0], [set(0, 2), set(1, 2)]), .cancel(0),
      ]
    },
    Defect(testDescription: "A transaction that was overtaken while another user was online stays visible") {
      [
        .write([set(0, 1)]), .signIn(1), .offline, .transaction(reads: [0], [set(0, 2), set(1, 2)]),
        .signIn(2), .others([set(0, 9)]), .online, .offline, .signIn(1),
      ]
    },
    Defect(testDescription: "An increment after a cancelled write includes that write") {
      [
        .write([ModelChange(document: 0, kind: .set(s: 1, n: 1))]), .offline,
        .write([ModelChange(document: 0, kind: .set(s: 1, n: 100))]),
        .write([ModelChange(document: 0, kind: .increment(1))]), .cancel(0),
      ]
    },
  ]

  @Test(arguments: defects) func knownDefect(_ defect: Defect) async throws {
    let program = ModelProgram(
      steps: defect.steps(), avoidsKnownDefects: false, comparesPendingReads: defect.concernsPendingReads)
    let difference = try await program.difference()
    withKnownIssue { #expect(difference == nil) }
  }

  /// Otherwise the random programs would leave out too much, or fail because of what is known.
  @Test(arguments: defects) func knownDefectsAreLeftOutOfRandomPrograms(_ defect: Defect) async throws {
    #expect(try await ModelProgram(steps: defect.steps()).difference() == nil)
  }
}

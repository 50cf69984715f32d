import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R3, R8, R9 and R10: generated programs give the same answers, instances and deletions as a naive model.
///
/// `TENON_SEED` selects the programs, and `TENON_MODEL_PROGRAMS` their number.
@Suite(.limited(to: .seconds(300))) struct ContainerModelTests {
  private static func difference(_ program: Program) async throws -> String? {
    var driver = ModelDriver()
    return try await driver.run(program)
  }

  /// Removes steps and parts for as long as the program still fails.
  private static func shrunk(_ program: Program) async throws -> Program {
    var program = program
    var isShorter = true
    while isShorter {
      isShorter = false
      for index in program.steps.indices.reversed() {
        var next = program
        next.steps.remove(at: index)
        if try await difference(next) != nil { (program, isShorter) = (next, true) }
      }
      for layer in program.layers.indices {
        for index in program.layers[layer].indices.reversed() {
          var next = program
          next.layers[layer].remove(at: index)
          if try await difference(next) != nil { (program, isShorter) = (next, true) }
        }
      }
    }
    return program
  }

  @Test func containersAnswerAsTheModelDoes() async throws {
    let grammar = Grammar()
    let seeds = TestSeeds.seeds("TENON_MODEL_PROGRAMS", count: DeepTests.count(250, deep: 10_000))
    var useful = 0
    for seed in seeds {
      var generator = ModelGenerator(seed: seed, grammar)
      let program = generator.program()
      var driver = ModelDriver()
      let isEqual = try await driver.run(program) == nil
      if driver.reachesSteps { useful += 1 }
      if isEqual { continue }
      let short = try await Self.shrunk(program)
      let difference = try await Self.difference(short) ?? ""
      Issue.record("The seed \(seed) differs: \(difference)\n\(short)")
      return
    }
    // A few selected programs may all be invalid.
    #expect(seeds.count < 250 || useful * 10 >= seeds.count * 8, "Few of the programs reach their steps.")
  }
}

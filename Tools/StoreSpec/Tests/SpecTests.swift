import Foundation
import Testing

@testable import store_spec

struct SpecTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Cases")
    .standardized.path
  private static let cases = (try? SpecCase.cases(in: folder)) ?? []

  struct Run: Sendable, CustomTestStringConvertible {
    let spec: SpecCase
    let persistence: SpecCase.Persistence
    var testDescription: String { "\(spec.name) (\(persistence.rawValue))" }
  }

  private static let runs = cases.filter { $0.reasonToSkip == nil }.flatMap { spec in
    spec.persistences.map { Run(spec: spec, persistence: $0) }
  }

  @Test(arguments: runs) func firestoresSpecTestPasses(run: Run) throws { try run.spec.run(run.persistence) }

  @Test func allCasesAreThere() {
    #expect(Self.cases.count == 181)
    #expect(Self.cases.count { $0.reasonToSkip == nil } == 130)
  }
}

import Foundation
import TenonStoreEngine
import TenonTestSupport
import Testing

@testable import store_spec

@Suite(.limited) struct SpecTests {
  private static func folder(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../\(name)").standardized.path
  }

  private static let cases = (try? SpecCase.cases(in: folder("Cases"))) ?? []
  private static let ownCases = (try? SpecCase.cases(in: folder("OwnCases"))) ?? []

  struct Run: Sendable, CustomTestStringConvertible {
    let spec: SpecCase
    let persistence: SpecCase.Persistence
    var testDescription: String { "\(spec.name) (\(persistence.rawValue))" }
  }

  private static let runs = (cases + ownCases).filter { $0.reasonToSkip == nil }.flatMap { spec in
    spec.persistences.map { Run(spec: spec, persistence: $0) }
  }

  @Test(arguments: runs) func firestoresSpecTestPasses(run: Run) throws { try run.spec.run(run.persistence) }

  @Test func allCasesAreThere() {
    #expect(Self.cases.count == 181)
    #expect(Self.cases.count { $0.reasonToSkip == nil } == 130)
    #expect(Self.ownCases.count == 3)
  }

  /// A case that fails in memory and on disk counts once.
  @Test func theReportCountsEachCaseOnce() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())_spec_test.json")
    defer { try? FileManager.default.removeItem(at: file) }
    func spec(_ name: String, _ step: String, tags: String = "") -> String {
      #""\#(name)": {"itName": "\#(name)", "tags": [\#(tags)], "config": {}, "steps": [{\#(step)}]}"#
    }
    let cases = [
      spec("passes", #""drainQueue": true"#), spec("fails", #""runTimer": "unknown""#),
      spec("fails on disk", #""runTimer": "unknown""#, tags: #""durable-persistence""#),
      spec("is skipped", #""drainQueue": true"#, tags: #""multi-client""#),
    ]
    try Data("{\(cases.joined(separator: ","))}".utf8).write(to: file)
    let report = try SpecReport.run(try SpecCase.cases(in: file.path))
    #expect(report.summary == "1 passed, 2 failed, 1 skipped of 4 cases")
    #expect(report.failures.count == 3 && !report.succeeded)
  }

  @Test func allTimersRunInTheOrderInWhichTheyBecomeDue() {
    let timers = ScriptedTimers()
    var order: [String] = []
    timers.schedule(.onlineState, after: .seconds(10)) { order.append("online") }
    timers.schedule(.databaseRetry, after: .seconds(1)) {
      order.append("retry")
      timers.cancel(.listenIdle)
      timers.schedule(.databaseRetry, after: .seconds(1)) { order.append("again") }
    }
    timers.schedule(.listenIdle, after: .seconds(60)) { order.append("idle") }
    timers.runAll()
    #expect(order == ["retry", "online"])
    timers.runAll()
    #expect(order == ["retry", "online", "again"])
  }
}

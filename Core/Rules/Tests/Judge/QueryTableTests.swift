import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonRules

/// Which queries prove a rule. The table is checked here always, and compared with Google's emulator if there
/// is one.
@Suite(.limited) struct QueryTableTests {
  @Test(arguments: QueryCase.all) func aQueryIsAllowedIfItProvesTheRule(_ row: QueryCase) throws {
    let rules = try SecurityRules(source: row.source)
    let request = RulesRequest(
      .list(row.query, database: "(default)", offset: row.offset), user: .user("ann"),
      time: Timestamp(seconds: 1_800_000_000))
    let decision = try #require(rules.decision(request))
    #expect(decision.isAllowed == row.isAllowed, "\(decision.reasons)")
  }

  @Test(.firestoreEmulator) func theEmulatorHasTheSameTable() async throws {
    let judge = try await RulesJudge(project: "rules-query-table")
    let user = JudgedUser(uid: "ann", claims: [:])
    var differences: [String] = []
    for row in QueryCase.all {
      try #require(try await judge.setRules(row.source).isEmpty)
      let verdict = try await judge.list(
        QueryGenerator.json(row.query, offset: row.offset),
        parent: row.query.parent.segments.joined(separator: "/"), user)
      if verdict != row.isAllowed {
        differences.append("\(row.testDescription): \(verdict.map { "\($0)" } ?? "refused")")
      }
    }
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
  }
}

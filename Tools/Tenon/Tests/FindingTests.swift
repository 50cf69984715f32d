import Foundation
import TenonTestSupport
import Testing

@testable import tenon

/// Findings as people and programs read them.
@Suite(.limited) struct FindingTests {
  private let findings = [
    Finding(
      rule: "b", message: "Second.", location: .init(path: "B/A file.swift", line: 7), repairs: ["Do it."]),
    Finding(rule: "a", message: "First."),
  ]

  @Test func textHasPlaceRuleAndRepairsSortedByPlace() throws {
    let text = try FindingFormat.text.render(findings, tool: "tenon lint", summary: "2 findings")
    #expect(
      text == """
        error: First. [a]
        B/A file.swift:7: error: Second. [b]
          - Do it.
        tenon lint: 2 findings
        """)
  }

  @Test func jsonDecodesToEqualFindings() throws {
    let json = try FindingFormat.json.render(findings, tool: "tenon lint", summary: "")
    #expect(try JSONDecoder().decode([Finding].self, from: Data(json.utf8)) == findings.reversed())
  }

  @Test func sarifNamesTheRulesAndEscapesPaths() throws {
    let json = try FindingFormat.sarif.render(findings, tool: "tenon lint", summary: "")
    let log = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(log["version"] as? String == "2.1.0" && results.map { $0["ruleId"] as? String } == ["a", "b"])
    #expect(json.contains("\"uri\" : \"B/A%20file.swift\"") && json.contains("\"startLine\" : 7"))
  }
}

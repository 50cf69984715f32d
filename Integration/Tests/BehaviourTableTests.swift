import Foundation
import TenonTestSupport
import Testing

/// The table of the embedded backend's behaviours: each of them has a test, or the reason why it is left out.
@Suite(.limited) struct BehaviourTableTests {
  private struct Row {
    let label: String
    let behaviour: String
    let shown: String
  }

  private let text: String
  private let rows: [Row]

  init() throws {
    let file = packageRoot.appending(path: "Products/Embedded/Behaviours.md")
    text = try String(contentsOf: file, encoding: .utf8)
    rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, !cells[0].isEmpty, cells[0] != "---" else { return nil }
      return Row(label: cells[0], behaviour: cells[1], shown: cells[2])
    }
  }

  @Test func everyTestInTheTableExists() throws {
    let named = NamedTests.named(in: text)
    #expect(named.count > 100)
    let existing = try NamedTests.existing(in: [
      "Products/Embedded/Tests", "Core/Documents/Tests", "Core/Hashes/Tests", "Integration/Tests",
    ])
    #expect(named.subtracting(existing).sorted() == [])
  }

  @Test func everyBehaviourIsListedOnce() {
    let counts: KeyValuePairs = [
      "R": 12, "S": 21, "P": 14, "C": 11, "L": 13, "O": 13, "U": 11, "D": 6, "A": 21, "H": 14, "M": 10,
      "I": 19,
      "T": 14, "B": 5, "DW": 27, "AC": 10, "CK": 9,
    ]
    let numbered = counts.flatMap { group, count in (1...count).map { "\(group)\($0)" } }
    let rest = ["configurations (8)", "tenants (14)", "providers (0)", "passkeys (9)", "events (1)"]
    #expect(rows.map(\.label).sorted() == (numbered + rest + (1...26).map { "ST\($0)" }).sorted())
  }

  @Test func everyBehaviourHasATestOrAReason() {
    for row in rows {
      #expect(row.behaviour.hasSuffix("."), "\(row.label)")
      if row.shown.hasPrefix("left out: ") {
        #expect(row.shown.count > "left out: ".count + 4, "\(row.label)")
      } else {
        #expect(!NamedTests.named(in: row.shown).isEmpty, "\(row.label)")
      }
    }
  }
}

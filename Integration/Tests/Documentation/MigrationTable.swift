import Foundation

/// The rows of `Documentation/MIGRATING.md`: Firebase's call on the left, Tenon's on the right.
struct MigrationTable {
  struct Row: Sendable {
    /// The row's line in the page, counted from 1.
    let line: Int
    let firebase: String
    /// The code in Tenon's column, one statement or expression each.
    let tenon: [String]
  }

  let rows: [Row]

  init(page: String) {
    var rows: [Row] = []
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.hasPrefix("|"), !line.hasPrefix("| ---"), !line.hasPrefix("| Firebase") else { continue }
      let cells = Self.cells(of: line)
      guard cells.count >= 2 else { continue }
      rows.append(Row(line: index + 1, firebase: cells[0], tenon: Self.code(in: cells[1])))
    }
    self.rows = rows
  }

  /// The cells of a row. A vertical bar in code is written `\|`.
  private static func cells(of line: Substring) -> [String] {
    line.replacing(#"\|"#, with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
      .dropFirst().dropLast()
      .map { $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces) }
  }

  private static func code(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
  }
}

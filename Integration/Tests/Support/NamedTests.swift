import Foundation

/// The names of tests as in documents: `Suite/function`, or `Suite` for a whole suite.
enum NamedTests {
  /// Returns the tests that a text names, as `Suite/function` or `Suite/`.
  static func named(in text: String) -> Set<String> {
    Set(text.matches(of: /`(\w+Tests)(?:\/(\w+))?`/).map { "\($0.1)/\($0.2 ?? "")" })
  }

  /// Returns `Suite/` and `Suite/function` for all tests in folders of this package.
  static func existing(in folders: [String]) throws -> Set<String> {
    var found: Set<String> = []
    for folder in folders {
      let files = FileManager.default.enumerator(
        at: packageRoot.appending(path: folder), includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        for suite in text.matches(of: /(?:struct|extension) (\w+Tests)\b/) {
          found.insert("\(suite.1)/")
          for function in text.matches(of: /func (\w+)\(/) { found.insert("\(suite.1)/\(function.1)") }
        }
      }
    }
    return found
  }

  /// Returns the rows of tables with the last column `test` or `test or reason` that name no test there, and,
  /// in tables of the second kind, don't state a reason as `different: …` either.
  static func rowsWithoutTest(in text: String) -> [String] {
    var rows: [String] = []
    var heading: String?
    for line in text.components(separatedBy: "\n") {
      guard line.hasPrefix("|") else {
        heading = nil
        continue
      }
      let last = line.split(separator: "|").last?.trimmingCharacters(in: .whitespaces) ?? ""
      guard let column = heading else {
        heading = last
        continue
      }
      guard column.hasPrefix("test"), !line.hasPrefix("| ---"), named(in: last).isEmpty else { continue }
      if column == "test" || !last.hasPrefix("different: ") { rows.append(line) }
    }
    return rows
  }
}

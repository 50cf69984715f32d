import Foundation
import Testing

/// The table of what Core can do names a test for each capability. Those tests must exist.
struct CapabilityTableTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func everyTestThatTheTableOfCoreNamesExists() throws {
    let table = try String(
      contentsOf: Self.root.appending(path: "Core/Components/README.md"), encoding: .utf8)
    let named = Set(
      table.matches(of: /`(\w+Tests)(?:\/(\w+))?`/).map { ($0.1, $0.2 ?? "") }.map { "\($0)/\($1)" })
    #expect(named.count > 100)
    let existing = try Self.tests(in: ["Core/Components/Tests", "Core/Testing/Tests", "Integration/Tests"])
    #expect(named.subtracting(existing).sorted() == [])
  }

  /// `Suite/` and `Suite/function` of every test below some folders.
  private static func tests(in folders: [String]) throws -> Set<String> {
    var found: Set<String> = []
    for folder in folders {
      let files = FileManager.default.enumerator(
        at: root.appending(path: folder), includingPropertiesForKeys: nil)
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
}

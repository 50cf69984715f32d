import Foundation
import TenonTestSupport
import Testing

/// `Documentation/MIGRATING.md` shows, row by row, what a call of firebase-ios-sdk is in Tenon.
@Suite(.limited) struct MigrationTests {
  private let page: String
  /// The page's first block of Swift: imports and types.
  private let types: String
  /// The page's second block of Swift: the names that the rows use.
  private let names: String

  init() throws {
    page = try String(contentsOf: packageRoot.appending(path: "Documentation/MIGRATING.md"), encoding: .utf8)
    let blocks = page.matches(of: /```swift\n([\s\S]*?)```/).map { String($0.output.1) }
    try #require(blocks.count >= 2, "The page doesn't declare the names that its tables use.")
    (types, names) = (blocks[0], blocks[1])
  }

  /// Returns the errors of rows of the page, each with its code.
  private func errors(of rows: [(line: Int, code: String)]) async throws -> [SwiftCompiler.Diagnostic] {
    var source = "\(types)\nfunc table() async throws {\n\(names)\n"
    for row in rows {
      source += """
        do {
        #sourceLocation(file: "Documentation/MIGRATING.md", line: \(row.line))
        \(row.code)
        #sourceLocation()
        }

        """
    }
    return try await SwiftCompiler.diagnostics(of: source + "}\n").filter { $0.severity == "error" }
  }

  @Test func everyCallInTheMigrationGuideCompiles() async throws {
    let table = MigrationTable(page: page)
    try #require(table.rows.count > 80, "The tables weren't found.")
    for row in table.rows { #expect(!row.tenon.isEmpty, "Line \(row.line) shows no call.") }
    let errors = try await errors(of: table.rows.flatMap { row in row.tenon.map { (row.line, $0) } })
    #expect(errors == [], "\(errors.map(\.description).joined(separator: "\n"))")
  }

  /// Proves that the compiler looks at the rows.
  @Test func aCallThatDoesNotExistIsReportedWithItsLine() async throws {
    let errors = try await errors(of: [
      (6, "try await store.collection(\"notes\").getDocuments()"),
      (7, "try await store.collection(\"notes\").document(\"tea\").noSuchCall()"),
    ])
    #expect(errors.map(\.file) == ["Documentation/MIGRATING.md"])
    #expect(errors.map(\.line) == [7])
    #expect(errors.first?.message.contains("noSuchCall") == true)
  }
}

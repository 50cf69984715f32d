import Foundation
import Testing

/// The table of what Core can do names a test for each capability. Those tests must exist.
struct CapabilityTableTests {
  @Test func everyTestThatTheTableOfCoreNamesExists() throws {
    let table = try String(
      contentsOf: packageRoot.appending(path: "Core/Components/README.md"), encoding: .utf8)
    let named = NamedTests.named(in: table)
    #expect(named.count > 100)
    let existing = try NamedTests.existing(in: [
      "Core/Components/Tests", "Core/Testing/Tests", "Integration/Tests",
    ])
    #expect(named.subtracting(existing).sorted() == [])
  }
}

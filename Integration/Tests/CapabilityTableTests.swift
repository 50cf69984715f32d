import Foundation
import TenonTestSupport
import Testing

/// The capability tables of Core and Store name a test for each capability. These tests must exist.
@Suite(.limited) struct CapabilityTableTests {
  @Test func everyTestInTheTableOfCoreExists() throws {
    let table = try String(
      contentsOf: packageRoot.appending(path: "Core/Components/README.md"), encoding: .utf8)
    let named = NamedTests.named(in: table)
    #expect(named.count > 100)
    let existing = try NamedTests.existing(in: [
      "Core/Components/Tests", "Core/Testing/Tests", "Integration/Tests", "Products/Storage/Tests",
      "Products/StoreCombine/Tests", "Tools/Tenon/Tests",
    ])
    #expect(named.subtracting(existing).sorted() == [])
  }

  /// Each row of a table with tests names one; of the paragraphs of the texts, one that is different says
  /// why.
  @Test func everyRowOfTheTableOfCoreNamesATest() throws {
    let table = try String(
      contentsOf: packageRoot.appending(path: "Core/Components/README.md"), encoding: .utf8)
    #expect(NamedTests.rowsWithoutTest(in: table) == [])
    let rows = """
      | capability | in Tenon | test |
      | --- | --- | --- |
      | a | `b` | `ATests/a` |
      | c | `CTests/c` | |

      | paragraph | in Tenon | test or reason |
      | --- | --- | --- |
      | d | | different: no need |
      | e | `f` | different |

      | linker | setting |
      | --- | --- |
      | g | h |
      """
    #expect(
      NamedTests.rowsWithoutTest(in: rows) == ["| c | `CTests/c` | |", "| e | `f` | different |"])
  }

  @Test func everyTestInTheTableOfStoreExists() throws {
    let table = try String(
      contentsOf: packageRoot.appending(path: "Products/Store/README.md"), encoding: .utf8)
    let named = NamedTests.named(in: table)
    #expect(named.count > 10)
    let existing = try NamedTests.existing(in: [
      "Products/Store/Tests", "Tools/StoreSpec/Tests", "Integration/Tests",
    ])
    #expect(named.subtracting(existing).sorted() == [])
  }
}

import Foundation
import TenonTestSupport
import Testing

@testable import tenon_matrix

/// The comparison of the committed table with the present one.
@Suite(.limited) struct ComparisonTests {
  private static let functions = Combination(
    executable: "functions-alone", modules: ["TenonCore", "TenonFunctions", "TenonEmbedded"])
  private static let functionsWithAppCheck = Combination(
    executable: "functions-appcheck",
    modules: ["TenonCore", "TenonFunctions", "TenonAppCheck", "TenonEmbedded"])
  private static let functionsWithAuth = Combination(
    executable: "functions-auth", modules: ["TenonCore", "TenonFunctions", "TenonAuth", "TenonEmbedded"])
  private static let core = Combination(executable: "core-alone", modules: ["TenonCore"])

  private func row(
    _ combination: Combination, call: String = "carries no token", size: Int = 2_000_000,
    startUp: Duration? = .microseconds(9_460)
  ) throws -> Matrix.Row {
    try Matrix.Row(
      combination,
      libraries: combination.modules.filter { $0 != "TenonCore" }.map(Combination.libraryName) + ["greeting"],
      features: [("Call", call), ("Where App Check is enforced", "rejected | not sent")], size: size,
      startUp: startUp)
  }

  private func text(_ rows: Matrix.Row...) throws -> String { try Matrix(rows: rows).text }

  private func differences(_ committed: String, _ present: String) -> [String] {
    Comparison(committed: committed, present: present).differences
  }

  @Test func aTableOfTheSameOutcomesIsCurrentWhateverTheStartUpTimes() throws {
    let committed = try text(row(Self.functions), row(Self.core))
    let present = try text(row(Self.functions, startUp: nil), row(Self.core, startUp: .seconds(3)))
    #expect(differences(committed, present) == [])
    #expect(committed.contains("| 2.00 MB | 9.5 ms |"))
  }

  @Test func aFeatureWithAnotherOutcomeIsADifference() throws {
    let found = try differences(
      text(row(Self.functions)), text(row(Self.functions, call: "carries the user's token")))
    #expect(
      found == [
        "Functions alone (`functions-alone`), Call: “carries the user's token” instead of “carries no token”."
      ])
  }

  @Test func aCombinationWithoutARowIsADifference() throws {
    let found = try differences(
      text(row(Self.functions)), text(row(Self.functions), row(Self.functionsWithAppCheck)))
    #expect(found == ["There is no row for Functions with App Check (`functions-appcheck`)."])
  }

  @Test func aRowWithoutACombinationIsADifference() throws {
    let found = try differences(
      text(row(Self.functions), row(Self.functionsWithAppCheck)), text(row(Self.functions)))
    #expect(
      found == [
        "The row of Functions with App Check (`functions-appcheck`) has no program that Package.swift declares."
      ])
  }

  @Test func rowsInAnotherOrderAreADifference() throws {
    let found = try differences(
      text(row(Self.functionsWithAppCheck), row(Self.functionsWithAuth)),
      text(row(Self.functionsWithAuth), row(Self.functionsWithAppCheck)))
    #expect(found == ["The rows aren't in the order of Package.swift."])
  }

  @Test(arguments: [
    (2_200_000, true), (1_800_000, true), (2_220_000, false), (1_780_000, false), (4_000_000, false),
  ])
  func aSizeMayDifferByATenth(size: Int, isCurrent: Bool) throws {
    let found = try differences(text(row(Self.functions)), text(row(Self.functions, size: size)))
    #expect(found.isEmpty == isCurrent, "\(found)")
    #expect(isCurrent || found.first?.contains("instead of 2.00 MB") == true)
  }

  @Test(arguments: [
    ("9.5 ms", "fast"), ("2.00 MB", "small"), ("9.5 ms", "not measured"), ("2.00 MB", "0.00 MB"),
    ("# What", "# Which"), ("| Linked |", "| Linked with |"), ("carries no token | ", ""),
    ("Core, Functions", "Functions"),
  ])
  func aChangedFileIsADifference(part: String, replacement: String) throws {
    let committed = try text(row(Self.functions))
    try #require(committed.contains(part))
    #expect(differences(committed.replacing(part, with: replacement), committed) != [])
  }

  @Test func aRepeatedRowIsADifference() throws {
    let committed = try text(row(Self.core))
    let line = try #require(committed.split(separator: "\n").last)
    #expect(
      differences(committed + line + "\n", committed).contains("Core alone (`core-alone`) has two rows."))
  }

  @Test func anEmptyFileIsADifference() throws {
    #expect(try !differences("", text(row(Self.functions))).isEmpty)
  }
}

import Foundation
import TenonTestSupport
import Testing

@testable import tenon_matrix

/// The rows of the table, and the combinations that a package declares.
@Suite(.limited) struct MatrixTests {
  private let storage = Combination(
    executable: "storage-auth-appcheck",
    modules: ["TenonCore", "TenonStorage", "TenonAuth", "TenonAppCheck", "TenonEmbedded"])

  @Test func aCombinationIsNamedByItsProducts() {
    #expect(storage.title == "Storage with Auth and App Check" && storage.subject == "Storage")
    let synced = Combination(
      executable: "store-sync-auth", modules: ["TenonCore", "TenonStore", "TenonStoreSync", "TenonAuth"])
    #expect(synced.title == "Store with StoreSync and Auth" && synced.subject == "Store")
    let core = Combination(executable: "core-alone", modules: ["TenonCore"])
    #expect(core.title == "Core alone" && core.subject == "Core")
  }

  @Test func aRowListsWhatIsLinked() throws {
    let libraries = ["tenon-app-check", "tenon-auth", "tenon-embedded", "tenon-storage"]
    let row = try Matrix.Row(
      storage, libraries: libraries, features: [("Upload", "accepted")], size: 1, startUp: nil)
    #expect(row.linked == ["Core", "Storage", "Auth", "App Check", "Embedded"])
  }

  @Test(arguments: [
    ["tenon-auth", "tenon-embedded", "tenon-storage"],
    ["tenon-app-check", "tenon-auth", "tenon-embedded", "tenon-storage", "tenon-store"], [],
  ])
  func aProgramThatLinksOtherProductsThanDeclaredIsAnError(libraries: [String]) {
    let error = #expect(throws: MatrixError.self) {
      try Matrix.Row(storage, libraries: libraries, features: [("Upload", "accepted")], size: 1, startUp: nil)
    }
    #expect(error?.description.contains("storage-auth-appcheck") == true)
  }

  @Test func combinationsOfOneProductMustHaveTheSameFeatures() throws {
    let rows = try [["Upload"], ["Upload", "Download"]].map { names in
      try Matrix.Row(
        Combination(executable: "storage-alone", modules: ["TenonCore", "TenonStorage"]),
        libraries: ["tenon-storage"], features: names.map { ($0, "accepted") }, size: 1, startUp: nil)
    }
    #expect(throws: MatrixError.self) { try Matrix(rows: rows) }
  }

  @Test func rowsWithFewerProductsComeFirstAndCoreIsTheFirstTable() throws {
    func row(_ executable: String, _ modules: String...) throws -> Matrix.Row {
      try Matrix.Row(
        Combination(executable: executable, modules: modules),
        libraries: modules.filter { $0 != "TenonCore" }.map(Combination.libraryName),
        features: [("Feature", "works")], size: 1_000_000, startUp: nil)
    }
    let rows = try [
      row("store-storage", "TenonCore", "TenonStore", "TenonStorage"),
      row("store-auth", "TenonCore", "TenonStore", "TenonAuth"),
      row("store-alone", "TenonCore", "TenonStore"),
      row("core-alone", "TenonCore"),
    ]
    let names = try Matrix(rows: rows).text.matches(of: /^\| .* \(`(.*)`\)/.anchorsMatchLineEndings())
    #expect(names.map { String($0.1) } == ["core-alone", "store-alone", "store-storage", "store-auth"])
  }

  @Test func aProgramWithoutFeaturesIsAnError() {
    #expect(throws: MatrixError.self) {
      try Matrix.Row(
        Combination(executable: "core-alone", modules: ["TenonCore"]), libraries: [], features: [], size: 1,
        startUp: nil)
    }
  }

  @Test func combinationsAreTheExecutablesOfTheirFolder() throws {
    func target(_ name: String, _ type: String, _ path: String, _ dependencies: String) -> String {
      #"{"name": "\#(name)", "type": "\#(type)", "path": "\#(path)", "dependencies": [\#(dependencies)]}"#
    }
    let report = #"{"byName": ["IntegrationReport", null]}"#
    let core = #"{"byName": ["TenonCore", null]}"#
    let foundation = #"{"byName": ["TenonFoundation", null]}"#
    let package = #"{"product": ["ArgumentParser", "swift-argument-parser", null, null]}"#
    let conditional = #"{"target": ["TenonAuth", {"platformNames": ["linux"]}]}"#
    let targets = [
      target(
        "auth-alone", "executable", "Integration/Combinations/AuthAlone/Sources",
        "\(core), \(foundation), \(conditional), \(report)"),
      target("Part", "regular", "Integration/Combinations/Part/Sources", core),
      target("Notes", "executable", "Integration/Notes/Sources", "\(core), \(package)"),
      target("AuthFeatures", "regular", "Integration/Features/Auth/Sources", "\(core), \(report)"),
      target("tenon-matrix", "executable", "Tools/Matrix/Sources", "\(core), \(report)"),
    ]
    let products = #"[{"name": "TenonCore"}, {"name": "TenonAuth"}]"#
    let dump =
      #"{"name": "tenon", "products": \#(products), "targets": [\#(targets.joined(separator: ", "))]}"#
    #expect(
      try Combination.declared(inDump: Data(dump.utf8)) == [
        Combination(executable: "auth-alone", modules: ["TenonCore", "TenonAuth"])
      ])
    #expect(throws: MatrixError.self) {
      try Combination.declared(inDump: Data(#"{"products": [], "targets": []}"#.utf8))
    }
  }

  @Test func aDeclaredExecutableThatIsNotBuiltIsAnError() {
    let error = #expect(throws: MatrixError.self) {
      try BuiltCombination(storage, in: URL(filePath: "/nowhere"))
    }
    #expect(error?.description.contains("swift build -c release") == true)
  }

  @Test func aFailingProgramIsAnErrorThatQuotesIt() {
    let error = #expect(throws: MatrixError.self) {
      try Command("/bin/sh", ["-c", "echo broken >&2; exit 3"]).run()
    }
    #expect(error?.description.contains("code 3: broken") == true)
    #expect(throws: MatrixError.self) { try Command("/nowhere/program", []).run() }
  }
}

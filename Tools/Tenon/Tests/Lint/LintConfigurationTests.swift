import Foundation
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct LintConfigurationTests {
  private func configuration(_ json: String) throws -> LintConfiguration {
    try LintConfiguration(json: Data(json.utf8))
  }

  @Test(
    arguments: [
      ("{", "isn't JSON"), ("{\n  \"prefix\": \"A\",\n  nonsense\n}", "isn't JSON: at line 3, column 3"),
      ("{\n\"prefx\": \"A\"}", ".tenon-lint.json:2: prefx is no key"), ("[]", "the file must be an object"),
      ("{\"prefx\": \"A\"}", "prefx is no key. Did you mean prefix?"),
      ("{\"core\": {\"folders\": \"A\"}}", "core.folders is no key. Did you mean folder?"),
      ("{\"colour\": 1}", "colour is no key. Known are prefix, core, interop"),
      ("{\"prefix\": 1}", "prefix must be a text"), ("{\"core\": []}", "core must be an object"),
      ("{\"products\": {\"imports\": \"A\"}}", "products.imports must be a list of texts"),
      ("{\"interop\": {\"suffix\": \"\"}}", "interop.suffix is empty"),
      (
        "{\"rules\": {\"json-has-limit\": []}}",
        "json-has-limit is no rule in rules. Did you mean json-has-limits?"
      ),
      ("{\"rules\": {\"product-imports\": []}}", "product-imports is no rule in rules"),
      (
        "{\"exceptions\": [{\"rule\": \"core-imports\", \"path\": \"A\"}]}", "exceptions[0].reason is missing"
      ),
      (
        "{\"exceptions\": [{\"rule\": \"core-import\", \"path\": \"A\", \"reason\": \"b\"}]}",
        "core-import is no rule in exceptions. Did you mean core-imports?"
      ),
    ])
  func aMistakeNamesItsKey(json: String, expected: String) {
    let error = #expect(throws: CommandError.self) { try configuration(json) }
    #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
  }

  @Test func foldersPrefixAndSuffixCanBeChosen() throws {
    let configuration = try configuration(
      """
      {"prefix": "Acme", "core": {"folder": "Libraries/Base"}, "interop": {"folder": "Libraries/Seams", "suffix": "API", "imports": ["AcmePlaces"]},
       "products": {"folder": "Libraries/Features"}}
      """)
    let root = try LintFixture.folder([
      "Libraries/Seams/Maps/Sources/MapsAPI.swift": "import AcmeWeather\npublic import AcmePlaces",
      "Libraries/Features/Weather/Sources/Weather.swift":
        "import AcmeMaps\nimport MapsAPI\nimport TenonAuth\nimport NIO\nlet a = { LibraryRegistry.register(A.self) }",
      "Libraries/Features/Weather/Tests/A.swift": "import AcmeWeather\nimport AcmeMaps\nimport Testing",
    ])
    defer { try? FileManager.default.removeItem(at: root) }
    let package = try LintedPackage(root: root, configuration: configuration)
    #expect(
      Set(Lint(package).findings.map { "\($0.location?.path ?? ""):\($0.location?.line ?? 0) \($0.rule)" })
        == [
          "Libraries/Seams/Maps/Sources/MapsAPI.swift:1 interop-imports",
          "Libraries/Features/Weather/Sources/Weather.swift:1 product-imports",
          "Libraries/Features/Weather/Sources/Weather.swift:3 product-imports",
          "Libraries/Features/Weather/Sources/Weather.swift:4 product-imports",
          "Libraries/Features/Weather/Tests/A.swift:2 product-test-imports",
        ])
  }

  @Test func optionalRulesApplyOnlyWhereTheyAreSelected() throws {
    let files = [
      "Products/Auth/Sources/A.swift":
        "final class A: @unchecked Sendable {}\nlet a = { LibraryRegistry.register(A.self) }",
      "Core/A/Sources/A.swift": "final class A: @unchecked Sendable {}",
    ]
    for (rules, count) in [("", 0), ("\"no-unchecked-sendable\": [\"Core/\"]", 1)] {
      let root = try LintFixture.folder(files)
      defer { try? FileManager.default.removeItem(at: root) }
      let lint = Lint(
        try LintedPackage(root: root, configuration: try configuration("{\"rules\": {\(rules)}}")))
      #expect(lint.findings.count == count)
    }
  }
}

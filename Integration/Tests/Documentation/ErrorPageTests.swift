import Foundation
import TenonCore
import TenonTestSupport
import Testing

/// The numbers of Core's errors and their pages in the documentation.
@Suite(.limited) struct ErrorPageTests {
  private static let errors = packageRoot.appending(path: "Core/Components/Sources/Errors")

  /// The pages whose samples have their own tests, ``NotOverriddenPageTests`` and ``LoadedLibraryPageTests``:
  /// one is a test, the others load libraries.
  private static let others: Set<String> = ["TENON-211", "TENON-402", "TENON-403"]

  /// Returns the codes that a source declares.
  private func codes(in file: String) throws -> [String] {
    let text = try String(contentsOf: Self.errors.appending(path: file), encoding: .utf8)
    return text.matches(of: /static let \w+ = Code\(rawValue: "([^"]+)"\)/).map { String($0.1) }
  }

  /// The numbers of all codes, in the order of their declarations.
  private var numbers: [String] {
    get throws {
      let configuration = try codes(in: "ConfigurationError.swift").map {
        try #require(ConfigurationError.Code(rawValue: $0).number, "\($0)")
      }
      let component = try codes(in: "ComponentError.swift").map {
        try #require(ComponentError.Code(rawValue: $0).number, "\($0)")
      }
      #expect(configuration.count >= 19 && component.count >= 13)
      return configuration + component
    }
  }

  // MARK: - Numbers

  @Test func everyCodeHasANumberOfItsOwn() throws {
    let numbers = try numbers
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.allSatisfy { $0.wholeMatch(of: /TENON-[1-9]\d\d/) != nil })
    #expect(ConfigurationError.Code(rawValue: "of a later version").number == nil)
    #expect(ComponentError.Code(rawValue: "of a later version").number == nil)
  }

  @Test func everyNumberHasAPageThatTheIndexLists() throws {
    let numbers = try numbers
    let files = try FileManager.default.contentsOfDirectory(atPath: ErrorPage.folder.path)
    #expect(Set(files) == Set(numbers.map { "\($0).md" } + ["Errors.md"]))
    let index = ErrorPage.folder.appending(path: "Errors.md")
    let listed = try String(contentsOf: index, encoding: .utf8).matches(of: /- <doc:(TENON-\d+)>/).map {
      String($0.1)
    }
    #expect(listed == numbers.sorted())
    for number in numbers {
      let page = try ErrorPage(number)
      #expect(page.text.hasPrefix("# \(number): "))
      for heading in ["## Cause", "## Example", "## Repair"] {
        #expect(page.text.components(separatedBy: "\n\(heading)\n").count == 2, "\(number): \(heading)")
      }
      #expect(page.sample.output.hasPrefix("\(number): "))
    }
  }

  // MARK: - Samples

  @Test(.deep) func everySamplePrintsWhatItsPageSays() async throws {
    let numbers = try numbers.filter { !Self.others.contains($0) }
    try await withTemporaryDirectory { directory in
      var source = "import TenonCore\n"
      for number in numbers {
        let code = try ErrorPage(number).sample.code
        source += "func sample\(number.dropFirst(6))() async throws {\n\(code)\n}\n"
      }
      source += "do {\n  switch CommandLine.arguments[1] {\n"
      for number in numbers { source += "  case \"\(number)\": try await sample\(number.dropFirst(6))()\n" }
      source += "  default: break\n  }\n} catch { print(error) }\n"
      try await ErrorPage.build(["-o", "samples"] + ErrorPage.core, source: source, in: directory)
      for number in numbers {
        let result = try await Executable(path: directory.appending(path: "samples").path).run(
          [number], in: directory)
        let expected = try ErrorPage(number).sample.output + "\n"
        #expect(ErrorPage.comparable(result.output) == ErrorPage.comparable(expected), "\(number)")
      }
    }
  }
}

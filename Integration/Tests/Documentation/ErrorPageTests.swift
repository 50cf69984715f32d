import Foundation
import TenonCore
import Testing

/// The numbers of Core's errors and their pages in the documentation.
@Suite struct ErrorPageTests {
  private static let errors = packageRoot.appending(path: "Core/Components/Sources/Kernel/Errors")
  private static let pages = packageRoot.appending(path: "Core/Components/Sources/TenonCore.docc/Errors")

  /// The pages whose samples can't be run here: they need the library for tests, or libraries that are loaded later.
  private static let notRun: Set<String> = ["TENON-211", "TENON-402", "TENON-403"]

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

  private func text(_ page: String) throws -> String {
    try String(contentsOf: Self.pages.appending(path: "\(page).md"), encoding: .utf8)
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
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.pages.path)
    #expect(Set(files) == Set(numbers.map { "\($0).md" } + ["Errors.md"]))
    let listed = try text("Errors").matches(of: /- <doc:(TENON-\d+)>/).map { String($0.1) }
    #expect(listed == numbers.sorted())
    for number in numbers {
      let page = try text(number)
      #expect(page.hasPrefix("# \(number): "))
      for heading in ["## Cause", "## Example", "## Repair"] {
        #expect(page.components(separatedBy: "\n\(heading)\n").count == 2, "\(number): \(heading)")
      }
      #expect(try sample(number).output.hasPrefix("\(number): "))
    }
  }

  // MARK: - Samples

  /// Returns the code of a page and the text that it prints.
  private func sample(_ page: String) throws -> (code: String, output: String) {
    let match = try #require(
      try text(page).firstMatch(of: /```swift\n((?s:.*?))\n```\n\n```\n((?s:.*?))\n```\n/), "\(page)")
    return (String(match.1), String(match.2))
  }

  /// Returns a text without what differs between machines and in the program of the test: the stack's limit, and the names of
  /// types that are declared in a function.
  private func comparable(_ text: String) -> String {
    text.replacing(/(at most) \d+/) { "\($0.1) N" }
      .replacing(/(\w+\.)?(\(unknown context at \$\w+\)\.)+/, with: "Main.")
  }

  @Test(.timeLimit(.minutes(2))) func everySamplePrintsWhatItsPageSays() async throws {
    let pages = try numbers.filter { !Self.notRun.contains($0) }
    try await withTemporaryDirectory { directory in
      var source = "import TenonCore\n"
      for page in pages {
        source += "func sample\(page.dropFirst(6))() async throws {\n\(try sample(page).code)\n}\n"
      }
      source += "do {\n  switch CommandLine.arguments[1] {\n"
      for page in pages { source += "  case \"\(page)\": try await sample\(page.dropFirst(6))()\n" }
      source += "  default: break\n  }\n} catch { print(error) }\n"
      let file = directory.appending(path: "main.swift")
      try Data(source.utf8).write(to: file)
      let program = directory.appending(path: "samples").path
      let objects = try ["TenonCore", "TenonJSON", "TenonThreads"].flatMap { module in
        let folder = Executable.buildDirectory.appending(path: "\(module).build")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".o") }
          .map { folder.appending(path: $0).path }
      }
      let build = try await Executable(path: "/usr/bin/env").run(
        ["swiftc", "-o", program, file.path] + SwiftCompiler.options + objects, in: directory)
      try #require(build.status == 0, "\(build.errors)")
      for page in pages {
        let result = try await Executable(path: program).run([page], in: directory)
        #expect(comparable(result.output) == comparable(try sample(page).output + "\n"), "\(page)")
      }
    }
  }
}

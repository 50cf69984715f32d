import Foundation
import TenonTestSupport
import Testing

/// The check of programs before they run. Only Linux has it so far.
@Suite(.limited(to: .seconds(1_200), of: .processes), .deep, .builtPlantedPackage, .enabled(if: isLinux))
struct CheckTests {
  /// A problem as `--json` prints it.
  private struct Finding: Decodable, Hashable {
    struct Location: Decodable, Hashable {
      let path: String
      let line: Int?
    }
    let rule: String
    let severity: String
    let message: String
    let repairs: [String]
    let location: Location?
  }

  private func findings(_ result: Executable.Result) throws -> [Finding] {
    try JSONDecoder().decode([Finding].self, from: Data(result.output.utf8))
  }

  // MARK: - What is found

  @Test func everyPlantedErrorIsFoundWithItsPlaceAndNothingElse() async throws {
    let package = try PlantedPackage.current
    #expect(package.expected.count == 300)
    let result = try await package.check("Everything", "--json")
    #expect(result.status == 1)
    var rest = try findings(result)
    #expect(rest.count == 300)
    for error in package.expected {
      let index = rest.firstIndex {
        $0.rule == error.number && $0.message.contains(error.text) && $0.location?.path == error.path
          && error.lines.contains($0.location?.line ?? 0)
      }
      guard let index else {
        Issue.record("Not found: \(error)")
        continue
      }
      #expect(!rest[index].repairs.isEmpty, "\(error)")
      rest.remove(at: index)
    }
    #expect(rest == [])
    #expect(!package.hasMainRun)
  }

  @Test func thePluginFindsTheSame() async throws {
    let package = try PlantedPackage.current
    let result = try await package.swift(
      "package", "tenon-check", "--product", "Everything", "--product", "Sound", "--json")
    #expect(result.status == 1)
    #expect(result.errors.contains("tenon-check: 2 executables, 300 problems"))
    let found = try findings(result)
    #expect(found.count == 300)
    #expect(Set(found) == Set(try findings(try await package.check("Everything", "--json"))))
    let valid = try await package.swift("package", "tenon-check", "--product", "Sound")
    #expect(valid.lines.last == "tenon-check: 1 executable, no problems")
    #expect(valid.status == 0)
    let plain = try await package.swift("package", "tenon-check", "--product", "Plain")
    #expect(plain.status != 0)
    #expect(plain.errors.contains("Plain doesn't link TenonCore"))
    #expect(!package.hasMainRun)
  }

  @Test func librariesWithUnusableNamesAndLongChainsAreFound() async throws {
    let package = try PlantedPackage.current
    let found = try findings(try await package.check("Twins", "--json"))
    #expect(found.map(\.rule).sorted() == ["TENON-104", "TENON-105", "TENON-401"])
    #expect(found.first { $0.rule == "TENON-104" }?.location?.path == "Sources/Twins/main.swift")
    #expect(!package.hasMainRun)
  }

  @Test func whatIsValidButNotMeantIsFound() async throws {
    let package = try PlantedPackage.current
    let result = try await package.check("Unmeant")
    #expect(result.status == 1)
    #expect(
      result.output == """
        note: weather requires apiKey, which wasn't checked: the options aren't known. [required-options]
          - Name their file in TENON_CONFIG, or use --at-configure if the program passes them.
        Sources/Unmeant/main.swift:7:1: error: The library Unmeant.Forgotten is linked, but it hasn't registered. [unregistered-library]
          - Declare its registration as the documentation of Library shows.
          - If the program lists its libraries in App.configure(libraries:), check it with --at-configure.
        Sources/Unmeant/main.swift:16:3: warning: Int of weather 1.0.0 optionally needs any ForcastInterop, which nothing provides. [optional-need]
          - There is any ForecastInterop.
        tenon check: 1 executable, 1 problem, 1 warning

        """)
    let plugin = try await package.swift("package", "tenon-check", "--product", "Unmeant")
    for line in result.lines.dropLast() { #expect(plugin.lines.contains(line), "\(plugin.output)") }
    #expect(!package.hasMainRun)
  }

  @Test func optionsOfAFileAreChecked() async throws {
    let package = try PlantedPackage.current
    try await withTemporaryDirectory { directory in
      let file = directory.appending(path: "tenon.json")
      try Data("{}".utf8).write(to: file)
      let program = package.directory.appending(path: ".build/debug/Unmeant").path
      let result = try await Executable("tenon").run(
        ["check", "--json", "--libraries", "weather", program], environment: ["MAIN_RAN": package.mark.path],
        in: directory)
      #expect(try findings(result).filter { $0.severity == "error" }.map(\.rule) == ["TENON-301"])
    }
  }

  @Test func whatAProgramPassesIsCheckedAtConfigure() async throws {
    let package = try PlantedPackage.current
    let result = try await package.check("Configuring", "--at-configure", "--json")
    #expect(result.status == 1)
    #expect(try findings(result).map(\.rule) == ["TENON-301", "TENON-102"])
    let ended = try await package.check("Plain", "--at-configure")
    #expect(ended.status == 1)
    let plugin = try await package.swift(
      "package", "tenon-check", "--product", "Configuring", "--at-configure", "--json")
    #expect(Set(try findings(plugin)) == Set(try findings(result)))
  }

  @Test func aSelectionOfLibrariesIsChecked() async throws {
    let package = try PlantedPackage.current
    let part = try findings(try await package.check("Everything", "--json", "--libraries", "north,suoth"))
    #expect(part.count == 61)
    let unknown = part.filter { $0.location == nil }
    #expect(
      unknown.map(\.message) == ["The options activate the library \"suoth\", which isn't linked."])
    #expect(unknown.first?.repairs.first == "Did you mean \"south\"?")
    #expect(unknown.first?.rule == "TENON-305")
  }

  // MARK: - Nothing passes by accident

  @Test(arguments: [
    ("Crashing", "Crashing crashed before its main (signal "),
    ("Leaving", "Leaving ended with 0 and wrote no inspection"),
    ("Hanging", "Hanging didn't reach its main within 0.5 s and was killed."),
    ("Plain", "Plain doesn't link TenonCore, so there is nothing to check; it wasn't started."),
  ])
  func aProgramThatCannotBeInspectedFails(program: String, message: String) async throws {
    let package = try PlantedPackage.current
    let result = try await package.check(program, "--limit", program == "Hanging" ? "0.5" : "30")
    #expect(result.status == 1)
    #expect(result.output.contains("error: \(message)"), "\(result.output)")
    #expect(result.output.contains("[not-inspected]"))
    #expect(!package.hasMainRun)
  }

  @Test func withoutTheVariableTheProgramRuns() async throws {
    try await withTemporaryDirectory { directory in
      let mark = directory.appending(path: "ran")
      let path = try PlantedPackage.current.directory.appending(path: ".build/debug/Sound").path
      let result = try await Executable(path: path).run(environment: [
        "MAIN_RAN": mark.path, "TENON_INSPECT": "",
      ])
      #expect(result.status == 0)
      #expect(FileManager.default.fileExists(atPath: mark.path))
    }
  }

  @Test func aFileThatCannotBeWrittenIsAnError() async throws {
    let package = try PlantedPackage.current
    let path = package.directory.appending(path: ".build/debug/Sound").path
    let result = try await Executable(path: path).run(
      environment: ["MAIN_RAN": package.mark.path, "TENON_INSPECT": "/nowhere/file.json"])
    #expect(result.status == 70)
    #expect(
      result.errors == "This program was started with TENON_INSPECT, but its file can't be created.\n")
    #expect(!package.hasMainRun)
  }

  @Test func wrongArgumentsAreRejected() async throws {
    let tenon = Executable("tenon")
    for arguments in [[], ["--limit", "0", "x"], ["--json", "--sarif", "x"]] {
      let result = try await tenon.run(["check"] + arguments)
      #expect(result.status == 64, "\(arguments)")
      #expect(result.errors.hasPrefix("Error: "), "\(arguments)")
    }
  }

  @Test(
    arguments: [
      ("/nowhere", "There is no file /nowhere. Build it first: swift build"),
      (
        packageRoot.path, "No executable in \(packageRoot.path) links TenonCore. Build one first: swift build"
      ),
      (packageRoot.path + "/README.md", "\(packageRoot.path)/README.md isn't an executable."),
    ])
  func whatIsNoProgramEndsWith1(path: String, error: String) async throws {
    let result = try await Executable("tenon").run(["check", path])
    #expect(result.status == 1)
    #expect(result.errors == "Error: \(error)\n")
    #expect(result.output == "")
  }

  // MARK: - No false positives

  /// Every executable of this package, with each combination of products.
  @Test func theExecutablesOfThisPackageAreValid() async throws {
    let result = try await Executable("tenon").run(
      ["check", Executable.buildDirectory.path], in: packageRoot)
    #expect(result.status == 0)
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: packageRoot.appending(path: "Integration/Combinations").path)
    let combinations = folders.filter {
      FileManager.default.fileExists(
        atPath: packageRoot.appending(path: "Integration/Combinations/\($0)/Sources/main.swift").path)
    }
    // Some have no libraries.
    let count = result.lines.last?.firstMatch(of: /^tenon check: (\d+) executables, 1 warning$/)?.1
    #expect(count.flatMap { Int($0) } ?? 0 > combinations.count, "\(result.output)")
  }
}

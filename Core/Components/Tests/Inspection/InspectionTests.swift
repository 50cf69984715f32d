import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// A library without its registration. It isn't nested: those that are nested are used explicitly.
enum ForgottenLibrary: Library {
  static let name = "forgotten"
  static let version = SemanticVersion(1, 0, 0)
  static var components: [AnyComponent] { [] }
}

/// What a program in inspection mode writes. Programs in this mode are tested in Integration.
@Suite(.limited) struct InspectionTests {
  private enum Sound: Library {
    static let name = "sound"
    static let version = SemanticVersion(1, 2, 3)
    @ComponentBuilder static var components: [AnyComponent] {
      Component(Int.self, needs: .optional(Bool.self)) { _, _ in fatalError("Nothing may be created.") }
        .timing(.eager)
    }
  }

  private enum Needy: Library {
    static let name = "needy"
    static let version = SemanticVersion(1, 0, 0)
    static let line = #line + 2
    @ComponentBuilder static var components: [AnyComponent] {
      Component(String.self, needs: .required(Double.self)) { _, _ in "" }
    }
  }

  private enum Namesake: Library {
    static let name = "sound"
    static let version = SemanticVersion(2, 0, 0)
    static var components: [AnyComponent] { [] }
  }

  @Test func validLibrariesHaveAGraphAndNoProblems() throws {
    let inspection = Inspection(of: [Sound.self])
    #expect(inspection.problems == [])
    #expect(inspection.graph == (try App.graph(of: [Sound.self], sources: [])))
    #expect(inspection.graph.components.map(\.isCreated) == [false])
  }

  @Test func problemsHaveTheirNumberRepairsAndPlace() {
    let problems = Inspection(of: [Needy.self, Sound.self]).problems
    #expect(problems.map(\.number) == ["TENON-102"])
    #expect(problems.first?.message == "String of needy 1.0.0 needs Double, which nothing provides.")
    #expect(
      problems.first?.repairs.last == "Declare the need as .optional(Double.self) if it can do without.")
    #expect(problems.first?.file == "TenonCoreTests/InspectionTests.swift")
    #expect(problems.first?.line == Needy.line)
  }

  /// The embedded backend, for example, is selected by the options of an app.
  @Test func whatDependsOnOptionsIsNoProblem() {
    #expect(Inspection(of: []).problems == [])
    #expect(Inspection(of: []).graph == .empty)
  }

  @Test func problemsOfLibrariesHaveNoPlace() {
    let problems = Inspection(of: [Sound.self, Namesake.self]).problems
    #expect(problems.map(\.number) == ["TENON-401"])
    #expect(problems.first?.file == nil)
  }

  @Test func onlyActivatedLibrariesAreInspected() {
    #expect(Inspection(of: [Sound.self, Needy.self], activating: ["sound"]).problems == [])
    #expect(Inspection(of: [Sound.self, Needy.self], activating: []).graph.components == [])
    let unknown = Inspection(of: [Sound.self], activating: ["sund"]).problems
    #expect(unknown.map(\.number) == ["TENON-305"])
    #expect(unknown.first?.repairs.first == "Did you mean \"sound\"?")
  }

  // MARK: - Options

  private enum Keyed: Library {
    static let name = "keyed"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { [] }
    static func requiredOptions(with options: AppOptions) -> [AppOption] { [.apiKey, .projectID] }
  }

  @Test func r14RequiredOptionsAreListedIfTheOptionsAreNotKnown() {
    let inspection = Inspection(of: [Keyed.self, Sound.self])
    #expect(inspection.problems == [])
    #expect(inspection.requirements == [.init(library: "keyed", options: ["apiKey", "projectID"])])
    #expect(Inspection(of: [Keyed.self, Sound.self], activating: ["sound"]).requirements == [])
  }

  @Test func r14RequiredOptionsAreCheckedIfTheOptionsAreKnown() {
    let inspection = Inspection(
      of: [Keyed.self], with: AppOptions(projectID: "p", appID: "?", backend: .embedded(directory: nil)))
    #expect(inspection.problems.map(\.number) == ["TENON-302", "TENON-304", "TENON-301"])
    #expect(inspection.problems.last?.message == "keyed requires the option apiKey, which isn't set.")
    #expect(inspection.requirements == [])
    #expect(Inspection(of: [Keyed.self], with: AppOptions(projectID: "p", apiKey: "k")).problems == [])
  }

  @Test func malformedOptionsHideNoOtherProblem() {
    let malformed = ConfigurationError(.unreadableFile, "tenon.json can't be read.")
    let inspection = Inspection(of: [Needy.self, Keyed.self], problemsOfOptions: malformed.problems)
    #expect(inspection.problems.map(\.number) == ["TENON-303", "TENON-102"])
    #expect(inspection.requirements.map(\.library) == ["keyed"])
  }

  // MARK: - What is probably not meant

  protocol ForecastInterop: Sendable {}
  protocol ForcastInterop: Sendable {}
  struct Forecast: ForecastInterop {}

  private enum Weather: Library {
    static let name = "weather"
    static let version = SemanticVersion(1, 0, 0)
    static let line = #line + 3
    @ComponentBuilder static var components: [AnyComponent] {
      Component((any ForecastInterop).self) { _ in Forecast() }
      Component(String.self, needs: .optional((any ForcastInterop).self), .optional((any Radio).self)) {
        _, _, _ in ""
      }
      Component(Int.self, needs: .optional(String.self, named: "secondary")) { _, _ in 1 }
      Component(String.self) { _ in "" }.named("secondery")
      Component(Int.self, needs: .optional(Int.self, named: "number-20")) { _, _ in 1 }.named("number-19")
    }
  }

  @Test func anOptionalNeedWithANearNameIsAWarning() {
    let inspection = Inspection(of: [Weather.self])
    #expect(inspection.problems == [])
    #expect(
      inspection.warnings.map(\.message) == [
        "String of weather 1.0.0 optionally needs any ForcastInterop, which nothing provides.",
        "Int of weather 1.0.0 optionally needs String named \"secondary\", which nothing provides.",
      ])
    #expect(inspection.warnings.first?.repairs == ["There is any ForecastInterop."])
    #expect(inspection.warnings.first?.file == "TenonCoreTests/InspectionTests.swift")
    #expect(inspection.warnings.first?.line == Weather.line)
    #expect(inspection.warnings.last?.repairs == ["There is String named \"secondery\"."])
  }

  @Test func aLinkedLibraryThatHasNotRegisteredIsAProblem() {
    let inspection = Inspection(of: [Sound.self], unregistered: ["Shop.ShopLibrary"])
    #expect(inspection.problems.map(\.number) == ["unregistered-library"])
    #expect(inspection.problems.first?.type == "Shop.ShopLibrary")
    let selected = Inspection(of: [Sound.self], activating: ["sound"], unregistered: ["Shop.ShopLibrary"])
    #expect(selected.problems == [])
    #expect(
      inspection.problems.first?.message
        == "The library Shop.ShopLibrary is linked, but it hasn't registered.")
  }

  #if os(Linux)
    @Test func linkedLibrariesAreFoundByTheirConformances() {
      let names = InspectionMode.unregisteredLibraries
      #expect(names.contains("TenonCoreTests.ForgottenLibrary"))
      #expect(!names.contains("TenonCoreTests.LinkedLibrary"))
    }
  #endif

  /// What `App.configure` writes with `TENON_INSPECT_AT=configure`.
  @Test func aProgramIsInspectedByItsFirstConfiguration() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-inspection-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    await #expect(processExitsWith: .exitCode(1)) { [path = file.path as String] in
      setenv("TENON_INSPECT", path, 1)
      setenv("TENON_INSPECT_AT", "configure", 1)
      try App.configure(options: AppOptions(apiKey: "k"), libraries: [Keyed.self]) {
        Component(Bool.self, needs: .required(Double.self)) { _, _ in fatalError("Nothing may be created.") }
          .timing(.eager)
      }
      fatalError("The app may not be configured.")
    }
    let inspection = try JSONDecoder().decode(Inspection.self, from: Data(contentsOf: file))
    #expect(inspection.problems.map(\.number) == ["TENON-301", "TENON-102"])
    #expect(inspection.graph.components.map(\.name) == ["Bool"])
  }

  @Test func theJSONHasTheDocumentedForm() throws {
    let inspection = Inspection(of: [Needy.self])
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(inspection.json.utf8)) as? [String: Any])
    #expect(Set(object.keys) == ["graph", "problems", "requirements", "warnings"])
    let problem = try #require((object["problems"] as? [[String: Any]])?.first)
    #expect(Set(problem.keys) == ["number", "message", "repairs", "file", "line"])
    #expect(try JSONDecoder().decode(Inspection.self, from: Data(inspection.json.utf8)) == inspection)
  }
}

import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

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

  @Test func theJSONHasTheDocumentedForm() throws {
    let inspection = Inspection(of: [Needy.self])
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(inspection.json.utf8)) as? [String: Any])
    #expect(Set(object.keys) == ["graph", "problems"])
    let problem = try #require((object["problems"] as? [[String: Any]])?.first)
    #expect(Set(problem.keys) == ["number", "message", "repairs", "file", "line"])
    #expect(try JSONDecoder().decode(Inspection.self, from: Data(inspection.json.utf8)) == inspection)
  }
}

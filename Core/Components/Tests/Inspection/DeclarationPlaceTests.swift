import TenonTestSupport
import Testing

@testable import TenonCore

/// Problems name the file and the line on which the component is declared.
@Suite(.limited) struct DeclarationPlaceTests {
  /// Returns the lines of the problems of components, all of which have an invalid name.
  private func lines(@ComponentBuilder _ components: () -> [AnyComponent]) -> [Int?] {
    let problems = GraphValidation(components().map { GraphNode($0) }).problems
    #expect(
      problems.allSatisfy { $0.code == .badName && $0.file == "TenonCoreTests/DeclarationPlaceTests.swift" })
    return problems.map(\.line)
  }

  @Test func everyFormOfDeclarationHasItsPlace() {
    let start = #line
    let found = lines {
      Component(Int.self) { _ in 0 }.named(" 1")
      Component(Int.self, needs: .optional(Bool.self)) { _, _ in 0 }.named(" 2")
      Component(Int.self, needs: .all(Bool.self), .all(Bool.self)) { _, _, _ in 0 }.named(" 3")
      Component(Int.self, needs: .all(Bool.self), .all(Bool.self), .all(Bool.self)) { _, _, _, _ in 0 }.named(
        " 4")
      Component(
        Int.self, needs: .all(Bool.self), .all(Bool.self), .all(Bool.self), .all(Bool.self)
      ) { _, _, _, _, _ in 0 }.named(" 5")
      Component(Int.self, arguments: Int.self) { _, value in value }.named(" 6")
      Component(Int.self, arguments: Int.self, Int.self) { _, value, _ in value }.named(" 7")
      Component(Int.self, arguments: Int.self, Int.self, Int.self) { _, value, _, _ in value }.named(" 8")
      Component(Int.self, arguments: Int.self, Int.self, Int.self, Int.self) { _, value, _, _, _ in value }
        .named(" 9")
      Component.onMainActor(Int.self) { _ in 0 }.named(" 10")
      Component(from: { (needed: Bool?) in needed == true ? 1 : 0 }).named(" 11")
    }
    #expect(found.map { ($0 ?? 0) - start } == [2, 3, 4, 5, 7, 10, 11, 12, 13, 15, 16])
  }

  @Test func aFunctionThatDeclaresComponentsCanPassOnThePlaceOfItsCaller() {
    func part(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Component<Int> {
      Component(Int.self, file: file, line: line) { _ in 0 }.named(name)
    }
    let found = lines { part("bad name") }
    #expect(found == [#line - 1])
  }

  @Test func aProblemThatConcernsNoComponentHasNoPlace() {
    let error = ConfigurationError(.notConfigured, "There is no app.")
    #expect(error.problems.first?.file == nil)
    #expect(error.problems.first?.line == nil)
  }
}

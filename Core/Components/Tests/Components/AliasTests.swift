import TenonTestSupport
import Testing

@testable import TenonCore

/// R1: aliases, which are additional names of an instance.
@Suite(.limited) struct AliasTests {
  private static func names(_ container: ComponentContainer) -> [[String]] {
    container.graph.components.map(\.provides)
  }

  @Test func automaticAliasesAreTheUppercasedNameAndALowercasedFirstLetter() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.named("MainMotor").automaticAliases()
    }
    let motor = try container.resolve(Motor.self, named: "MainMotor")
    for name in ["MAINMOTOR", "mainMotor"] {
      #expect(try container.resolve(Motor.self, named: name) === motor)
    }
    #expect(try container.resolveIfPresent(Motor.self, named: "mainmotor") == nil)
  }

  @Test(arguments: [
    ("a", ["Int named \"a\"", "Int named \"A\""]), ("A", ["Int named \"A\"", "Int named \"a\""]),
  ])
  func aFormEqualToTheNameIsNotAnAlias(name: String, expected: [String]) throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 }.named(name).automaticAliases() }
    #expect(Self.names(container) == [expected])
  }

  @Test func aComponentWithoutANameHasNoAutomaticAliases() throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 }.automaticAliases() }
    #expect(Self.names(container) == [["Int"]])
  }

  @Test func automaticAliasesDoNotReplaceExplicitNames() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.named("Main").automaticAliases()
      Component(Int.self) { _ in 2 }.named("main")
      Component(String.self) { _ in "other type" }.named("MAIN")
    }
    #expect(try container.resolve(Int.self, named: "main") == 2)
    #expect(try container.resolve(Int.self, named: "MAIN") == 1)
  }

  @Test func anAliasClaimedByTwoComponentsBelongsToNeither() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.named("maiN").automaticAliases()
      Component(Int.self) { _ in 2 }.named("Main").automaticAliases()
    }
    #expect(try container.resolveIfPresent(Int.self, named: "MAIN") == nil)
    #expect(try container.resolve(Int.self, named: "main") == 2)
  }

  @Test func r10AutomaticAliasesOfAChildPrecedeThoseOfItsParent() throws {
    let parent = try ComponentContainer { Component(Int.self) { _ in 1 }.named("Main").automaticAliases() }
    let child = try parent.child { Component(Int.self) { _ in 2 }.named("Main").automaticAliases() }
    #expect(try child.resolve(Int.self, named: "main") == 2)
    #expect(try parent.resolve(Int.self, named: "main") == 1)
  }

  /// The four collisions of names and aliases.
  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func r1ANameOrAliasIdentifiesOneComponent(first: Bool, second: Bool) {
    func component(_ name: String, isAlias: Bool) -> Component<Int> {
      let component = Component(Int.self) { _ in 1 }
      return isAlias ? component.named("of-\(name)").alias("taken") : component.named("taken")
    }
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        component("one", isAlias: first)
        component("two", isAlias: second)
      }
    }
    #expect(
      thrown?.problems.map(\.message)
        == ["Int named \"taken\" is provided by 2 components of the container."])
  }

  @Test(arguments: ["", "a b", "a/b", "é!"])
  func r2AnInvalidNameOrAliasIsAnError(name: String) {
    for component in [Component(Int.self) { _ in 1 }.named(name), Component(Int.self) { _ in 1 }.alias(name)]
    {
      let thrown = error(ConfigurationError.self) { try ComponentContainer { component } }
      #expect(
        thrown?.problems.map(\.message) == [
          "Int named \"\(name)\" of the container has an invalid name."
        ])
      #expect(thrown?.problems.first?.repairs == ["Use letters, digits, \".\", \"-\" and \"_\"."])
    }
  }

  @Test func anAliasNeedsNoName() throws {
    let container = try ComponentContainer { Component(Motor.self) { _ in Motor() }.alias("also") }
    #expect(try container.resolve(Motor.self) === container.resolve(Motor.self, named: "also"))
  }
}

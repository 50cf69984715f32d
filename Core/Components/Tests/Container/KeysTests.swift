import TenonTestSupport
import Testing

@testable import TenonCore

/// R1: keys, names and contributions.
@Suite(.limited) struct KeysTests {
  @Test func r1ATypeAndANameAreTheKey() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component((any Engine).self) { _ in Motor(power: 2) }.named("sport")
    }
    #expect(try container.resolve((any Engine).self).power == 1)
    #expect(try container.resolve((any Engine).self, named: "sport").power == 2)
  }

  @Test func r1ASecondComponentOfAKeyIsAnErrorThatNamesBothLibraries() {
    enum Northern: Library {
      static let name = "north"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component((any Engine).self) { _ in Motor() } }
    }
    enum Southern: Library {
      static let name = "south"
      static let version = SemanticVersion(2, 1, 0)
      static var components: [AnyComponent] {
        Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }
      }
    }
    let thrown = error(ConfigurationError.self) {
      try App.configure(
        name: "r1",
        options: AppOptions(projectID: "p"),
        libraries: [Southern.self, Northern.self]
      )
    }
    #expect(thrown?.problems.map(\.code) == [.duplicateKey])
    #expect(thrown?.problems.first?.message == "any Engine is provided by north 1.0.0 and south 2.1.0.")
    #expect(App.app(name: "r1") == nil)
  }

  @Test func r1AnAliasNamesTheSameInstance() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.named("main").alias("primary")
    }
    #expect(
      try container.resolve(Motor.self, named: "main") === container.resolve(Motor.self, named: "primary"))
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self) { _ in Motor() }.alias("spare")
        Component(Motor.self) { _ in Motor() }.named("spare")
      }
    }
    #expect(thrown?.problems.map(\.code) == [.duplicateKey])
  }

  @Test func r1ProvidingATypeTwiceInOneComponentIsAnError() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }.providing(
          (any Engine).self
        ) { $0 }
      }
    }
    #expect(thrown?.problems.map(\.message) == ["the container provides any Engine twice."])
  }

  @Test func r1ContributionsAreNotKeys() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component((any Engine).self) { _ in Motor(power: 2) }.contributing()
      Component((any Engine).self) { _ in Motor(power: 3) }.contributing()
      Component(Motor.self) { _ in Motor(power: 4) }.contributing(to: (any Engine).self) { $0 }
    }
    #expect(try container.resolve((any Engine).self).power == 1)
    #expect(try container.resolveAll((any Engine).self).map(\.power) == [2, 3, 4])
  }

  @Test func allIsEmptyWithoutContributions() throws {
    struct Garage: Sendable { let engines: Int }
    let container = try ComponentContainer {
      Component(Garage.self, needs: .all((any Engine).self)) { _, engines in Garage(engines: engines.count) }
    }
    #expect(try container.resolve(Garage.self).engines == 0)
  }

  @Test func contributionsAreCollectedByName() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: 4) }.contributing(to: (any Engine).self, named: "spare") {
        $0
      }
    }
    #expect(try container.resolveAll((any Engine).self).isEmpty)
    #expect(try container.resolveAll((any Engine).self, named: "spare").map(\.power) == [4])
  }

  @Test func oneInstanceIsProvidedUnderSeveralTypes() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }
        .providing((any Engine).self) { $0 }
        .providing((any Radio).self, named: "loud") { $0 }
    }
    let motor = try container.resolve(Motor.self)
    #expect(try container.resolve((any Engine).self) as? Motor === motor)
    #expect(try container.resolve((any Radio).self, named: "loud") as? Motor === motor)
  }

  @Test func typesOfEqualNameInDifferentScopesAreDifferentKeys() throws {
    enum First { struct Setting: Sendable { let value = 1 } }
    enum Second { struct Setting: Sendable { let value = 2 } }
    let container = try ComponentContainer {
      Component(First.Setting.self) { _ in First.Setting() }
      Component(Second.Setting.self) { _ in Second.Setting() }
    }
    #expect(try container.resolve(First.Setting.self).value == 1)
    #expect(try container.resolve(Second.Setting.self).value == 2)
  }

  @Test func genericAndOptionalTypesAreKeysToo() throws {
    let container = try ComponentContainer {
      Component([Int].self) { _ in [1] }
      Component([String].self) { _ in ["a"] }
    }
    #expect(try container.resolve([Int].self) == [1])
    #expect(try container.resolve([String].self) == ["a"])
  }

  @Test(arguments: [Scope.shared, .unique, .graph, .pool("p")])
  func anOptionalKeyResolvesToTheValueOfItsComponent(scope: Scope) throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component(Int?.self) { _ in created.increment() }.scope(scope)
      Component(String?.self) { _ in
        created.increment()
        return nil
      }.scope(scope)
      Component(Motor?.self) { _ in Motor(power: 3) }.scope(scope)
      Component(Car.self, needs: .required(Motor?.self)) { _, motor in Car(engine: try #require(motor)) }
    }
    #expect(try container.resolve(Int?.self) == 1)
    #expect(try container.resolve(String?.self) == .some(nil))
    #expect(created.value == 2)
    #expect(try container.resolve(Motor?.self)?.power == 3)
    #expect(try container.resolveIfPresent(Motor?.self)??.power == 3)
    #expect(try container.handle(Motor?.self).with { $0?.power } == 3)
    #expect(try container.resolve(Car.self).engine.power == 3)
  }
}

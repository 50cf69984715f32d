import TenonTestSupport
import Testing

@testable import TenonCore

/// R10: child containers.
@Suite(.limited) struct ChildTests {
  private static func parent() throws -> ComponentContainer {
    try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
      Component(String.self, needs: .provider(Car.self)) { _, car in "\(try car.get().engine.power) hp" }
      Component(Int.self) { _ in 7 }.scope(.unique)
      Component(Motor.self) { _ in Motor(power: 9) }
    }
  }

  private static func sport(_ parent: ComponentContainer) throws -> ComponentContainer {
    try parent.child { Component((any Engine).self) { _ in Motor(power: 2) } }
  }

  @Test func r10AChildOverridesForItselfAndForItsCreations() throws {
    let parent = try Self.parent()
    let child = try Self.sport(parent)
    #expect(try child.resolve((any Engine).self).power == 2)
    #expect(try child.resolve(Car.self).engine.power == 2)
    #expect(try child.resolve(String.self) == "2 hp")
    #expect(try child.resolve(Car.self) === child.resolve(Car.self))
  }

  @Test func r10TheParentIsUnaffected() throws {
    let parent = try Self.parent()
    let car = try parent.resolve(Car.self)
    let child = try Self.sport(parent)
    #expect(try child.resolve(Car.self) !== car)
    #expect(try parent.resolve(Car.self) === car)
    #expect(try parent.resolve(String.self) == "1 hp")
    #expect(try parent.resolve((any Engine).self).power == 1)
  }

  @Test func r10KeysThatAreNotOverriddenResolveInTheParent() throws {
    let parent = try Self.parent()
    let child = try Self.sport(parent)
    // The child's request creates the instance, which belongs to the parent.
    let motor = try child.resolve(Motor.self)
    #expect(try parent.resolve(Motor.self) === motor)
    #expect(parent.graph.components.first { $0.name == "Motor" }?.isCreated == true)
  }

  @Test func r10AParentDoesNotSeeItsChildsComponents() throws {
    let parent = try Self.parent()
    let child = try parent.child { Component(Double.self) { _ in 0.5 } }
    #expect(try child.resolve(Double.self) == 0.5)
    #expect(try parent.resolveIfPresent(Double.self) == nil)
  }

  @Test func r10AGrandchildInheritsFromAndOverridesBothAncestors() throws {
    let parent = try Self.parent()
    let child = try Self.sport(parent)
    let grandchild = try child.child { Component((any Engine).self) { _ in Motor(power: 3) } }
    #expect(grandchild.parent === child)
    #expect(try grandchild.resolve(Car.self).engine.power == 3)
    #expect(try grandchild.resolve(Motor.self) === parent.resolve(Motor.self))
    #expect(try child.resolve(Car.self).engine.power == 2)
  }

  @Test func r10AnOverrideThatNeedsItsOwnKeyDecoratesTheParent() throws {
    let parent = try Self.parent()
    let child = try parent.child {
      Component((any Engine).self, needs: .required((any Engine).self)) { _, engine in
        Motor(power: engine.power + 100)
      }
    }
    #expect(try child.resolve((any Engine).self).power == 101)
    #expect(try child.resolve(Car.self).engine.power == 101)
  }

  @Test func r10ContributionsOfAChildJoinItsParents() throws {
    struct Garage: Sendable { let engines: [Int] }
    let parent = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }.contributing()
      Component(Garage.self, needs: .all((any Engine).self)) { _, engines in
        Garage(engines: engines.map(\.power))
      }
    }
    let child = try parent.child { Component((any Engine).self) { _ in Motor(power: 2) }.contributing() }
    #expect(try child.resolve(Garage.self).engines == [1, 2])
    #expect(try child.resolveAll((any Engine).self).map(\.power) == [1, 2])
    #expect(try parent.resolve(Garage.self).engines == [1])
  }

  @Test func r10AChildOfAnAppHasTheApp() async throws {
    let app = try App.configure(name: "r10-app", options: AppOptions(projectID: "p"), libraries: [])
    let child = try app.container.child { Component(String.self) { try $0.app.name } }
    #expect(try child.resolve(String.self) == "r10-app")
    await app.delete()
  }

  @Test func r10AutomaticAliasesAreInherited() throws {
    let parent = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
        .named("Main").automaticAliases()
    }
    let child = try Self.sport(parent)
    #expect(try child.resolve(Car.self, named: "main").engine.power == 2)
    #expect(try child.resolve(Car.self, named: "MAIN") === child.resolve(Car.self, named: "Main"))
  }

  @Test func r10AChildsNameTakesAnInheritedAutomaticAlias() throws {
    let parent = try ComponentContainer { Component(Int.self) { _ in 1 }.named("Main").automaticAliases() }
    let child = try parent.child { Component(Int.self) { _ in 2 }.named("main") }
    #expect(try child.resolve(Int.self, named: "main") == 2)
    #expect(try child.resolve(Int.self, named: "MAIN") == 1)
  }

  @Test func r10AnInvalidChildIsAnErrorAndLeavesTheParentUnaffected() throws {
    let parent = try Self.parent()
    let graph = parent.graph
    let thrown = error(ConfigurationError.self) {
      try parent.child { Component(Double.self, needs: .required(Float.self)) { _, _ in 1 } }
    }
    #expect(thrown?.problems.map(\.code) == [.missingDependency])
    #expect(parent.graph == graph)
  }

  @Test func r10TheGraphMarksInheritedComponents() throws {
    let child = try Self.sport(Self.parent())
    _ = try child.resolve(Motor.self)
    #expect(
      child.graph.description == """
        Car (shared, lazy)
          any Engine, required: any Engine
        String (shared, lazy)
          Car, provider: Car
        Int (unique, lazy, of the parent)
        Motor (shared, lazy, of the parent, created as number 1)
        any Engine (shared, lazy)
        """)
  }
}

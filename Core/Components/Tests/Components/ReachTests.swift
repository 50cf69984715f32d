import TenonTestSupport
import Testing

@testable import TenonCore

/// The keys that can be resolved, and the isolation of containers from each other.
@Suite(.limited) struct ReachTests {
  @Test func twoContainersShareNothing() throws {
    func container() throws -> ComponentContainer {
      try ComponentContainer { Component(Motor.self) { _ in Motor() } }
    }
    let (one, other) = try (container(), container())
    #expect(try one.resolve(Motor.self) !== other.resolve(Motor.self))
    #expect(try one.resolve(Motor.self) === one.resolve(Motor.self))
  }

  @Test func aConcreteTypeIsNotAKeyUnlessDeclared() throws {
    let container = try ComponentContainer { Component((any Engine).self) { _ in Motor() } }
    #expect(error(ComponentError.self) { try container.resolve(Motor.self) }?.code == .notProvided)
    #expect(try container.resolveIfPresent((any Radio).self) == nil)
  }

  @Test func protocolsWithAssociatedTypesAreProvidedAsConcreteOrConstrainedTypes() throws {
    let container = try ComponentContainer {
      Component(StringShelf.self) { _ in StringShelf() }.providing((any Shelf<String>).self) { $0 }
    }
    #expect(try container.resolve((any Shelf<String>).self).items == ["a"])
    #expect(try container.resolve(StringShelf.self).items == ["a"])
    #expect(try container.resolveIfPresent((any Shelf<Int>).self) == nil)
  }

  protocol Shelf<Item>: Sendable {
    associatedtype Item
    var items: [Item] { get }
  }

  struct StringShelf: Shelf {
    let items = ["a"]
  }

  @Test func aDependencyIsSelectedByItsName() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }
      Component(Int.self) { _ in 2 }.named("two")
      Component([Int].self, needs: .required(Int.self, named: "two"), .optional(Int.self, named: "three")) {
        [$1, $2 ?? 0]
      }
    }
    #expect(try container.resolve([Int].self) == [2, 0])
  }

  @Test func aFunctionAddsBehaviourToComponents() throws {
    let journal = Journal()
    /// The equivalent of processors, behaviors and decorators of registrations in other frameworks.
    func traced<Value>(_ component: Component<Value>) -> Component<Value> {
      component.onCreate { _, _ in journal.note("created \(Value.self)") }
    }
    let container = try ComponentContainer {
      traced(Component(Int.self) { _ in 1 })
      traced(Component(String.self, needs: .required(Int.self)) { "\($1)" })
    }
    _ = try container.resolve(String.self)
    #expect(journal.entries == ["created Int", "created String"])
  }

  @Test func aSwitchSelectsAComponent() throws {
    enum Fuel: String { case petrol, electric, unknown }
    func engine(_ fuel: Fuel) -> Component<any Engine> {
      switch fuel {
      case .petrol: Component((any Engine).self) { _ in Motor(power: 1) }
      case .electric: Component((any Engine).self) { _ in Motor(power: 2) }
      case .unknown: Component((any Engine).self) { _ in throw ComponentUnavailable("no fuel") }
      }
    }
    #expect(try ComponentContainer { engine(.electric) }.resolve((any Engine).self).power == 2)
    #expect(try ComponentContainer { engine(.unknown) }.resolveIfPresent((any Engine).self) == nil)
  }

  @Test func resolvingWorksOnEveryThread() async throws {
    let container = try ComponentContainer { Component(Motor.self) { _ in Motor() } }
    let motor = await onThread { Result { try container.resolve(Motor.self) } }
    #expect(try motor.get() === container.resolve(Motor.self))
  }

  @Test func optionsAreCopiedWhenAnAppIsConfigured() async throws {
    var options = AppOptions(projectID: "first")
    let app = try App.configure(name: "reach-options", options: options, libraries: [])
    options.projectID = "second"
    #expect(app.options.projectID == "first")
    await app.delete()
  }

  @Test func r6AnErrorOfTheContextCarriesThePath() throws {
    let container = try ComponentContainer {
      Component(Int.self) { try $0.app.name.count }
      Component(String.self, needs: .required(Int.self)) { "\($1)" }
    }
    #expect(
      error(ComponentError.self) { try container.resolve(String.self) }?.description == """
        TENON-207: Int requests its app, but its container belongs to no app.
          path: String → Int
          - Resolve it from an App, or create it without context.app.
        """)
  }
}

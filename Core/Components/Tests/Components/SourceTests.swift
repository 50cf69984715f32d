import TenonTestSupport
import Testing

@testable import TenonCore

/// Sources of components: factory types, custom sources, lists.
@Suite(.limited) struct SourceTests {
  /// A factory type, split over extensions.
  struct Workshop: ComponentSource {
    var power = 3
    var components: [AnyComponent] {
      get throws {
        engines
        cars
        try Paint(colours: ["red", "blue"]).components
      }
    }
  }

  /// A custom source, which creates components from data.
  struct Paint: ComponentSource {
    let colours: [String]
    var components: [AnyComponent] {
      get throws {
        guard !colours.isEmpty else { throw Failure(text: "no colours") }
        return colours.map { colour in AnyComponent(Component(String.self) { _ in colour }.contributing()) }
      }
    }
  }

  @Test func factoryFunctionsInExtensionsReturnManagedInstancesToEachOther() throws {
    let container = try ComponentContainer { try Workshop().components }
    let car = try container.resolve(Car.self)
    #expect(car.engine.power == 3)
    #expect(car.engine as? Motor === (try container.resolve((any Engine).self)) as? Motor)
    #expect(try container.resolveAll(String.self) == ["red", "blue"])
  }

  @Test func aSourceIsPartOfAList() throws {
    struct Assembly: ComponentSource {
      var components: [AnyComponent] {
        Workshop(power: 8)
        Component(Int.self) { _ in 1 }
      }
    }
    let container = try ComponentContainer {
      Assembly()
      if true { Paint(colours: ["white"]) }
    }
    #expect(try container.resolve(Car.self).engine.power == 8)
    #expect(try container.resolve(Int.self) == 1)
    #expect(try container.resolveAll(String.self) == ["red", "blue", "white"])
  }

  @Test func aSourceThatThrowsInAListFailsWhatTheListIsFor() async throws {
    let created = Counter()
    let failure = Failure(text: "no colours")
    #expect(throws: failure) {
      try ComponentContainer {
        Component(Int.self) { _ in created.increment() }.timing(.eager)
        Paint(colours: [])
      }
    }
    let container = try ComponentContainer { Component(Double.self) { _ in 0.5 } }
    #expect(throws: failure) { try container.child { Paint(colours: []) } }
    #expect(throws: failure) { try container.update { $0.install { Paint(colours: []) } } }
    #expect(throws: failure) { try container.update { $0.replace { Paint(colours: []) } } }
    #expect(container.graph.components.count == 1)
    enum Painting: Library {
      static let name = "painting"
      static let version = SemanticVersion(1, 0, 0)
      static let line = #line + 1
      static var components: [AnyComponent] { Paint(colours: []) }
    }
    #expect(throws: failure) {
      try App.configure(
        name: "painting", options: AppOptions(projectID: "p"), libraries: [Painting.self])
    }
    #expect(App.app(name: "painting") == nil)
    #expect(created.value == 0)
    #expect(throws: failure) { try App.graph(of: [Painting.self], sources: []) }
    let problem = try #require(Inspection(of: [Painting.self]).problems.first)
    #expect(problem.message == "Paint of painting 1.0.0 can't list its components: \(failure)")
    #expect(problem.file == "TenonCoreTests/SourceTests.swift")
    #expect(problem.line == Painting.line)
  }

  @Test func aSourceThatThrowsFailsTheContainerAndNothingIsCreated() {
    let created = Counter()
    #expect(throws: Failure(text: "no colours")) {
      try ComponentContainer {
        Component(Int.self) { _ in created.increment() }.timing(.eager)
        try Paint(colours: []).components
      }
    }
    #expect(created.value == 0)
  }

  @Test func anAppAcceptsSourcesBesideItsLibraries() async throws {
    let app = try App.configure(
      name: "sources", options: AppOptions(projectID: "p"), libraries: [],
      sources: [Workshop(power: 9), Paint(colours: ["green"])])
    #expect(try app.resolve(Car.self).engine.power == 9)
    #expect(try app.resolveAll(String.self) == ["red", "blue", "green"])
    #expect(app.graph.components.allSatisfy { $0.library == nil })
    await app.delete()
  }

  @Test func anAppWhoseSourceThrowsIsNotConfigured() {
    #expect(throws: Failure(text: "no colours")) {
      try App.configure(
        name: "sources-broken", options: AppOptions(projectID: "p"), libraries: [],
        sources: [Paint(colours: [])])
    }
    #expect(App.app(name: "sources-broken") == nil)
  }

  @Test(arguments: [true, false])
  func listsHaveConditionsAndLoops(isSport: Bool) throws {
    let container = try ComponentContainer {
      if isSport {
        Component((any Engine).self) { _ in Motor(power: 9) }
      } else {
        Component((any Engine).self) { _ in Motor(power: 1) }
      }
      if isSport { Component(String.self) { _ in "spoiler" } }
      for index in 0..<3 { Component(Int.self) { _ in index }.contributing() }
      [AnyComponent(Component(Double.self) { _ in 0.5 })]
      AnyComponent(Component(Float.self) { _ in 1.5 })
    }
    #expect(try container.resolve((any Engine).self).power == (isSport ? 9 : 1))
    #expect(try container.resolveIfPresent(String.self) == (isSport ? "spoiler" : nil))
    #expect(try container.resolveAll(Int.self) == [0, 1, 2])
    #expect(try container.resolve(Double.self) == 0.5)
    #expect(try container.resolve(Float.self) == 1.5)
  }

  /// The equivalent of inheriting from an abstract definition in other frameworks.
  @Test func aFunctionConfiguresSeveralComponentsAlike() throws {
    let journal = Journal()
    func base(_ name: String, power: Int) -> Component<Motor> {
      Component(Motor.self) { _ in Motor(power: power) }.named(name).onCreate { _, _ in
        journal.note("base \(name)")
      }
    }
    let container = try ComponentContainer {
      base("plain", power: 1)
      base("sport", power: 9).scope(.unique).onCreate { _, _ in journal.note("sport") }
    }
    _ = try container.resolve(Motor.self, named: "plain")
    #expect(try container.resolve(Motor.self, named: "sport").power == 9)
    #expect(journal.entries == ["base plain", "base sport", "sport"])
  }
}

extension SourceTests.Workshop {
  @ComponentBuilder var engines: [AnyComponent] {
    Component(from: makeEngine)
  }

  @Sendable private func makeEngine() -> any Engine { Motor(power: power) }
}

extension SourceTests.Workshop {
  @ComponentBuilder var cars: [AnyComponent] {
    Component(from: makeCar)
  }

  @Sendable private func makeCar(engine: any Engine) -> Car { Car(engine: engine) }
}

import TenonTestSupport
import Testing

@testable import TenonCore

/// `Component(from:)`: the parameters of a function are the needs.
@Suite(.limited) struct InferredNeedsTests {
  final class Catalog: Sendable {
    let engine: any Engine
    let radio: (any Radio)?
    let prices: [Int]
    init(engine: any Engine, radio: (any Radio)?, prices: [Int]) {
      self.engine = engine
      self.radio = radio
      self.prices = prices
    }
  }

  struct Lazy: Sendable {
    let provider: Provider<Int>
    let optional: Provider<String?>
    let all: Provider<[Double]>
    let deferred: Deferred<Float>
    let factory: Factory<Motor, Int, Bool>
  }

  @Test func theParametersOfAnInitializerAreItsNeeds() async throws {
    let container = try ComponentContainer {
      Component(from: Catalog.init(engine:radio:prices:))
      Component((any Engine).self) { _ in Motor(power: 5) }
      Component(Int.self) { _ in 1 }.contributing()
      Component(Int.self) { _ in 2 }.contributing()
    }
    let catalog = try container.resolve(Catalog.self)
    #expect(catalog.engine.power == 5)
    #expect(catalog.radio == nil)
    #expect(catalog.prices == [1, 2])
    try container.update { $0.install { Component((any Radio).self) { _ in Motor() } } }
    await container.reset()
    #expect(try container.resolve(Catalog.self).radio != nil)
  }

  @Test func theGraphShowsInitializerForms() throws {
    let container = try ComponentContainer {
      Component(from: Lazy.init(provider:optional:all:deferred:factory:))
      Component(Int.self) { _ in 1 }
      Component(Motor.self, arguments: Int.self, Bool.self) { _, power, _ in Motor(power: power) }
    }
    let needs = container.graph.components[0].needs
    #expect(
      needs.map { "\($0.kind) \($0.name)" } == [
        "provider Int", "optional provider String", "provider of all Double", "deferred Float",
        "factory Motor",
      ])
    let lazy = try container.resolve(Lazy.self)
    #expect(try lazy.provider.get() == 1)
    #expect(try lazy.optional.get() == nil)
    #expect(try lazy.all.get() == [])
    #expect(try lazy.deferred.get() == nil)
    #expect(try lazy.factory(3, true).power == 3)
  }

  @Test func parametersCanBeNeededByName() async throws {
    let container = try ComponentContainer {
      Component(
        from: Catalog.init(engine:radio:prices:), needs: .named("sport"), .inferred, .named("new"))
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component((any Engine).self) { _ in Motor(power: 9) }.named("sport")
      Component(Motor.self) { _ in Motor() }.providing((any Radio).self) { $0 }
      Component(Int.self) { _ in 1 }.contributing()
      Component(Int.self) { _ in 2 }.contributing(to: Int.self, named: "new") { $0 }
    }
    let catalog = try container.resolve(Catalog.self)
    #expect(catalog.engine.power == 9)
    #expect(catalog.radio != nil)
    #expect(catalog.prices == [2])
    #expect(
      container.graph.components[0].needs.map(\.name) == [
        "any Engine named \"sport\"", "any Radio", "Int named \"new\"",
      ])
  }

  @Test func everyFormCanHaveAName() throws {
    let container = try ComponentContainer {
      Component(
        from: Lazy.init(provider:optional:all:deferred:factory:),
        needs: .named("a"), .named("b"), .named("c"), .named("d"), .named("e"))
      Component(Int.self) { _ in 1 }.named("a")
      Component(Motor.self, arguments: Int.self, Bool.self) { _, power, _ in Motor(power: power) }.named("e")
    }
    #expect(
      container.graph.components[0].needs.map { "\($0.kind) \($0.name)" } == [
        "provider Int named \"a\"", "optional provider String named \"b\"",
        "provider of all Double named \"c\"", "deferred Float named \"d\"", "factory Motor named \"e\"",
      ])
    let lazy = try container.resolve(Lazy.self)
    #expect(try lazy.provider.get() == 1)
    #expect(try lazy.factory(3, true).power == 3)
  }

  @Test func parametersAcceptAnyNeedOfTheirType() throws {
    let container = try ComponentContainer {
      Component(
        from: { (engine: any Engine) in Car(engine: engine) }, needs: .required((any Engine).self, named: "e")
      )
      Component((any Engine).self) { _ in Motor(power: 6) }.named("e")
    }
    #expect(try container.resolve(Car.self).engine.power == 6)
  }

  @Test func closuresAndFunctionsCanBeUsed() throws {
    @Sendable func makeCar(engine: any Engine) throws -> Car { Car(engine: engine) }
    let container = try ComponentContainer {
      Component(from: makeCar)
      Component(from: { () -> any Engine in Motor(power: 8) })
    }
    #expect(try container.resolve(Car.self).engine.power == 8)
  }

  @Test func modifiersApplyToInitializerComponents() throws {
    let container = try ComponentContainer {
      Component(from: { Motor() }).named("spare").scope(.unique).providing((any Engine).self) { $0 }
    }
    #expect(
      try container.resolve(Motor.self, named: "spare") !== container.resolve(Motor.self, named: "spare"))
    #expect(try container.resolve((any Engine).self).power == 1)
  }

  @Test func r2AParameterIsARequiredNeed() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer { Component(from: Catalog.init(engine:radio:prices:)) }
    }
    #expect(
      thrown?.problems.map(\.message) == [
        "Catalog of the container needs any Engine, which nothing provides."
      ])
  }

  @Test func aFunctionThatThrowsFailsTheCreation() throws {
    let container = try ComponentContainer { Component(from: { () throws -> Int in throw Failure() }) }
    #expect(
      error(ComponentError.self) { try container.resolve(Int.self) }?.underlying as? Failure == Failure())
  }
}

import TenonTestSupport
import Testing

@testable import TenonCore

/// Requests whose type is an optional: they mean the wrapped type.
@Suite(.limited) struct OptionalResolutionTests {
  /// A class with properties that are set after its creation.
  private final class Garage {
    var engine: (any Engine)?
    weak var motor: Motor?
  }

  private static func container() throws -> ComponentContainer {
    try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component(Motor.self) { _ in Motor(power: 4) }
      Component(Motor.self) { _ in Motor(power: 5) }.named("sport")
      Component(Int.self, arguments: Int.self) { _, number in number + 1 }
      Component(Double.self, arguments: Int.self) { _, _ in throw ComponentUnavailable("no doubles") }
      Component(Float.self) { _ in throw ComponentUnavailable("no floats") }
      Component(String.self) { _ in throw Failure() }
    }
  }

  @Test func anOptionalVariableReceivesTheWrappedType() throws {
    let container = try Self.container()
    let engine: (any Engine)? = try container.resolve()
    #expect(engine?.power == 3)
    let sport: Motor? = try container.resolve(named: "sport")
    #expect(sport?.power == 5)
    let radio: (any Radio)? = try container.resolve()
    #expect(radio == nil)
    let other: Motor? = try container.resolve(named: "other")
    #expect(other == nil)
    if let motor: Motor = try container.resolve() { #expect(motor.power == 4) } else { Issue.record("nil") }
    #expect(try (container.resolve() ?? Motor(power: 9)).power == 4)
  }

  @Test func anOptionalPropertyReceivesTheWrappedType() throws {
    let container = try Self.container()
    let garage = Garage()
    garage.engine = try container.resolve()
    garage.motor = try container.resolve()
    #expect(garage.engine?.power == 3)
    #expect(garage.motor === (try container.resolve(Motor.self)))
  }

  @Test func aVariableThatIsNotOptionalIsRequired() throws {
    let container = try Self.container()
    let motor: Motor = try container.resolve()
    #expect(motor.power == 4)
    #expect(throws: ComponentError.self) { let _: any Radio = try container.resolve() }
  }

  @Test func r3AProviderThatDeclinesIsNilAndOneThatFailsIsAnError() throws {
    let container = try Self.container()
    let float: Float? = try container.resolve()
    #expect(float == nil)
    let failed = error(ComponentError.self) { () -> String? in try container.resolve() }
    #expect(failed?.code == .creationFailed)
  }

  @Test func argumentsAreForTheWrappedType() throws {
    let container = try Self.container()
    let number: Int? = try container.resolve(arguments: 3)
    #expect(number == 4)
    let car: Car? = try container.resolve(arguments: 3)
    #expect(car == nil)
    let double: Double? = try container.resolve(arguments: 3)
    #expect(double == nil)
    let wrong = error(ComponentError.self) { () -> Int? in try container.resolve(arguments: "3") }
    #expect(wrong?.code == .arguments)
  }

  /// An optional type can be a key; it is stated then.
  @Test func aKeyThatIsAnOptionalTypeIsResolvedByStatingIt() throws {
    let container = try ComponentContainer {
      Component(Int?.self) { _ in 1 }
      Component(Int.self) { _ in 2 }
      Component(Bool?.self) { _ in true }
    }
    #expect(try container.resolve(Int?.self) == 1)
    let wrapped: Int? = try container.resolve()
    #expect(wrapped == 2)
    let stated: Int? = try container.resolve(Int?.self)
    #expect(stated == 1)
    let flag: Bool? = try container.resolve()
    #expect(flag == nil)
    #expect(try container.resolve(Bool?.self) == true)
  }

  @Test func anAppResolvesOptionalsAlike() async throws {
    let app = try App.configure(
      name: "optionals", options: AppOptions(projectID: "p"), libraries: [], sources: [Engines()])
    let engine: (any Engine)? = try app.resolve()
    #expect(engine?.power == 7)
    let radio: (any Radio)? = try app.resolve()
    #expect(radio == nil)
    await app.delete()
  }

  private struct Engines: ComponentSource {
    var components: [AnyComponent] { Component((any Engine).self) { _ in Motor(power: 7) } }
  }

  @MainActor @Test func r12OptionalsAreResolvedOnTheMainActorAlike() throws {
    let container = try ComponentContainer {
      Component.onMainActor(Motor.self) { _ in Motor(power: 2) }
    }
    let motor: Motor? = try container.resolveOnMainActor()
    #expect(motor?.power == 2)
    let car: Car? = try container.resolveOnMainActor()
    #expect(car == nil)
  }
}

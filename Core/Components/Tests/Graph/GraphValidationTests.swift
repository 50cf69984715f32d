import Testing

@testable import TenonCore

/// R2: configuring validates the whole graph first.
struct GraphValidationTests {
  struct Wheel: Sendable {}
  struct Axle: Sendable {}
  struct Frame: Sendable {}

  @Test func r2EveryProblemIsReportedAtOnceAndNothingIsCreated() {
    let created = Counter()
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self) { _ in
          created.increment()
          return Motor()
        }.timing(.eager)
        Component((any Engine).self) { _ in Motor() }
        Component((any Engine).self) { _ in Motor() }
        Component(Wheel.self, needs: .required(Axle.self)) { _, _ in Wheel() }
        Component(Axle.self, needs: .required(Wheel.self)) { _, _ in Axle() }
        Component(Car.self, needs: .required((any Radio).self), .required((any Engine).self)) {
          _,
          radio,
          engine in
          Car(engine: engine, radio: radio)
        }
        Component(Frame.self) { _ in Frame() }.named("a b")
        Component(Int.self) { _ in 1 }.scope(.unique).timing(.eager)
      }
    }
    #expect(thrown?.problems.map(\.code) == [.badName, .timing, .duplicateKey, .missingDependency, .cycle])
    #expect(created.value == 0)
  }

  @Test func r2AMissingDependencyNamesWhoNeedsItAndWhoWouldProvideIt() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
        Component((any Engine).self) { _ in Motor() }.named("sport")
      }
    }
    #expect(
      thrown?.description == """
        Car of the container needs any Engine, which nothing provides.
          - There is any Engine named "sport".
          - Add Component((any Engine).self) { … } to a library or to the container.
          - Declare the need as .optional((any Engine).self) if it can do without.
          | Car (shared, lazy)
          |   any Engine, required: missing
        """
    )
  }

  @Test func r2AnInteropIsProvidedByTheProductThatItsModuleIsNamedAfter() {
    #expect(
      ProviderHint.text(for: ComponentKey(Int.self), module: "TenonAuthInterop")
        == "Link the library TenonAuth, which provides it, or pass it to App.configure(libraries:)."
    )
  }

  @Test func r2ACycleIsReportedWithItsWholePath() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Wheel.self, needs: .optional(Axle.self)) { _, _ in Wheel() }
        Component(Axle.self, needs: .required(Frame.self)) { _, _ in Axle() }
        Component(Frame.self, needs: .all(Wheel.self)) { _, _ in Frame() }
        Component(Wheel.self, needs: .required(Axle.self)) { _, _ in Wheel() }.contributing()
      }
    }
    #expect(thrown?.problems.map(\.code) == [.cycle])
    #expect(
      thrown?.problems.first?.message
        == "Components need each other in a circle: Axle (the container) → Frame (the container) → "
        + "Wheel (the container) → Axle (the container)."
    )
  }

  @Test func r2AComponentThatNeedsItselfIsACycle() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer { Component(Int.self, needs: .optional(Int.self)) { _, _ in 1 } }
    }
    #expect(thrown?.problems.map(\.code) == [.cycle])
  }

  @Test func r2AProviderMayCloseACycle() throws {
    struct Driver: Sendable { let car: Provider<Vehicle> }
    struct Vehicle: Sendable { let driver: Driver }
    let container = try ComponentContainer {
      Component(Driver.self, needs: .provider(Vehicle.self)) { _, car in Driver(car: car) }
      Component(Vehicle.self, needs: .required(Driver.self)) { _, driver in Vehicle(driver: driver) }
    }
    #expect(throws: Never.self) { try container.resolve(Vehicle.self).driver.car.get() }
  }

  @Test func r2AProviderOfNothingIsMissing() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer { Component(Int.self, needs: .provider(String.self)) { _, _ in 1 } }
    }
    #expect(thrown?.problems.map(\.code) == [.missingDependency])
  }

  @Test func aChainOfTenThousandComponentsIsValidated() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 0 }.named("0")
      for index in 1...10_000 {
        Component(Int.self, needs: .required(Int.self, named: "\(index - 1)")) { _, before in before + 1 }
          .named("\(index)")
      }
    }
    #expect(try container.resolve(Int.self, named: "50") == 50)
  }
}

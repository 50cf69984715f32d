import TenonTestSupport
import Testing

@testable import TenonCore

/// R2: the configuration validates the whole graph before it creates anything.
@Suite(.limited) struct GraphValidationTests {
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

  @Test func r2AMissingDependencyNamesItsDependentsAndItsProvider() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
        Component((any Engine).self) { _ in Motor() }.named("sport")
      }
    }
    #expect(
      thrown?.description == """
        TENON-102: Car of the container needs any Engine, which nothing provides.
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
      ProviderHint.text(for: ComponentKey(Int.self), product: "TenonAuth")
        == "Link the library TenonAuth, which provides it, or pass it to App.configure(libraries:)."
    )
  }

  @Test func r2ACycleIsReportedWithItsFullPath() {
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
        == "Components need each other in a cycle: Axle (the container) → Frame (the container) → "
        + "Wheel (the container) → Axle (the container)."
    )
  }

  @Test func r2AComponentThatNeedsItselfHasNothingToDecorate() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer { Component(Int.self, needs: .required(Int.self)) { _, _ in 1 } }
    }
    #expect(thrown?.problems.map(\.code) == [.missingDependency])
    #expect(
      thrown?.problems.first?.message == "Int of the container decorates Int, which nothing else provides.")
  }

  // MARK: - Overlapping cycles

  private enum A {}
  private enum B {}
  private enum C {}
  private enum D {}
  private struct Part<Tag>: Sendable {}

  private func cycles(_ components: [AnyComponent]) -> [ConfigurationError.Problem] {
    error(ConfigurationError.self) { try ComponentContainer { components } }?.problems ?? []
  }

  @Test func r2EveryNeedOnACycleAppearsInAReportedPath() {
    let problems = cycles([
      AnyComponent(
        Component(Part<A>.self, needs: .required(Part<B>.self), .required(Part<C>.self)) { _, _, _ in .init()
        }),
      AnyComponent(Component(Part<B>.self, needs: .required(Part<D>.self)) { _, _ in .init() }),
      AnyComponent(Component(Part<C>.self, needs: .required(Part<D>.self)) { _, _ in .init() }),
      AnyComponent(Component(Part<D>.self, needs: .required(Part<A>.self)) { _, _ in .init() }),
    ])
    #expect(problems.map(\.code) == [.cycle, .cycle])
    #expect(
      problems.map(\.message) == [
        "Components need each other in a cycle: Part<A> (the container) → Part<B> (the container) → "
          + "Part<D> (the container) → Part<A> (the container).",
        "Components need each other in a cycle: Part<A> (the container) → Part<C> (the container) → "
          + "Part<D> (the container) → Part<A> (the container).",
      ])
  }

  @Test func r2SeparateCyclesAreSeparateProblems() {
    let problems = cycles([
      AnyComponent(Component(Part<A>.self, needs: .required(Part<B>.self)) { _, _ in .init() }),
      AnyComponent(
        Component(Part<B>.self, needs: .required(Part<A>.self), .required(Part<C>.self)) { _, _, _ in .init()
        }),
      AnyComponent(Component(Part<C>.self, needs: .required(Part<D>.self)) { _, _ in .init() }),
      AnyComponent(
        Component(Part<D>.self, needs: .required(Part<C>.self), .required(Part<D>.self)) { _, _, _ in .init()
        }),
    ])
    #expect(problems.map(\.code) == [.missingDependency, .cycle, .cycle])
    #expect(
      problems.map { $0.graph.components.map(\.name) } == [
        ["Part<D>"], ["Part<A>", "Part<B>"], ["Part<C>", "Part<D>"],
      ])
  }

  @Test func r2ContributorsThatNeedTheirOwnCollectionAreOneProblem() {
    let problems = cycles(
      (0..<12).map { index in
        AnyComponent(
          Component(Wheel.self, needs: .all(Wheel.self)) { _, _ in Wheel() }.named("\(index)")
            .contributing(to: Wheel.self) { $0 })
      })
    #expect(problems.map(\.code) == [.cycle])
    #expect(
      problems.first?.message
        == "12 components contribute to Wheel and need .all(Wheel.self), so each of them needs itself: "
        + (0..<12).map { "Wheel named \"\($0)\" (the container)" }.joined(separator: ", ") + "."
    )
    #expect(
      problems.first?.repairs == [
        "Declare the need as .allProvider(Wheel.self) and ask it after creation.",
        "Contribute under another type or name than the one that is collected.",
      ])
    #expect(problems.first?.graph.components.count == 12)
  }

  @Test func r2TheNumberOfReportedCyclesIsLimited() {
    // Each component needs every other one: 60 components, and 1,770 cycles of length two.
    let problems = cycles(
      (0..<60).map { index in
        let needs = (0..<60).filter { $0 != index }.map {
          Need(.required, ComponentKey(Int.self, named: "\($0)"))
        }
        return AnyComponent(
          Component(Int.self, needs: needs, arguments: [], at: (#fileID, #line)) { _, _ in
            Make { _ in 0 }
          }.named("\(index)"))
      })
    #expect(problems.count == 21)
    #expect(
      problems.last?.message
        == "3500 further needs among these 60 components lie on cycles as well: Int named \"0\" (the container), "
        + "Int named \"1\" (the container), Int named \"2\" (the container) and 57 others.")
    #expect(problems.dropLast().allSatisfy { $0.graph.components.count == 2 })
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

  @Test func r2AProviderOfAnUnprovidedTypeIsAnError() {
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

import TenonTestSupport
import Testing

@testable import TenonCore

/// Values that are passed to `resolve`.
@Suite(.limited) struct ArgumentsTests {
  final class Session: Sendable {
    let user: String
    let limit: Int?
    let clock: Double
    init(user: String, limit: Int?, clock: Double) {
      self.user = user
      self.limit = limit
      self.clock = clock
    }
  }

  private static func container() throws -> ComponentContainer {
    try ComponentContainer {
      Component(Double.self) { _ in 1.5 }
      Component(Session.self, needs: .required(Double.self), arguments: String.self, Int?.self) {
        context, user, limit, clock in
        Session(user: user, limit: limit, clock: clock)
      }
      Component(Session.self, arguments: String?.self, Int?.self) { _, user, limit in
        Session(user: user ?? "nobody", limit: limit, clock: 0)
      }.named("guest")
    }
  }

  @Test func argumentsArePassedAfterDependencies() throws {
    let session = try Self.container().resolve(Session.self, arguments: "ann", 3)
    #expect((session.user, session.limit ?? 0, session.clock) == ("ann", 3, 1.5))
  }

  @Test func eachCallWithArgumentsCreatesANewInstance() throws {
    let container = try Self.container()
    let (first, second) = try (
      container.resolve(Session.self, arguments: "ann"), container.resolve(Session.self, arguments: "ben")
    )
    #expect((first.user, second.user) == ("ann", "ben"))
    #expect(try container.resolve(Session.self, arguments: "ann") !== first)
  }

  @Test func optionalArgumentsMayBeOmittedOrNil() throws {
    let container = try Self.container()
    #expect(try container.resolve(Session.self, arguments: "ann").limit == nil)
    #expect(try container.resolve(Session.self, arguments: "ann", nil as Int?).limit == nil)
    #expect(try container.resolve(Session.self, arguments: "ann", 4 as Int?).limit == 4)
    #expect(try container.resolve(Session.self, named: "guest").user == "nobody")
    let guest = try container.resolve(Session.self, named: "guest", arguments: nil as String?, 5)
    #expect((guest.user, guest.limit ?? 0) == ("nobody", 5))
  }

  @Test func wrongArgumentsAreAnErrorThatNamesBoth() throws {
    let container = try Self.container()
    #expect(
      error(ComponentError.self) { try container.resolve(Session.self, arguments: 3, "ann") }?.description
        == """
        TENON-208: Session takes the arguments (String, Int?), but was given (Int, String).
          - Call resolve(Session.self, arguments: …) with (String, Int?).
        """)
    #expect(
      error(ComponentError.self) { try container.resolve(Double.self, arguments: 3) }?.description == """
        TENON-208: Double takes no arguments, but was given (Int).
          - Resolve it without arguments.
        """)
    #expect(
      error(ComponentError.self) { try container.resolve(Session.self) }?.description == """
        TENON-208: Session takes the arguments (String, Int?), but was given ().
          - Call resolve(Session.self, arguments: …) with (String, Int?).
        """)
    #expect(
      error(ComponentError.self) { try container.resolve(Float.self, arguments: 1) }?.code == .notProvided)
  }

  @Test func excessArgumentsAndNilForARequiredOneAreErrors() throws {
    let container = try Self.container()
    for thrown in [
      error(ComponentError.self, of: { try container.resolve(Session.self, arguments: "ann", 1, 2) }),
      error(ComponentError.self, of: { try container.resolve(Session.self, arguments: nil as String?) }),
      error(ComponentError.self, of: { try container.resolveIfPresent(Session.self) }),
    ] {
      #expect(thrown?.code == .arguments)
    }
    // The failure has no lasting effect.
    #expect(try container.resolve(Session.self, arguments: "ann").user == "ann")
  }

  @Test func anArgumentMayBeAProtocolAClosureOrAnEnum() throws {
    let container = try ComponentContainer {
      Component(
        Car.self, arguments: (any Engine).self, (@Sendable (Int) -> Int).self, Result<Int, Failure>.self
      ) {
        _, engine, tune, result in
        Car(engine: Motor(power: tune(engine.power) + (try result.get())))
      }
    }
    let double: @Sendable (Int) -> Int = { $0 * 2 }
    let good = Result<Int, Failure>.success(1)
    #expect(try container.resolve(Car.self, arguments: Motor(power: 5), double, good).engine.power == 11)
    let thrown = error(ComponentError.self) {
      try container.resolve(Car.self, arguments: Motor(), double, Result<Int, Failure>.failure(Failure()))
    }
    #expect(thrown?.underlying as? Failure == Failure())
  }

  @Test func upToFourArgumentsAreSupported() throws {
    let container = try ComponentContainer {
      Component(Double.self) { _ in 0.5 }
      Component(
        String.self, needs: .required(Double.self), arguments: Int.self, String.self, Bool.self, Int?.self
      ) {
        _, number, text, flag, last, half in
        "\(number) \(text) \(flag) \(last ?? 0) \(half)"
      }
    }
    #expect(try container.resolve(String.self, arguments: 1, "a", true) == "1 a true 0 0.5")
    #expect(try container.resolve(String.self, arguments: 1, "a", true, 2) == "1 a true 2 0.5")
  }

  @Test func dependenciesDoNotReceiveTheArguments() throws {
    let container = try ComponentContainer {
      Component(Int.self, arguments: Int?.self) { _, given in given ?? -1 }
      Component(String.self, needs: .required(Int.self), arguments: Int.self) { _, given, needed in
        "\(given) \(needed)"
      }
    }
    #expect(try container.resolve(String.self, arguments: 1) == "1 -1")
  }

  @Test func argumentsArePassedUnderEveryProvidedType() throws {
    let container = try ComponentContainer {
      Component(Motor.self, arguments: Int.self) { _, power in Motor(power: power) }
        .providing((any Engine).self) { $0 }.alias("again")
    }
    #expect(try container.resolve((any Engine).self, arguments: 3).power == 3)
    #expect(try container.resolve(Motor.self, named: "again", arguments: 4).power == 4)
  }

  @Test func r2ASharedComponentCannotTakeArguments() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self, arguments: Int.self) { _, power in Motor(power: power) }.scope(.shared)
      }
    }
    #expect(
      thrown?.description == """
        TENON-107: Motor of the container takes the arguments (Int), but its scope .shared keeps an instance for others, who give other arguments.
          - Use the scope .unique.
          - Keep what is shared in a separate component, and need that.
          | Motor (shared, lazy, takes Int)
        """)
  }

  @Test func r2ANeedThatOmitsRequiredArgumentsIsAnError() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self, arguments: Int.self) { _, power in Motor(power: power) }
        Component(Car.self, needs: .required(Motor.self)) { (_, motor: Motor) in Car(engine: motor) }
      }
    }
    #expect(
      thrown?.description == """
        TENON-107: Car of the container needs Motor with the arguments (), but it takes (Int).
          - Declare the need as .factory(Motor.self, taking: Int.self).
          | Car (shared, lazy)
          |   Motor, required: Motor
          | Motor (unique, lazy, takes Int)
        """)
  }

  @Test func r2AContributionThatRequiresArgumentsIsAnError() throws {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self, arguments: Int.self) { _, power in Motor(power: power) }.scope(.unique)
          .contributing(to: (any Engine).self) { $0 }
        Component(Int.self, arguments: Int?.self) { _, given in given ?? 1 }.scope(.unique)
          .contributing(to: Int.self) { $0 }
      }
    }
    #expect(thrown?.problems.map(\.code) == [.arguments])
    #expect(thrown?.description.contains("contributes to any Engine, but takes the arguments (Int)") == true)
  }

  @Test func aNeedForContributionsIsNotAffectedByAComponentWithArguments() throws {
    let container = try ComponentContainer {
      Component(Motor.self, arguments: Int.self) { _, power in Motor(power: power) }
      Component(Int.self) { _ in 2 }.contributing(to: Motor.self) { Motor(power: $0) }
      Component(Car.self, needs: .all(Motor.self)) { (_, motors: [Motor]) in
        Car(engine: Motor(power: motors.reduce(0) { $0 + $1.power }))
      }
      Component(Car.self, needs: .allProvider(Motor.self)) { (_, motors: Provider<[Motor]>) in
        Car(engine: Motor(power: try motors.get().count))
      }.named("counted")
    }
    #expect(try container.resolve(Car.self).engine.power == 2)
    #expect(try container.resolve(Car.self, named: "counted").engine.power == 1)
  }
}

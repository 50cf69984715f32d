import TenonTestSupport
import Testing

@testable import TenonCore

/// Factories: needs that create instances from arguments.
@Suite(.limited) struct FactoryTests {
  struct Chat: Sendable { let make: Factory<Motor, Int, String?> }

  private static func container() throws -> ComponentContainer {
    try ComponentContainer {
      Component(Motor.self, arguments: Int.self, String?.self) { _, power, name in
        Motor(power: power + (name?.count ?? 0))
      }
      Component(Motor.self, arguments: Int.self, String?.self) { _, power, _ in Motor(power: -power) }
        .named("reverse")
      Component(Chat.self, needs: .factory(Motor.self, taking: Int.self, String?.self)) { Chat(make: $1) }
      Component(Chat.self, needs: .factory(Motor.self, taking: Int.self, String?.self, named: "reverse")) {
        Chat(make: $1)
      }.named("reverse")
    }
  }

  @Test func eachCallCreatesANewInstance() throws {
    let chat = try Self.container().resolve(Chat.self)
    let container = try Self.container()
    let kept = try container.resolve(Chat.self)
    let (first, second) = try (kept.make(1, "ab"), kept.make(1, nil))
    #expect((first.power, second.power) == (3, 1))
    #expect(first !== second)
    // The container of the other factory no longer exists.
    #expect(error(ComponentError.self) { try chat.make(1, nil) }?.code == .containerDeleted)
  }

  /// An object for a parameter of a protocol type, and a value for an optional parameter: in one expression,
  /// the compiler must infer both the factory's type and the conversion.
  @Test func aFactoryConvertsItsArguments() throws {
    let container = try ComponentContainer {
      Component(Car.self, arguments: (any Engine).self, Int?.self, String.self, Bool?.self) {
        _, engine, power, _, _ in
        Car(engine: Motor(power: engine.power + (power ?? 0)))
      }.named("4")
      Component(Car.self, arguments: (any Engine).self, Int?.self, String.self) { _, engine, power, _ in
        Car(engine: Motor(power: engine.power + (power ?? 0)))
      }.named("3")
      Component(Car.self, arguments: (any Engine).self, Int?.self) { _, engine, power in
        Car(engine: Motor(power: engine.power + (power ?? 0)))
      }.named("2")
      Component(Car.self, arguments: (any Engine).self) { Car(engine: $1) }
      Component(
        Car.self, needs: .factory(Car.self, taking: (any Engine).self), arguments: Int.self
      ) { _, power, make in try make(Motor(power: power)) }.named("by-1")
      Component(Car.self, needs: .factory(Car.self, taking: (any Engine).self, Int?.self, named: "2")) {
        try $1(Motor(power: 20), 2)
      }.named("by-2")
      Component(
        Car.self, needs: .factory(Car.self, taking: (any Engine).self, Int?.self, String.self, named: "3")
      ) { try $1(Motor(power: 30), 3, "") }.named("by-3")
      Component(
        Car.self,
        needs: .factory(Car.self, taking: (any Engine).self, Int?.self, String.self, Bool?.self, named: "4")
      ) { try $1(Motor(power: 40), 4, "", true) }.named("by-4")
      Component((any Engine).self, needs: .factory(Motor.self, taking: Int.self)) { try $1(50) }
      Component(Motor.self, arguments: Int.self) { Motor(power: $1) }
    }
    #expect(try container.resolve(Car.self, named: "by-1", arguments: 10).engine.power == 10)
    #expect(
      try (2...4).map { try container.resolve(Car.self, named: "by-\($0)").engine.power } == [22, 33, 44])
    #expect(try container.resolve((any Engine).self).power == 50)
  }

  @Test func aFactoryIsFoundByName() throws {
    let container = try Self.container()
    #expect(try container.resolve(Chat.self, named: "reverse").make(4, nil).power == -4)
  }

  @Test func r9AFactoryFollowsUpdates() throws {
    let container = try Self.container()
    let chat = try container.resolve(Chat.self)
    try container.update {
      $0.replace {
        Component(Motor.self, arguments: Int.self, String?.self) { _, power, _ in Motor(power: power * 100) }
      }
    }
    #expect(try chat.make(2, nil).power == 200)
  }

  @Test func r2AFactoryWithOtherArgumentsIsAnError() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Motor.self, arguments: Int.self) { Motor(power: $1) }
        Component(Car.self) { _ in Car(engine: Motor()) }
        Component(Int.self, needs: .factory(Motor.self, taking: String.self)) { _, _ in 1 }
        Component(String.self, needs: .factory(Car.self, taking: Int.self)) { _, _ in "" }
      }
    }
    #expect(
      thrown?.description == """
        2 problems:
        1. TENON-107: Int of the container needs Motor with the arguments (String), but it takes (Int).
          - Declare the need as .factory(Motor.self, taking: Int.self).
          | Int (shared, lazy)
          |   Motor, factory: Motor
          | Motor (unique, lazy, takes Int)
        2. TENON-107: String of the container needs Car with the arguments (Int), but it takes ().
          - Declare the need as .required(Car.self).
          | String (shared, lazy)
          |   Car, factory: Car
          | Car (shared, lazy)
        """)
  }

  @Test func r2AFactoryOfAnUnprovidedTypeIsAnError() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Int.self, needs: .factory(Motor.self, taking: String.self)) { _, _ in 1 }
      }
    }
    #expect(thrown?.problems.map(\.code) == [.missingDependency])
  }

  @Test func factoriesCloseCyclesWithArguments() throws {
    final class Folder: Sendable {
      let depth: Int
      let make: Factory<Folder, Int>
      init(depth: Int, make: Factory<Folder, Int>) {
        self.depth = depth
        self.make = make
      }
    }
    let container = try ComponentContainer {
      Component(Folder.self, needs: .factory(Folder.self, taking: Int.self), arguments: Int.self) {
        _, depth, make in
        Folder(depth: depth, make: make)
      }
    }
    let root = try container.resolve(Folder.self, arguments: 1)
    #expect(try root.make(2).make(3).depth == 3)
  }

  @Test func aFactoryCalledDuringItsOwnCreationIsAnErrorWithThePath() throws {
    let container = try ComponentContainer {
      Component(Motor.self, needs: .factory(Motor.self, taking: Int.self), arguments: Int.self) {
        _, power, make in
        try make(power + 1)
      }
    }
    let thrown = error(ComponentError.self) { try container.resolve(Motor.self, arguments: 1) }
    #expect(
      thrown?.description == """
        TENON-204: Motor needs itself while it is created.
          path: Motor → Motor
          - Declare one of these needs as .provider(…) and ask it after creation.
        """)
  }
}

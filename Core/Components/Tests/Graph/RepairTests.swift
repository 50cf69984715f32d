import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// The suggestions in errors: code that compiles and has the intended effect, and similar names.
@Suite(.limited) struct RepairTests {
  private struct Wheel: Sendable {}

  private func problem(_ components: () throws -> [AnyComponent]) -> ConfigurationError.Problem? {
    error(ConfigurationError.self) { try ComponentContainer(components) }?.problems.first
  }

  @Test func aRepairForANamedNeedKeepsTheName() {
    let missing = problem {
      [AnyComponent(Component(Int.self, needs: .required((any Engine).self, named: "left")) { _, _ in 1 })]
    }
    #expect(
      missing?.repairs == [
        "Add Component((any Engine).self) { … }.named(\"left\") to a library or to the container.",
        "Declare the need as .optional((any Engine).self, named: \"left\") if it can do without.",
      ])
  }

  @Test func aRepairKeepsTheFormOfTheNeed() {
    let provider = problem {
      [AnyComponent(Component(Int.self, needs: .provider(Wheel.self, named: "spare")) { _, _ in 1 })]
    }
    #expect(
      provider?.repairs.last
        == "Declare the need as .optionalProvider(Wheel.self, named: \"spare\") if it can do without.")
    let factory = problem {
      [
        AnyComponent(
          Component(Int.self, needs: .factory(Wheel.self, taking: String.self, named: "spare")) { _, _ in 1 })
      ]
    }
    // Factories can't be optional.
    #expect(
      factory?.repairs == [
        "Add Component(Wheel.self) { … }.named(\"spare\") to a library or to the container."
      ])
  }

  @Test func aRepairOfArgumentsKeepsTheName() {
    let without = problem {
      [
        AnyComponent(Component(Motor.self, arguments: Int.self) { Motor(power: $1) }.named("v8")),
        AnyComponent(Component(Int.self, needs: .provider(Motor.self, named: "v8")) { _, _ in 1 }),
      ]
    }
    #expect(
      without?.repairs == ["Declare the need as .factory(Motor.self, taking: Int.self, named: \"v8\")."])
    let with = problem {
      [
        AnyComponent(Component(Motor.self) { _ in Motor() }.named("v8")),
        AnyComponent(
          Component(Int.self, needs: .factory(Motor.self, taking: Int.self, named: "v8")) { _, _ in 1 }),
      ]
    }
    #expect(with?.repairs == ["Declare the need as .required(Motor.self, named: \"v8\")."])
  }

  @Test func aRepairOfADuplicateKeepsTheName() {
    let twice = problem {
      [
        AnyComponent(
          Component(Motor.self) { _ in Motor() }.providing((any Engine).self, named: "e") { $0 }
            .providing((any Engine).self, named: "e") { $0 })
      ]
    }
    #expect(twice?.repairs == ["Remove one .providing((any Engine).self, named: \"e\")."])
    let two = problem {
      [
        AnyComponent(Component(Wheel.self) { _ in Wheel() }.named("w")),
        AnyComponent(Component(Wheel.self) { _ in Wheel() }.named("w")),
      ]
    }
    #expect(
      two?.repairs.last
        == "Declare them with .contributing() if all of them are meant, and need .all(Wheel.self, named: \"w\")."
    )
  }

  @Test func aRepairOfALookUpKeepsTheName() throws {
    let container = try ComponentContainer {
      Component(Motor.self, arguments: Int.self) { Motor(power: $1) }.named("v8")
      Component<Wheel>.onMainActor(Wheel.self) { _ in Wheel() }.named("main")
    }
    #expect(
      error(ComponentError.self) { try container.resolve(Motor.self, named: "v8") }?.repairs
        == ["Call resolve(Motor.self, named: \"v8\", arguments: …) with (Int)."])
    #expect(
      error(ComponentError.self) { try container.resolve(Wheel.self, named: "main") }?.repairs.last
        == "Call await resolveOnMainActor(Wheel.self, named: \"main\") from anywhere.")
    #expect(
      ComponentError.notOverridden(ComponentKey(Wheel.self, named: "w")).repairs.first
        == "Override it: .overrides { Component(Wheel.self) { … }.named(\"w\") }.")
  }

  // MARK: - Near misses

  @Test(
    arguments: [
      ("mian", ["main", "man", "mail"]), ("backup-2", ["backup-1", "backup", nil]), ("x", [nil]),
      ("absent", [nil]), ("be", ["beta", nil]),
    ] as [(String, [String?])])
  func theNearestNamesComeFirstAndNoOthers(asked: String, nearest: [String?]) throws {
    let names = ["zebra", "alpha", "mail", "backup", "main", "omega", "backup-1", nil, "man", "beta"]
    let container = try ComponentContainer {
      for name in names {
        let component = Component(Wheel.self) { _ in Wheel() }
        if let name { component.named(name) } else { component }
      }
    }
    let hints = nearest.map { "There is Wheel\($0.map { " named \"\($0)\"" } ?? "")." }
    let thrown = error(ComponentError.self) { try container.resolve(Wheel.self, named: asked) }
    #expect(thrown?.repairs.filter { $0.hasPrefix("There is") } == hints)
  }

  @Test func theNearestTypesComeFirst() throws {
    struct Clock: Sendable {}
    struct Clocks: Sendable {}
    struct Block: Sendable {}
    struct Blocks: Sendable {}
    struct ClockProtocol: Sendable {}
    let container = try ComponentContainer {
      Component(Blocks.self) { _ in Blocks() }
      Component(Block.self) { _ in Block() }
      Component(Clocks.self) { _ in Clocks() }
      Component(ClockProtocol.self) { _ in ClockProtocol() }
    }
    let hints = error(ComponentError.self) { try container.resolve(Clock.self) }?.repairs.prefix(3)
    #expect(hints == ["There is ClockProtocol.", "There is Block.", "There is Clocks."])
  }

  /// Two changes make any two letters equal.
  @Test func shortTypesAreNearOnlyIfHalfOfThemIsEqual() throws {
    struct A: Sendable {}
    struct B: Sendable {}
    struct Ab: Sendable {}
    let container = try ComponentContainer {
      Component(B.self) { _ in B() }
      Component(Ab.self) { _ in Ab() }
    }
    let repairs = error(ComponentError.self) { try container.resolve(A.self) }?.repairs
    #expect(repairs?.filter { $0.hasPrefix("There is") } == ["There is Ab."])
  }

  /// The same type by another name, or a similar type by the same.
  @Test func aSimilarTypeIsNearIfItsNameIs() throws {
    struct Clock: Sendable {}
    struct Clocks: Sendable {}
    let container = try ComponentContainer {
      Component(Clocks.self) { _ in Clocks() }.named("zebra")
      Component(Clocks.self) { _ in Clocks() }.named("utc")
    }
    let repairs = error(ComponentError.self) { try container.resolve(Clock.self, named: "utc") }?.repairs
    #expect(repairs?.filter { $0.hasPrefix("There is") } == [#"There is Clocks named "utc"."#])
  }

  @Test func theNearestLibraryAndOptionComeFirst() {
    enum Stale: Library {
      static let name = "stale"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    enum Stable: Library {
      static let name = "stable"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    let options = AppOptions(projectID: "p", libraries: ["stablee"])
    #expect(
      LibrarySelection([Stale.self, Stable.self], options).problems.first?.repairs.prefix(2)
        == ["Did you mean \"stable\"?", "Did you mean \"stale\"?"])
    var reader = OptionReader(source: .code)
    reader.refuseUnknownNames(["appIDs": .other], known: ["appID", "apiKeys", "appIds"])
    #expect(
      reader.problems.first?.repairs.prefix(2) == ["Did you mean \"appIds\"?", "Did you mean \"appID\"?"])
  }
}

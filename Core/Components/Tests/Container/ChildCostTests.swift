import TenonTestSupport
import Testing

@testable import TenonCore

/// The cost of creating a child, relative to that of its parent's graph (R10).
@Suite(.limited) struct ChildCostTests {
  private static func parent(_ count: Int) throws -> ComponentContainer {
    try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: 1) }
      Component(Car.self, needs: .required(Motor.self)) { _, motor in Car(engine: motor) }
      (0..<count).map { index in
        AnyComponent(
          Component(Int.self, needs: .optional(Double.self)) { _, _ in index }.named("n\(index)")
            .contributing(to: Int.self, named: index < 3 ? "few" : "many") { $0 })
      }
    }
  }

  @Test func aChildGraphContainsItsAdditionsAndWhatTheyAffect() throws {
    let parent = try Self.parent(1_000)
    let child = try parent.child { Component(String.self) { _ in "" } }
    #expect(child.currentWiring.own.map(\.definition.key) == [ComponentKey(String.self)])
    let other = try parent.child { Component(Motor.self) { _ in Motor(power: 2) } }
    #expect(
      other.currentWiring.own.map(\.definition.key) == [ComponentKey(Motor.self), ComponentKey(Car.self)])
    let grandchild = try other.child { Component(Float.self) { _ in 1 } }
    #expect(grandchild.currentWiring.own.count == 1)
    #expect(grandchild.currentWiring.base === other.currentWiring)
    #expect(other.currentWiring.base === parent.currentWiring)
  }

  @Test func inheritedComponentsAreFoundInTheParentGraph() throws {
    let parent = try Self.parent(10)
    let grandchild = try parent.child { Component(String.self) { _ in "" } }.child {
      Component(Int.self) { _ in -1 }.named("n3")
    }
    #expect(try grandchild.resolve(Int.self, named: "n9") == 9)
    #expect(try grandchild.resolve(Int.self, named: "n3") == -1)
    #expect(try grandchild.resolve(Car.self) === parent.resolve(Car.self))
    #expect(try grandchild.resolveAll(Int.self, named: "few") == [0, 1, 2])
    #expect(try grandchild.handle(Car.self).with { $0.engine.power } == 1)
    #expect(grandchild.graph.components.count == 14)
  }

  @Test func canonicallyEquivalentNamesFindTheChildsComponent() throws {
    // The letter, and the angstrom sign: canonically equivalent strings.
    let (letter, sign) = ("\u{C5}", "\u{212B}")
    let parent = try ComponentContainer { Component(Int.self) { _ in 1 }.named(sign) }
    let child = try parent.child { Component(Int.self) { _ in 2 }.named(letter) }
    for name in [letter, sign] {
      #expect(try child.resolve(Int.self, named: name) == 2)
      #expect(try child.resolve(Int.self, named: name) == 2)
      #expect(try parent.resolve(Int.self, named: name) == 1)
    }
  }

  @Test func r2ArgumentsAreCheckedAgainstTheParentsComponents() throws {
    let parent = try ComponentContainer {
      Component(Motor.self, arguments: Int.self) { _, power in Motor(power: power) }.scope(.unique)
    }
    let thrown = error(ConfigurationError.self) {
      try parent.child {
        Component(Car.self, needs: .required(Motor.self)) { _, motor in Car(engine: motor) }
      }
    }
    #expect(thrown?.problems.map(\.code) == [.arguments])
    #expect(thrown?.problems.first?.graph.components.first?.needs.first?.providers == ["Motor"])
  }

  @Test func r2NearMissesInAChildIncludeTheParentsNames() throws {
    let parent = try Self.parent(3)
    let thrown = error(ConfigurationError.self) {
      try parent.child { Component(Float.self, needs: .required(Int.self, named: "n22")) { _, _ in 1 } }
    }
    #expect(thrown?.problems.first?.repairs.contains("There is Int named \"n2\".") == true)
  }

  @Test func r2AChainAcrossParentAndChildIsLimitedInDepth() throws {
    let limit = GraphValidation.greatestDepth
    let half = limit / 2
    func link(_ index: Int) -> AnyComponent {
      AnyComponent(
        Component(DepthTests.Link.self, needs: .optional(DepthTests.Link.self, named: "c\(index + 1)")) {
          _, next in
          DepthTests.Link(next)
        }.named("c\(index)").scope(.unique))
    }
    let parent = try ComponentContainer { (half..<limit).map { link($0) } }
    // As long as a thread's stack allows.
    _ = try parent.child { (0..<half).map { link($0) } }
    let thrown = error(ConfigurationError.self) {
      try parent.child {
        Component(DepthTests.Link.self, needs: .all(DepthTests.Link.self, named: "start")) { _, next in
          DepthTests.Link(next.first)
        }.named("first").scope(.unique)
        Component(DepthTests.Link.self, needs: .optional(DepthTests.Link.self, named: "c0")) { _, next in
          DepthTests.Link(next)
        }.named("second").scope(.unique).contributing(to: DepthTests.Link.self, named: "start") { $0 }
        (0..<half).map { link($0) }
      }
    }
    #expect(thrown?.problems.map(\.code) == [.depth])
    let message = thrown?.problems.first?.message ?? ""
    #expect(message.contains("Link named \"first\" (the container) needs Link named \"c\(limit - 1)\""))
    #expect(message.contains("a chain of \(limit + 2) .unique"))
  }

  @Test func r2ChainsOfContributionsAreLimitedInDepth() throws {
    let limit = GraphValidation.greatestDepth
    let parent = try ComponentContainer {
      (0..<limit).map { index in
        AnyComponent(
          Component(DepthTests.Link.self, needs: .optional(DepthTests.Link.self, named: "c\(index + 1)")) {
            _, next in
            DepthTests.Link(next)
          }.named("c\(index)").scope(.unique).contributing(
            to: DepthTests.Link.self, named: index == 0 ? "start" : "other"
          ) { $0 })
      }
    }
    let thrown = error(ConfigurationError.self) {
      try parent.child {
        Component(Int.self, needs: .all(DepthTests.Link.self, named: "start")) { _, all in all.count }
          .scope(.unique)
      }
    }
    #expect(thrown?.problems.map(\.code) == [.depth])
  }
}

import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// The graph as data: all kinds of needs, scopes and states.
@Suite(.limited) struct GraphDataTests {
  private static func container() throws -> ComponentContainer {
    try ComponentContainer {
      Component(Int.self) { _ in 1 }.scope(.pool("numbers")).alias("one")
      Component(Motor.self, arguments: Int.self, String?.self) { _, power, _ in Motor(power: power) }
      Component(Double.self) { _ in 1 }.contributing().contributing(to: Float.self, named: "f") { Float($0) }
      Component(
        String.self, needs: .required(Int.self, named: "one"), .optional(Bool.self), .all(Double.self),
        .provider(Int.self), .optionalProvider(Bool.self), .allProvider(Float.self, named: "f"),
        .deferred(Bool.self), .factory(Motor.self, taking: Int.self, String?.self)
      ) { _, _, _, _, _, _, _, _, _ in "s" }.timing(.eager)
    }
  }

  @Test func everyFormOfNeedIsAnEdge() throws {
    let needs = try #require(Self.container().graph.components.last).needs
    #expect(
      needs.map { "\($0.kind): \($0.name) <- \($0.providers.joined(separator: " "))" } == [
        "required: Int named \"one\" <- Int", "optional: Bool <- ", "all: Double <- Double",
        "provider: Int <- Int", "optional provider: Bool <- ", "provider of all: Float named \"f\" <- Double",
        "deferred: Bool <- ", "factory: Motor <- Motor",
      ])
    #expect(needs.map(\.isPresent) == [true, false, true, true, false, true, false, true])
  }

  @Test func componentsHaveTheirScopeTimingArgumentsAndState() async throws {
    let container = try Self.container()
    #expect(
      container.graph.description == """
        Int (pool numbers, lazy, created as number 1)
          provides Int named "one"
        Motor (unique, lazy, takes Int, String?)
        Double (shared, lazy, created as number 2)
          contributes to Double, Float named "f"
        String (shared, eager, created as number 3)
          Int named "one", required: Int
          Bool, optional: absent
          Double, all: Double
          Int, provider: Int
          Bool, optional provider: absent
          Float named "f", provider of all: Double
          Bool, deferred: absent
          Motor, factory: Motor
        """)
    let string = try #require(container.graph.components.last)
    #expect((string.creationSeconds ?? -1) >= 0 && (string.createdAfterSeconds ?? -1) >= 0)
    await container.reset()
    #expect(container.graph.components.allSatisfy { !$0.isCreated && $0.creationSeconds == nil })
  }

  @Test func theGraphIsJSONWithSortedKeys() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor() }
      Component(Car.self, needs: .required((any Engine).self)) { Car(engine: $1) }
    }
    #expect(
      container.graph.json == """
        {
          "components" : [
            {
              "arguments" : [

              ],
              "contributes" : [

              ],
              "isInherited" : false,
              "name" : "any Engine",
              "needs" : [

              ],
              "provides" : [
                "any Engine"
              ],
              "scope" : "shared",
              "timing" : "lazy"
            },
            {
              "arguments" : [

              ],
              "contributes" : [

              ],
              "isInherited" : false,
              "name" : "Car",
              "needs" : [
                {
                  "kind" : "required",
                  "name" : "any Engine",
                  "providers" : [
                    "any Engine"
                  ]
                }
              ],
              "provides" : [
                "Car"
              ],
              "scope" : "shared",
              "timing" : "lazy"
            }
          ],
          "libraries" : [

          ]
        }
        """)
    let decoded = try JSONDecoder().decode(ComponentGraph.self, from: Data(container.graph.json.utf8))
    #expect(decoded == container.graph)
  }

  @Test func r9TheGraphFollowsUpdates() throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 } }
    try container.update {
      $0.install { Component(String.self, needs: .required(Int.self)) { "\($1)" }.named("new") }
    }
    #expect(container.graph.components.map(\.name) == ["Int", "String named \"new\""])
  }

  @Test func aProblemShowsItsPartOfTheGraph() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Int.self, needs: .required(String.self)) { _, _ in 1 }
        Component(String.self, needs: .required(Int.self)) { _, _ in "" }
        Component(Double.self) { _ in 1 }
      }
    }
    #expect(
      thrown?.description == """
        TENON-103: Components need each other in a cycle: Int (the container) → String (the container) → Int (the container).
          - Declare one of these needs as .provider(…) and ask it after creation.
          - Set one of them in .onCreate, when all of them exist.
          | Int (shared, lazy)
          |   String, required: String
          | String (shared, lazy)
          |   Int, required: Int
        """)
  }
}

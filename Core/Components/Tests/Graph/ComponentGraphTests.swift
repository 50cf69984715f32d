import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

@Suite(.limited) struct ComponentGraphTests {
  enum Shop: Library {
    static let name = "shop"
    static let version = SemanticVersion(1, 2, 3)
    static var components: [AnyComponent] {
      Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }
      Component(
        Car.self,
        needs: .required((any Engine).self),
        .optional((any Radio).self),
        .all(Int.self),
        .provider(Motor.self)
      ) { _, engine, radio, _, _ in Car(engine: engine, radio: radio) }
      Component(Int.self) { _ in 1 }.contributing()
    }
  }

  @Test func theGraphRendersAsText() async throws {
    let app = try App.configure(name: "graph", options: AppOptions(projectID: "p"), libraries: [Shop.self])
    _ = try app.resolve(Car.self)
    #expect(
      app.graph.description == """
        shop 1.2.3
          Motor (shared, lazy, created as number 1)
            provides any Engine
          Car (shared, lazy, created as number 3)
            any Engine, required: Motor
            any Radio, optional: absent
            Int, all: Int
            Motor, provider: Motor
          Int (shared, lazy, created as number 2)
            contributes to Int
        """
    )
    await app.delete()
  }

  @Test func librariesAreSortedByName() async throws {
    enum Bakery: Library {
      static let name = "bakery"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(String.self) { _ in "bread" } }
    }
    enum Tailor: Library {
      static let name = "tailor"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Double.self) { _ in 2 } }
    }
    let app = try App.configure(
      name: "graph-libraries", options: AppOptions(projectID: "p"),
      libraries: [Shop.self, Tailor.self, Bakery.self])
    #expect(app.graph.libraries.map(\.name) == ["bakery", "shop", "tailor"])
    await app.delete()
  }

  @Test func theGraphIsEncodedAndDecodedAsJSON() throws {
    let container = try ComponentContainer {
      Component(String.self, needs: .optional(Int.self)) { _, _ in "s" }.timing(.eager)
    }
    let graph = container.graph
    let decoded = try JSONDecoder().decode(ComponentGraph.self, from: JSONEncoder().encode(graph))
    #expect(decoded == graph)
    #expect(graph.components.first?.needs.first?.isPresent == false)
    #expect((graph.components.first?.creationSeconds ?? -1) >= 0)
  }

  @Test func theGraphRendersAsMermaidAndDOT() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor() }.named("ab")
      Component(Car.self, needs: .required((any Engine).self, named: "ab"), .optional((any Radio).self)) {
        _, engine, radio in
        Car(engine: engine, radio: radio)
      }
    }
    #expect(
      container.graph.mermaid == """
        flowchart LR
          c0["any Engine named #quot;ab#quot;"]
          c1["Car"]
          a0["any Radio"]:::absent
          c1 -->|required| c0
          c1 -.->|optional| a0
          classDef absent stroke-dasharray: 4
        """)
    #expect(
      container.graph.dot == """
        digraph components {
          rankdir=LR;
          node [shape=box];
          c0 [label="any Engine named \\"ab\\""];
          c1 [label="Car"];
          a0 [label="any Radio", style=dashed];
          c1 -> c0 [label="required", style=solid];
          c1 -> a0 [label="optional", style=dotted];
        }
        """)
  }

  @Test func librariesAreBoxesInDiagrams() async throws {
    let app = try App.configure(
      name: "graph-diagrams", options: AppOptions(projectID: "p"), libraries: [Shop.self])
    #expect(app.graph.mermaid.contains("subgraph l0[\"shop 1.2.3\"]"))
    #expect(app.graph.dot.contains("label=\"shop 1.2.3\";"))
    await app.delete()
  }

  /// Components of one name, for example of local types, each have an arrow.
  @Test func anArrowLeadsToEveryComponentOfAName() throws {
    var graph = Self.chain(2)
    graph.components += graph.components
    #expect(
      graph.mermaid == """
        flowchart LR
          c0["C0"]
          c1["C1"]
          c2["C0"]
          c3["C1"]
          c1 -->|required| c0
          c1 -->|required| c2
          c3 -->|required| c0
          c3 -->|required| c2
          classDef absent stroke-dasharray: 4
        """)
  }

  @Test func aLargeGraphIsDrawn() {
    let count = 3_000
    let graph = Self.chain(count, libraries: 100)
    for (text, arrow) in [(graph.mermaid, "-->|required|"), (graph.dot, "label=\"required\"")] {
      #expect(text.split(separator: "\n").count { $0.contains(arrow) } == count - 1)
    }
    #expect(graph.description.split(separator: "\n").count { $0.hasSuffix("(shared, lazy)") } == count)
  }

  @Test(arguments: ["Mermaid", "DOT", "text"])
  func aLargeGraphIsDrawnInLinearTime(form: String) {
    let graphs = [300, 4_800].reduce(into: [:]) { $0[$1] = Self.chain($1, libraries: $1 / 30) }
    let growth = CPUTime.growth(from: 300, by: 16) { count in
      let graph = graphs[count]
      let drawing =
        switch form {
        case "Mermaid": graph?.mermaid
        case "DOT": graph?.dot
        default: graph?.description
        }
      #expect(drawing?.isEmpty == false)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }

  /// Returns the components of a graph in which each requires the one before it.
  private static func chain(_ count: Int, libraries: Int = 0) -> ComponentGraph {
    let nodes = (0..<count).map { index in
      ComponentGraph.ComponentNode(
        name: "C\(index)", library: libraries == 0 ? nil : "l\(index % libraries)", provides: ["C\(index)"],
        contributes: [], scope: "shared", timing: "lazy", arguments: [],
        needs: index == 0
          ? [] : [.init(name: "C\(index - 1)", kind: "required", providers: ["C\(index - 1)"])],
        isInherited: false)
    }
    return ComponentGraph(
      libraries: (0..<libraries).map { .init(name: "l\($0)", version: "1.0.0") }, components: nodes)
  }
}

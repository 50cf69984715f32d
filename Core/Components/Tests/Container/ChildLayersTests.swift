import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R10: random graphs of a container, its child and its grandchild, before and after an update of the
/// container.
///
/// `TENON_SEED` selects the graphs, and `TENON_CHILD_GRAPHS` their number.
@Suite(.limited) struct ChildLayersTests {
  final class Node: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  /// A component `k<index>`. Its instance describes its layer and what it received.
  struct Declaration {
    let index: Int
    let label: String
    let needs: [Int]
    let collects: Int?
    let contributesTo: Int?
    let isUnique: Bool

    var component: Component<Node> {
      let label = "\(label).\(index)"
      let component = Component(
        Node.self, needs: .optional(Node.self, named: "k\(needs[0])"),
        .optional(Node.self, named: "k\(needs[1])"),
        .all(Node.self, named: collects.map { "g\($0)" } ?? "none")
      ) { _, first, second, all in
        Node("\(label)(\(first?.text ?? "-") \(second?.text ?? "-") \(all.map(\.text)))")
      }.named("k\(index)").scope(isUnique ? .unique : .shared)
      return contributesTo.map { component.contributing(to: Node.self, named: "g\($0)") { $0 } } ?? component
    }
  }

  /// The declarations of each container, from the first parent, in order; and the expected instances.
  struct Layers {
    static let count = 12
    var layers: [[Declaration]] = []

    private func provider(of index: Int, in layer: Int) -> (layer: Int, declaration: Declaration)? {
      for layer in (0...layer).reversed() {
        if let found = layers[layer].first(where: { $0.index == index }) { return (layer, found) }
      }
      return nil
    }

    func text(of index: Int, in layer: Int) -> String? {
      provider(of: index, in: layer).map { text(of: $0.declaration, from: $0.layer, in: layer) }
    }

    func isUnique(_ index: Int, in layer: Int) -> Bool {
      provider(of: index, in: layer)?.declaration.isUnique ?? false
    }

    private func text(of declaration: Declaration, from origin: Int, in layer: Int) -> String {
      let needs = declaration.needs.map { need in
        // A decorator receives the one that it was declared over, made from what this layer has.
        need != declaration.index
          ? text(of: need, in: layer)
          : origin == 0
            ? nil
            : provider(of: need, in: origin - 1).map { text(of: $0.declaration, from: $0.layer, in: layer) }
      }
      let all = declaration.collects.map { group in
        (0...layer).flatMap { origin in
          layers[origin].filter { $0.contributesTo == group }.map { text(of: $0, from: origin, in: layer) }
        }
      }
      return "\(declaration.label).\(declaration.index)(\(needs[0] ?? "-") \(needs[1] ?? "-") \(all ?? []))"
    }
  }

  // Set by each test.
  private var random: SeededGenerator

  init() { random = SeededGenerator(seed: 0) }

  /// Components need only components with a higher number. Those in the lower half collect the contributions
  /// of the upper half.
  private mutating func declaration(_ index: Int, _ label: String, mayDecorate: Bool = false) -> Declaration {
    let half = Layers.count / 2
    var needs = (0..<2).map { _ in Int.random(in: index + 1...Layers.count, using: &random) }
    if mayDecorate, Int.random(in: 0..<3, using: &random) == 0 { needs[0] = index }
    return Declaration(
      index: index, label: label, needs: needs,
      collects: index < half && Bool.random(using: &random) ? Int.random(in: 0..<2, using: &random) : nil,
      contributesTo: index >= half && Bool.random(using: &random)
        ? Int.random(in: 0..<2, using: &random) : nil,
      isUnique: Int.random(in: 0..<4, using: &random) == 0)
  }

  private mutating func indices(_ share: Int) -> [Int] {
    (0..<Layers.count).filter { _ in Int.random(in: 0..<100, using: &random) < share }
  }

  @Test(arguments: TestSeeds.seeds("TENON_CHILD_GRAPHS", count: DeepTests.count(20, deep: 60)))
  mutating func r10EveryInstanceIsMadeFromWhatItsContainerProvides(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    var model = Layers()
    model.layers.append(indices(75).map { declaration($0, "parent") })
    model.layers.append(indices(25).map { declaration($0, "child") })
    model.layers.append(
      indices(25).map { index in
        declaration(index, "grandchild", mayDecorate: model.text(of: index, in: 1) != nil)
      })
    let parent = try ComponentContainer { model.layers[0].map { AnyComponent($0.component) } }
    let child = try parent.child { model.layers[1].map { AnyComponent($0.component) } }
    let grandchild = try child.child { model.layers[2].map { AnyComponent($0.component) } }
    let containers = [parent, child, grandchild]
    try await check(containers, model)
    for step in 0..<4 {
      let index = Int.random(in: 0..<Layers.count, using: &random)
      let hadOne = model.layers[0].contains { $0.index == index }
      model.layers[0].removeAll { $0.index == index }
      // A decorator requires the component that it decorates.
      let isDecorated = model.layers[2].contains { $0.index == index && $0.needs.contains(index) }
      if hadOne, !isDecorated, Bool.random(using: &random) {
        try parent.update { $0.remove(Node.self, named: "k\(index)") }
      } else {
        let new = declaration(index, "step \(step)")
        model.layers[0].append(new)
        try parent.update { $0.replace { new.component } }
      }
      try await check(containers, model)
    }
  }

  private func check(_ containers: [ComponentContainer], _ model: Layers) async throws {
    // Existing instances keep the instances with which they were created.
    for container in containers { await container.reset() }
    var parents: [Int: Node] = [:]
    for (layer, container) in containers.enumerated() {
      for index in 0..<Layers.count {
        let found = try container.resolveIfPresent(Node.self, named: "k\(index)")
        #expect(found?.text == model.text(of: index, in: layer), "k\(index) in layer \(layer)")
        // The instance belongs to the parent, unless its text shows that this container created it.
        if let found, let inherited = parents[index], found.text == inherited.text,
          !model.isUnique(index, in: layer)
        {
          #expect(found === inherited, "k\(index) in layer \(layer)")
        }
        parents[index] = found
      }
    }
  }
}

import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// Graphs in which much is wrong.
@Suite(.limited(of: .measurements)) struct ManyProblemsTests {
  private struct Node: Sendable {}

  /// Components each of which has the same problem, beside twice as many that have none.
  private static func components(
    _ count: Int, _ wrong: (Int) -> Component<Int>
  ) -> [AnyComponent] {
    (0..<count).map { AnyComponent(wrong($0)) }
      + (0..<2 * count).map { index in AnyComponent(Component(Node.self) { _ in Node() }.named("n\(index)")) }
  }

  private static func problems(_ components: [AnyComponent]) -> [ConfigurationError.Problem] {
    error(ConfigurationError.self) { try ComponentContainer { components } }?.problems ?? []
  }

  @Test func r2ManyMissingNeedsTakeLinearTime() {
    let growth = CPUTime.growth(from: 64, by: 16) { count in
      let components = Self.components(count) { index in
        Component(Int.self, needs: .required(Node.self, named: "absent\(index)")) { _, _ in 1 }
          .named("i\(index)")
      }
      #expect(Self.problems(components).count == count)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }

  @Test(arguments: ["duplicates", "names", "timings", "cycles", "arguments"])
  func r2ManyProblemsOfOtherKindsTakeLinearTime(kind: String) {
    let growth = CPUTime.growth(from: 64, by: 16) { count in
      let components = Self.components(count) { index in
        switch kind {
        case "duplicates": Component(Int.self) { _ in 1 }.named("i\(index / 2)")
        case "names": Component(Int.self) { _ in 1 }.named("i \(index)")
        case "timings": Component(Int.self) { _ in 1 }.named("i\(index)").scope(.unique).timing(.eager)
        case "cycles":
          Component(Int.self, needs: .required(Int.self, named: "i\(index ^ 1)")) { _, other in other }
            .named("i\(index)")
        default:
          Component(Int.self, needs: .factory(Node.self, taking: Int.self, named: "n\(index)")) { _, _ in 1 }
            .named("i\(index)")
        }
      }
      let halved = ["duplicates", "cycles"].contains(kind)
      #expect(Self.problems(components).count == (halved ? count / 2 : count))
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }

  /// In a child, the parent's components that it replaces are considered for each problem.
  @Test func r2ManyProblemsOfAChildTakeLinearTime() throws {
    let growth = try CPUTime.growth(from: 64, by: 16) { count in
      let parent = try ComponentContainer {
        Component(Int.self) { _ in 0 }
        for index in 0..<count {
          Component(Node.self, needs: .required(Int.self)) { _, _ in Node() }.named("n\(index)")
        }
      }
      let thrown = error(ConfigurationError.self) {
        try parent.child {
          Component(Int.self) { _ in 1 }
          for index in 0..<count {
            Component(String.self, needs: .all(Float.self), .required(Node.self, named: "absent\(index)")) {
              _, _, _ in ""
            }.named("s\(index)")
          }
        }
      }
      #expect(thrown?.problems.count == count)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }

  @Test func theFirstTwentyMissingNeedsHaveHints() {
    let components = Self.components(30) { index in
      Component(Int.self, needs: .required(Node.self, named: "m\(index)")) { _, _ in 1 }.named("i\(index)")
    }
    let problems = Self.problems(components)
    let similar = problems.map { $0.repairs.filter { $0.hasPrefix("There is") } }
    #expect(similar == (0..<30).map { $0 < 20 ? ["There is Node named \"n\($0)\"."] : [] })
    #expect(problems.allSatisfy { $0.repairs.contains { $0.hasPrefix("Add Component(Node.self)") } })
  }

  @Test func whatIsNotNearIsNoHint() {
    let missing = Self.problems([
      AnyComponent(Component(Int.self, needs: .required(Node.self, named: "absent0")) { _, _ in 1 }),
      AnyComponent(Component(Node.self) { _ in Node() }.named("ab0")),
    ]).first
    #expect(
      missing?.repairs == [
        "Add Component(Node.self) { … }.named(\"absent0\") to a library or to the container.",
        "Declare the need as .optional(Node.self, named: \"absent0\") if it can do without.",
      ])
  }

  /// The distance of near texts is determined beside the diagonal of the matrix only.
  @Test func theDistanceOfNearNamesIsTheirEditDistance() {
    var random = SeededGenerator(seed: 35)
    func text() -> String {
      String(
        (0..<Int.random(in: 0..<9, using: &random)).map { _ in "ab\u{e9}".randomElement(using: &random)! })
    }
    for _ in 0..<20_000 {
      let (left, right) = (text(), text())
      let distance = Self.distance(left, right)
      let isNear = distance <= min(2, max(left.count, right.count) / 2)
      #expect(NearMisses.distance(near: left, right) == (isNear ? distance : nil), "\(left) \(right)")
      let limit = Int.random(in: 0..<9, using: &random)
      #expect(
        NearMisses.distance(left, right, within: limit) == (distance <= limit ? distance : nil),
        "\(left) \(right) \(limit)")
    }
  }

  /// Returns the edit distance as its definition says: from the whole matrix.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var matrix = [Array(0...right.count)]
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var least = min(matrix[i][j] + (left[i] == right[j] ? 0 : 1), matrix[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          least = min(least, matrix[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      matrix.append(row)
    }
    return matrix[left.count][right.count]
  }

  @Test func longNamesAreComparedInLinearTime() {
    let growth = CPUTime.growth(from: 1_000, by: 16) { count in
      let name = String(repeating: "n", count: count)
      let problems = Self.problems([
        AnyComponent(Component(Int.self, needs: .required(Node.self, named: name + "x")) { _, _ in 1 }),
        AnyComponent(Component(Node.self) { _ in Node() }.named(name + "y")),
      ])
      #expect(problems.first?.repairs.first?.hasPrefix("There is Node named") == true)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }
}

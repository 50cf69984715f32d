import TenonCore
import TenonTestSupport
import TenonTesting
import Testing

@Suite(.limited) struct ExpectValidGraphTests {
  struct Engine: Sendable {}
  struct Car: Sendable {}

  enum Engines: Library {
    static let name = "engines"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      Component(Engine.self) { _ in
        Issue.record("checking a graph creates nothing")
        return Engine()
      }.timing(.eager)
    }
  }

  enum Cars: Library {
    static let name = "cars"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      Component(Car.self, needs: .required(Engine.self)) { _, _ in Car() }
    }
  }

  @Test func aValidGraphIsReturnedAndNothingIsCreated() {
    let graph = expectValidGraph(of: [Cars.self, Engines.self])
    #expect(graph?.components.map(\.name) == ["Car", "Engine"])
    #expect(graph?.components.first?.needs.first?.providers == ["Engine"])
  }

  @Test func anInvalidGraphFailsTheTestWithItsProblems() {
    withKnownIssue {
      #expect(expectValidGraph(of: [Cars.self]) == nil)
    } matching: { issue in
      issue.comments.contains {
        $0.rawValue.contains("Car of cars 1.0.0 needs Engine, which nothing provides.")
      }
    }
  }
}

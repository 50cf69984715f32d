import TenonCore
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct GraphAnalysisTests {
  @Test func findsTheLongestPathAndWhoNeedsWhat() throws {
    let analysis = GraphAnalysis(try SampleGraph.graph([[1, 2], [2], [3], [], [3]]))
    #expect(analysis.longestPath == [0, 1, 2, 3])
    #expect(analysis.depths == [4, 3, 2, 1, 2])
    #expect(analysis.dependents == [[], [0], [0, 1], [2, 4], []])
    #expect(analysis.mostNeeded == [2, 3, 1])
  }

  @Test func explainsAComponentByAShortestChain() throws {
    let analysis = GraphAnalysis(try SampleGraph.graph([[1, 2], [2], [3], []]))
    #expect(analysis.path(to: 3) == [0, 2, 3])
    #expect(analysis.path(to: 0) == [0])
  }

  @Test func anEagerComponentExplainsItselfAlthoughItIsNeeded() throws {
    var graph = try SampleGraph.graph([[1], [2], []])
    graph.components[1].timing = "eager"
    #expect(GraphAnalysis(graph).path(to: 2) == [1, 2])
  }

  @Test func aCycleEndsAndIsNoReason() throws {
    let analysis = GraphAnalysis(try SampleGraph.graph([[1], [2], [0], [3]]))
    #expect(analysis.longestPath == [0, 1, 2])
    #expect(analysis.path(to: 1) == nil)
    #expect(analysis.path(to: 3) == nil)
  }

  @Test func aNeedThatTheGraphDoesNotContainIsSkipped() throws {
    let analysis = GraphAnalysis(try SampleGraph.graph([[7]]))
    #expect(analysis.needed == [[]])
    #expect(GraphAnalysis(try SampleGraph.graph([])).longestPath.isEmpty)
  }

  @Test func aChainOfTenThousandNeedsNoDeepStackAndLinearTime() throws {
    let sizes = [625, 10_000]
    let graphs = try sizes.reduce(into: [:]) { graphs, size in
      graphs[size] = try SampleGraph.graph((0..<size).map { $0 == size - 1 ? [] : [$0 + 1] })
    }
    let growth = try CPUTime.growth(from: 625, by: 16) { size in
      let analysis = GraphAnalysis(try #require(graphs[size]))
      #expect(analysis.longestPath.count == size)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }
}

extension GraphAnalysis {
  /// Returns the components on the way from an origin to a component, both included; `nil` if there is no
  /// way.
  fileprivate func path(to component: Int) -> [Int]? {
    let path = Array(sequence(first: component) { self.reasons[$0] }.reversed())
    return isOrigin[path[0]] ? path : nil
  }
}

import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

/// Counts, sums and averages, as the server computes them.
@Suite(.limited) struct AggregationTests {
  private static func values(_ aggregations: [QueryAggregation], _ documents: [Fields]) -> [Value] {
    var state = AggregationState(aggregations)
    for document in documents { state.add(document) }
    return state.values
  }

  @Test(
    arguments: [
      ([], Value.integer(0), Value.null),
      ([1, 2, 4], .integer(7), .double(7.0 / 3)),
      ([1, .double(0.5)], .double(1.5), .double(0.75)),
      ([1, "two", .null, 3], .integer(4), .double(2)),
      (["none"], .integer(0), .null),
      // Beyond the range of integers, a sum is a double; intermediate sums are exact.
      ([.integer(.max), 1], .double(9_223_372_036_854_775_808), .double(4_611_686_018_427_387_904)),
      ([.integer(.max), 1, -1], .integer(.max), .double(3_074_457_345_618_258_432)),
      ([1, .double(.nan)], .double(.nan), .double(.nan)),
      ([.double(.infinity), .double(-.infinity)], .double(.nan), .double(.nan)),
    ] as [([Value], Value, Value)])
  func sumAndAverage(numbers: [Value], sum: Value, average: Value) {
    let documents = numbers.map { Fields(["n": $0]) }
    #expect(Self.values([.sum("n"), .average("n")], documents) == [sum, average])
  }

  @Test func aDocumentCountsIfItHasEveryAggregatedField() {
    let documents: [Fields] = [["a": 1, "b": 1], ["a": 10], ["b": 100], [:], ["a": "x", "b": 5]]
    #expect(Self.values([.count], documents) == [5])
    #expect(Self.values([.count, .sum("a")], documents) == [3, 11])
    #expect(Self.values([.sum("b"), .count, .average("a")], documents) == [6, 2, .double(1)])
  }
}

import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The plans of queries, which are kept for further queries that differ in their values only.
@Suite(.limited) struct PlanCacheTests {
  /// Creates a store with documents whose field `n` has values of many types.
  private static func filled(_ settings: StoreSettings) async throws -> Store {
    let store = makeStore(settings: settings, buildsIndexes: false)
    let batch = store.batch()
    for number in 0..<300 {
      let values: [Value] = [
        .integer(Int64(number)), .double(Double(number) + 0.5), .string("t\(number)"), .null, .double(.nan),
        .boolean(number % 2 == 0),
      ]
      try batch.setData(
        ["n": values[number % 6], "m": .integer(Int64(number % 5)), "tags": [.integer(Int64(number % 7))]],
        forDocument: store.document("c/d\(number)"))
    }
    try await batch.commit()
    return store
  }

  private static let operands: [Value] = [
    0, 150, .double(77.5), "t2", "", .null, .double(.nan), true,
    .string(String(repeating: "t", count: 2_000)),
    [1], 299,
  ]

  /// Each query is compared with the same one in a store that keeps no plan of it.
  @Test func eachQueryHasTheBoundsOfItsOwnValues() async throws {
    let index = CompositeIndex("c", .ascending("m"), .ascending("n"))
    let store = try await Self.filled(StoreSettings(indexes: [index], fieldIndexing: .everyField))
    try await store.buildIndexes()
    var shapes: [(Value) -> Query] = []
    let all = store.collection("c")
    shapes.append { all.order(by: "n").start(at: [$0]).limit(to: 9) }
    shapes.append { all.order(by: "n", descending: true).end(before: [$0]) }
    shapes.append { all.whereField("n", isGreaterThan: $0) }
    shapes.append { all.whereField("n", isLessThanOrEqualTo: $0).limit(to: 5) }
    shapes.append { all.whereField("n", isEqualTo: $0) }
    shapes.append { all.whereField("n", isNotEqualTo: $0) }
    shapes.append { all.whereField("m", isEqualTo: 3).whereField("n", isGreaterThanOrEqualTo: $0) }
    shapes.append { all.whereField("m", isEqualTo: $0).order(by: "n") }
    shapes.append { all.whereField("tags", arrayContains: $0).whereField("m", isEqualTo: 1) }
    for shape in shapes {
      for operand in Self.operands {
        let found = try await shape(operand).getDocuments().ids
        let count = try await shape(operand).count.getAggregation().count
        try await store.engine.useAsUser { $0.local.cancellableReader.plans.removeAll() }
        #expect(try await shape(operand).getDocuments().ids == found, "\(operand)")
        #expect(count == found.count, "\(operand)")
      }
    }
  }

  @Test func aPlanIsMadeAgainWhenIndexesChange() async throws {
    let store = try await Self.filled(StoreSettings(fieldIndexing: .onFirstQuery))
    func explanation(_ value: Int) async throws -> QueryExplanation {
      try await store.collection("c").whereField("m", isEqualTo: value).explain()
    }
    #expect(try await explanation(1).index == "documents by their id")
    #expect(try await explanation(2).missingIndexes.map(\.index.name) == ["c(m ascending)"])
    #expect(try await store.collection("c").whereField("m", isEqualTo: 0).getDocuments().count == 60)
    try await store.buildIndexes()
    #expect(try await explanation(3).index == "values of m")
    #expect(try await explanation(4).missingIndexes == [])
    #expect(try await explanation(4).results == 60)
  }
}

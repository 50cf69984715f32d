import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Sums and averages read from an index equal those of the documents.
@Suite(.limited) struct IndexedSumTests {
  private static let values: [Value] = [
    0, 1, 2, 3, -7, 1.0, -0.0, 2.5, -1e-9, 1e300, .integer(.max), .integer(.min),
    .integer(9_007_199_254_740_993), .double(9_007_199_254_740_992), .double(0x1p63), .double(-0x1p63),
    .double(.infinity), .double(.nan), .null, true, "1", [1, 2], ["a": 1], .timestamp(Timestamp(seconds: 1)),
  ]

  /// Returns the result that the server would compute from the documents.
  private static func expected(
    _ aggregations: [QueryAggregation], over documents: [Fields?], limit: Int? = nil
  ) -> [Value] {
    var state = AggregationState(aggregations)
    for fields in documents.compactMap({ $0 }).filter({ state.counts($0) }).prefix(limit ?? .max) {
      state.add(fields)
    }
    return state.values
  }

  /// Rounds off the last digits, which depend on the order in which doubles are added.
  private static func rounded(_ values: [Value]) -> [Value] {
    values.map { value in
      guard case .double(let number) = value, number.isFinite else { return value }
      return .double(Double(String(format: "%.12g", number)) ?? number)
    }
  }

  @Test(arguments: [(UInt64(1), false), (2, false), (3, true), (4, true)])
  func aSumFromTheIndexEqualsThatOfTheDocuments(seed: UInt64, isOld: Bool) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let items = store.collection("items")
    let aggregations: [QueryAggregation] = [.count, .sum("v"), .average("v")]
    for round in 0..<DeepTests.count(8, deep: 40) {
      // Sometimes fewer kinds of values: only integers, and none that overflow.
      let values = Self.values.prefix([5, 7, 10, 24][round % 4])
      let batch = store.batch()
      for number in 0..<30 {
        let document = items.document("d\(number)")
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: try batch.deleteDocument(document)
        case 1: try batch.setData(["other": 1], forDocument: document)
        default:
          let value = values.randomElement(using: &generator) ?? 0
          try batch.setData(Fields(["v": value, "other": 2]), forDocument: document)
        }
      }
      try await batch.commit()
      if isOld {
        // In the state in which an earlier version left them.
        try await store.engine.use {
          try $0.connection.execute(
            """
            UPDATE entries SET number = NULL WHERE document % 3 = 0;
            UPDATE entries SET is_double = NULL, number = NULL WHERE document % 2 = 0;
            """)
        }
      }
      let ordered = items.order(by: "v", descending: round.isMultiple(of: 2))
      let queries: [(Query, limit: Int?)] = [
        (items.query, nil), (items.whereField("v", isGreaterThan: 0), nil),
        (items.whereField("v", isLessThan: 2.5), nil),
        (items.whereField("v", isNotEqualTo: 1), nil), (items.whereField("v", isEqualTo: 1), nil),
        (ordered, nil),
        (ordered.limit(to: 7), 7), (ordered.start(at: [2]), nil),
        (items.whereField("other", isEqualTo: 2), nil),
      ]
      for (query, limit) in queries {
        var whole = query
        whole.structure.limit = nil
        let documents = try await whole.getDocuments().documents.map(\.fields)
        for asked in [aggregations, [.sum("v")], [.average("v")], [.sum("other"), .average("v"), .count]] {
          let found = try await store.engine.read {
            try $0.aggregate(asked, over: try query.runnable(isSent: false).run)
          }
          #expect(
            Self.rounded(found) == Self.rounded(Self.expected(asked, over: documents, limit: limit)),
            "seed \(seed), round \(round): \(asked) over \(query.structure)")
        }
      }
    }
  }

  @Test func aSumOfNumbersIsThatOfTheirColumn() async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let items = store.collection("items")
    for number in 0..<20 { try await items.document("d\(number)").setData(["v": number]) }
    // Values that no encoding agrees with show where the sum comes from.
    try await store.engine.use { try $0.connection.execute("UPDATE entries SET number = 1000") }
    #expect(try await items.aggregate([.sum("v")]).getAggregation()[.sum("v")] == 20_000)
    // With another value among them, the encodings are read.
    try await items.document("e").setData(["v": "text"])
    #expect(try await items.aggregate([.sum("v")]).getAggregation()[.sum("v")] == 190)
  }

  @Test func aggregatesFromTheIndexReadNoDocuments() async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let items = store.collection("items")
    for number in 0..<20 {
      try await items.document("d\(number)").setData(["v": number, "other": 1])
    }
    try await items.document("e").setData(["v": 0.5])
    // Reading a document now throws.
    try await store.engine.use { try $0.connection.execute("UPDATE documents SET fields = x'ff'") }
    let thrown = await #expect(throws: StoreError.self) {
      try await items.whereField("v", isEqualTo: 3).aggregate([.sum("v"), .sum("other")]).getAggregation()
    }
    #expect(thrown?.code == .dataLoss)
    #expect(thrown?.message.contains("items/d3") == true)
    let all = try await items.aggregate([.count(), .sum("v"), .average("v")]).getAggregation()
    #expect(all.count == 21 && all[.sum("v")] == 190.5 && all[.average("v")] == .double(190.5 / 21))
    let integers = items.whereField("v", isGreaterThanOrEqualTo: 1)
    #expect(try await integers.aggregate([.sum("v")]).getAggregation()[.sum("v")] == 190)
    let top = items.order(by: "v", descending: true).limit(to: 3)
    #expect(try await top.aggregate([.sum("v")]).getAggregation()[.sum("v")] == 54)
    let last = items.order(by: "v").limit(toLast: 2)
    #expect(try await last.aggregate([.sum("v")]).getAggregation()[.sum("v")] == 37)
    #expect(try await store.collection("none").aggregate([.sum("v")]).getAggregation()[.sum("v")] == 0)
  }

  @Test func pendingWritesAreIncludedInAggregates() async throws {
    let remote = FakeStoreRemote()
    try remote.apply(
      (0..<4).map { DocumentWrite(try ResourcePath(document: "c/d\($0)"), .set(["v": .init($0)])) })
    let store = makeStore(remote: remote)
    let documents = store.collection("c")
    #expect(try await documents.getDocuments().count == 4)
    try await store.disableNetwork()
    try await documents.document("d1").updateData(["v": .increment(10)])
    try await documents.document("d2").delete()
    try await documents.document("new").setData(["v": 0.5])
    let sum = try await documents.aggregate([.sum("v"), .count()]).getAggregation(source: .cache)
    #expect(sum[.sum("v")] == 14.5 && sum.count == 4)
    await store.terminate()
  }
}

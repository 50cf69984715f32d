import Foundation
import TenonDocuments
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Aggregates, nearest vectors, cursors at documents, and the cost of queries.
@Suite(.limited) struct AggregateTests {
  private static func shop(_ indexing: FieldIndexing = .onFirstQuery) async throws -> Store {
    let store = makeStore(settings: StoreSettings(fieldIndexing: indexing))
    let batch = store.batch()
    for index in 0..<20 {
      try batch.setData(
        ["price": Value(index), "kind": index % 2 == 0 ? "even" : "odd"],
        forDocument: store.document("items/\(index)"))
    }
    try batch.setData(["kind": "even"], forDocument: store.document("items/priceless"))
    try await batch.commit()
    return store
  }

  @Test(arguments: FieldIndexing.allCases)
  func countsSumsAndAveragesAreComputedOverTheQuery(indexing: FieldIndexing) async throws {
    let store = try await Self.shop(indexing)
    let items = store.collection("items")
    #expect(try await items.aggregate([.count()]).getAggregation().count == 21)
    let even = try await items.whereField("kind", isEqualTo: "even").aggregate([
      .count(), .sum("price"), .average("price"),
    ]).getAggregation()
    #expect(even.count == 10)
    #expect(even[.sum("price")] == 90)
    #expect(even[.average("price")] == 9.0)
    #expect(even[.sum("other")] == nil)
    #expect(
      try await items.whereField("kind", isEqualTo: "even").aggregate(
        .count(), .sum("price"), .average("price")
      )
      .getAggregation() == even)
    let limited = try await items.order(by: "price", descending: true).limit(to: 3).aggregate([
      .sum("price"), .count(),
    ]).getAggregation()
    #expect(limited[.sum("price")] == 54)
    #expect(limited.count == 3)
    let none = try await items.whereField("kind", isEqualTo: "prime").aggregate([.count(), .average("price")])
      .getAggregation()
    #expect(none.count == 0)
    #expect(none[.average("price")] == .null)
  }

  @Test(arguments: FieldIndexing.allCases, [1, 2, 3, 9])
  func theLimitCountsOnlyDocumentsWithTheField(indexing: FieldIndexing, limit: Int) async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: indexing))
    let items = store.collection("items")
    let numbers: [Int64?] = [nil, nil, 10, nil, 5, 7, nil]
    for (index, number) in numbers.enumerated() {
      let rank = Value(index)
      try await items.document("\(index)").setData(
        number.map { ["rank": rank, "n": .integer($0)] } ?? ["rank": rank])
    }
    let counted = numbers.compactMap(\.self).prefix(limit)
    let average = Double(counted.reduce(0, +)) / Double(counted.count)
    let queries = [
      items.order(by: "rank"), items.whereField("rank", isGreaterThanOrEqualTo: 0).order(by: "rank"),
    ]
    for query in queries {
      let result = try await query.limit(to: limit).aggregate([.sum("n"), .average("n"), .count()])
        .getAggregation()
      #expect(result[.sum("n")] == .integer(counted.reduce(0, +)))
      #expect(result[.average("n")] == .double(average))
      #expect(result.count == counted.count)
    }
  }

  @Test func aggregatesAreLive() async throws {
    let store = try await Self.shop()
    let items = store.collection("items")
    var live = items.whereField("kind", isEqualTo: "even").aggregate([.sum("price"), .count()]).snapshots
      .makeAsyncIterator()
    #expect(try await live.next()?[.sum("price")] == 90)
    // Changes without an effect on the result aren't delivered.
    try await items.document("1").updateData(["price": 1000])
    try await items.document("4").updateData(["price": 1004])
    let next = try await live.next()
    #expect(next?[.sum("price")] == 1090)
    #expect(next?.count == 10)
    try await items.document("4").delete()
    #expect(try await live.next()?.count == 9)
  }

  @Test func anAggregateOfABadQueryIsAnError() async throws {
    let items = makeStore().collection("items")
    let query = items.whereField("a", in: [])
    await #expect(throws: StoreError.self) { try await query.aggregate([.count()]).getAggregation() }
    await #expect(throws: StoreError.self) { for try await _ in query.aggregate([.count()]).snapshots {} }
  }

  // MARK: - Nearest vectors

  @Test func theNearestVectorsComeFirst() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    let vectors: [String: [Double]] = [
      "same": [1, 0], "close": [1, 0.1], "long": [9, 0], "across": [0, 1], "back": [-1, 0],
      "other": [1, 0, 0],
    ]
    for (id, vector) in vectors {
      try await notes.document(id).setData(["v": .vector(vector), "kind": id == "back" ? "x" : "y"])
    }
    try await notes.document("none").setData(["v": "no vector"])
    func ids(_ found: [NearestDocument]) -> [String] { found.map(\.document.documentID) }
    let euclidean = try await notes.findNearest(
      vectorField: "v", queryVector: [1, 0], limit: 3, distanceMeasure: .euclidean)
    #expect(ids(euclidean) == ["same", "close", "across"])
    #expect(euclidean[0].distance == 0)
    let dots = try await notes.findNearest(
      vectorField: "v", queryVector: [1, 0], limit: 2, distanceMeasure: .dotProduct)
    #expect(ids(dots) == ["long", "close"])
    let cosine = try await notes.findNearest(
      vectorField: "v", queryVector: [1, 0], limit: 10, distanceMeasure: .cosine, distanceThreshold: 0.5)
    #expect(ids(cosine) == ["long", "same", "close"])
    let filtered = try await notes.whereField("kind", isEqualTo: "x").findNearest(
      vectorField: "v", queryVector: [1, 0], limit: 10, distanceMeasure: .euclidean)
    #expect(ids(filtered) == ["back"])
    for (vector, limit) in [([1.0], 0), ([1], 1001), ([], 1)] {
      let thrown = await #expect(throws: StoreError.self) {
        try await notes.findNearest(
          vectorField: "v", queryVector: vector, limit: limit, distanceMeasure: .euclidean)
      }
      #expect(thrown?.code == .invalidArgument)
    }
  }

  // MARK: - Cursors at documents

  @Test func aDocumentCursorIsExactAmongEqualValues() async throws {
    let store = makeStore()
    let items = store.collection("items")
    for (index, id) in ["a", "b", "c", "d", "e"].enumerated() {
      try await items.document(id).setData(["n": Value(index / 3)])
    }
    let query = items.order(by: "n")
    let b = try await items.document("b").getDocument()
    let d = try await items.document("d").getDocument()
    #expect(try await query.query.start(atDocument: b).getDocuments().ids == ["b", "c", "d", "e"])
    #expect(try await query.query.start(afterDocument: b).getDocuments().ids == ["c", "d", "e"])
    #expect(
      try await query.query.start(afterDocument: b).end(atDocument: d).getDocuments().ids == ["c", "d"])
    #expect(try await query.query.start(afterDocument: b).end(beforeDocument: d).getDocuments().ids == ["c"])
    let missing = try await items.document("z").getDocument()
    await #expect(throws: StoreError.self) { try await query.query.end(atDocument: missing).getDocuments() }
  }

  @Test func aCursorNeedsAnOrderForEachValueUnlessItIsADocument() async throws {
    let store = makeStore()
    let items = store.collection("items")
    for id in ["a", "b", "c"] { try await items.document(id).setData(["n": 1]) }
    let b = try await items.document("b").getDocument()
    #expect(try await items.order(by: .documentID()).start(at: ["b"]).getDocuments().ids == ["b", "c"])
    #expect(try await items.query.start(atDocument: b).getDocuments().ids == ["b", "c"])
    let refused = [
      items.start(at: ["b"]), items.end(before: ["b"]), items.order(by: "n").start(after: [1, "b"]),
      items.whereField("n", isGreaterThan: 0).start(at: [1]),
      // After a cursor at a document, the order is complete, and no inequality can add one.
      items.query.start(atDocument: b).order(by: "n"),
      items.query.start(atDocument: b).whereField("n", isGreaterThan: 0),
    ]
    for query in refused {
      let thrown = await #expect(throws: StoreError.self) { try await query.getDocuments() }
      #expect(thrown?.code == .invalidArgument)
      await #expect(throws: StoreError.self) { try await query.count.getAggregation().count }
      await #expect(throws: StoreError.self) { for try await _ in query.snapshots {} }
    }
  }

  // MARK: - Cost

  @Test func explainReportsTheIndexAndTheEntriesRead() async throws {
    let store = try await Self.shop(.everyField)
    let items = store.collection("items")
    #expect(
      try await items.order(by: "price").limit(to: 5).explain()
        == QueryExplanation(
          index: "values of price", collections: 1, isOrdered: true, entriesRead: 5, results: 5))
    #expect(
      try await items.whereField("kind", isEqualTo: "odd").explain()
        == QueryExplanation(
          index: "values of kind", collections: 1, isOrdered: true, entriesRead: 10, results: 10))
    let documents = try await items.explain()
    #expect(documents.index == "documents by their id")
    #expect(documents.entriesRead == 21)
    #expect(try await items.whereField("nowhere", isEqualTo: 1).explain().entriesRead == 0)
  }

  @Test(arguments: [
    (DistanceMeasure.euclidean, [1.0, 0.0], [1.0, 0.1], 0.1),
    (.cosine, [1, 0], [1, 0.1], 0.004_962_809_790_010_89),
    (.cosine, [1, 0], [-2, 0], 2),
    (.dotProduct, [1, 0], [1, 0.1], 1),
  ])
  func distancesOfVectorsAreComputed(
    measure: DistanceMeasure, left: [Double], right: [Double], expected: Double
  ) {
    #expect(abs(measure(left, right) - expected) < 1e-12)
  }
}

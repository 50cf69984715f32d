import Foundation
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

/// Aggregates, nearest vectors, cursors at documents, and what a query costs.
struct AggregateTests {
  private static func shop() async throws -> Store {
    let store = makeStore()
    let batch = store.batch()
    for index in 0..<20 {
      try batch.set(
        ["price": .value(Value(index)), "kind": index % 2 == 0 ? "even" : "odd"],
        at: try store.document("items/\(index)"))
    }
    try batch.set(["kind": "even"], at: try store.document("items/priceless"))
    try await batch.commit()
    return store
  }

  @Test func countsSumsAndAveragesAreComputedOverTheQuery() async throws {
    let store = try await Self.shop()
    let items = try store.collection("items")
    #expect(try await items.aggregate(.count).count == 21)
    let even = try await items.where("kind", .equal, "even").aggregate(
      .count, .sum("price"), .average("price"))
    #expect(even.count == 10)
    #expect(even[.sum("price")] == 90)
    #expect(even[.average("price")] == 9.0)
    #expect(even[.sum("other")] == nil)
    let limited = try await items.order(by: "price", descending: true).limit(to: 3).aggregate(
      .sum("price"), .count)
    #expect(limited[.sum("price")] == 54)
    #expect(limited.count == 3)
    let none = try await items.where("kind", .equal, "prime").aggregate(.count, .average("price"))
    #expect(none.count == 0)
    #expect(none[.average("price")] == .null)
  }

  @Test func aggregatesAreLive() async throws {
    let store = try await Self.shop()
    let items = try store.collection("items")
    var live = items.where("kind", .equal, "even").aggregates(.sum("price"), .count).makeAsyncIterator()
    #expect(try await live.next()?[.sum("price")] == 90)
    // What changes nothing in the result isn't told.
    try await items.document("1").update(["price": 1000])
    try await items.document("4").update(["price": 1004])
    let next = try await live.next()
    #expect(next?[.sum("price")] == 1090)
    #expect(next?.count == 10)
    try await items.document("4").delete()
    #expect(try await live.next()?.count == 9)
  }

  @Test func anAggregateOfABadQueryIsAnError() async throws {
    let items = try makeStore().collection("items")
    let query = items.where("a", .in, [])
    await #expect(throws: StoreError.self) { try await query.aggregate(.count) }
    await #expect(throws: StoreError.self) { for try await _ in query.aggregates(.count) {} }
  }

  // MARK: - Nearest vectors

  @Test func theNearestVectorsComeFirst() async throws {
    let store = makeStore()
    let notes = try store.collection("notes")
    let vectors: [String: [Double]] = [
      "same": [1, 0], "close": [1, 0.1], "long": [9, 0], "across": [0, 1], "back": [-1, 0],
      "other": [1, 0, 0],
    ]
    for (id, vector) in vectors {
      try await notes.document(id).set(["v": .value(.vector(vector)), "kind": id == "back" ? "x" : "y"])
    }
    try await notes.document("none").set(["v": "no vector"])
    func ids(_ found: [NearestDocument]) -> [String] { found.map(\.document.documentID) }
    let euclidean = try await notes.nearest(to: [1, 0], in: "v", limit: 3)
    #expect(ids(euclidean) == ["same", "close", "across"])
    #expect(euclidean[0].distance == 0)
    let dots = try await notes.nearest(to: [1, 0], in: "v", limit: 2, by: .dotProduct)
    #expect(ids(dots) == ["long", "close"])
    let cosine = try await notes.nearest(to: [1, 0], in: "v", limit: 10, by: .cosine, threshold: 0.5)
    #expect(ids(cosine) == ["long", "same", "close"])
    let filtered = try await notes.where("kind", .equal, "x").nearest(to: [1, 0], in: "v", limit: 10)
    #expect(ids(filtered) == ["back"])
    for (vector, limit) in [([1.0], 0), ([1], 1001), ([], 1)] {
      let thrown = await #expect(throws: StoreError.self) {
        try await notes.nearest(to: vector, in: "v", limit: limit)
      }
      #expect(thrown?.code == .invalidArgument)
    }
  }

  // MARK: - Cursors at documents

  @Test func aDocumentBoundsAQueryAlsoAmongEqualValues() async throws {
    let store = makeStore()
    let items = try store.collection("items")
    for (index, id) in ["a", "b", "c", "d", "e"].enumerated() {
      try await items.document(id).set(["n": .value(Value(index / 3))])
    }
    let query = items.order(by: "n")
    let b = try await items.document("b").get()
    let d = try await items.document("d").get()
    #expect(try await query.query.start(at: b).get().ids == ["b", "c", "d", "e"])
    #expect(try await query.query.start(after: b).get().ids == ["c", "d", "e"])
    #expect(try await query.query.start(after: b).end(at: d).get().ids == ["c", "d"])
    #expect(try await query.query.start(after: b).end(before: d).get().ids == ["c"])
    let missing = try await items.document("z").get()
    #expect(throws: StoreError.self) { try query.query.end(at: missing) }
  }

  @Test func aCursorNeedsAnOrderForEachValueUnlessItIsADocument() async throws {
    let store = makeStore()
    let items = try store.collection("items")
    for id in ["a", "b", "c"] { try await items.document(id).set(["n": 1]) }
    let b = try await items.document("b").get()
    #expect(try await items.order(by: .documentID).start(at: "b").get().ids == ["b", "c"])
    #expect(try await items.query.start(at: b).get().ids == ["b", "c"])
    let refused = [
      items.start(at: "b"), items.end(before: "b"), items.order(by: "n").start(after: 1, "b"),
      items.where("n", .greaterThan, 0).start(at: 1),
      // After a document nothing is left to be ordered, and no inequality can add an order.
      try items.query.start(at: b).order(by: "n"),
      try items.query.start(at: b).where("n", .greaterThan, 0),
    ]
    for query in refused {
      let thrown = await #expect(throws: StoreError.self) { try await query.get() }
      #expect(thrown?.code == .invalidArgument)
      await #expect(throws: StoreError.self) { try await query.count() }
      await #expect(throws: StoreError.self) { for try await _ in query.snapshots {} }
    }
  }

  // MARK: - Cost

  @Test func aQueryTellsItsIndexAndWhatItReads() async throws {
    let store = try await Self.shop()
    let items = try store.collection("items")
    #expect(
      try await items.order(by: "price").limit(to: 5).explain()
        == QueryExplanation(
          index: "values of price", collections: 1, isOrdered: true, entriesRead: 5, results: 5))
    #expect(
      try await items.where("kind", .equal, "odd").explain()
        == QueryExplanation(
          index: "values of kind", collections: 1, isOrdered: true, entriesRead: 10, results: 10))
    let documents = try await items.explain()
    #expect(documents.index == "documents by their id")
    #expect(documents.entriesRead == 21)
    #expect(try await items.where("nowhere", .equal, 1).explain().entriesRead == 0)
  }
}

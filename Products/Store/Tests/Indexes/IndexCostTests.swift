import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The number of reads for a page doesn't depend on the size of the collection.
@Suite(.limited) struct IndexCostTests {
  private static let indexes = [
    CompositeIndex("notes", .ascending("author"), .descending("created")),
    CompositeIndex("notes", .contains("tags"), .ascending("created")),
    CompositeIndex("notes", .ascending("author"), .ascending("stars"), .descending("created")),
    CompositeIndex("notes", scope: .collectionGroup, .ascending("author"), .ascending("stars")),
  ]

  /// Note `n` has the author `n % 4`, 0 to 9 stars and two tags; one in fifty is marked.
  private func notes(_ count: Int, indexes: [CompositeIndex]? = indexes) async throws -> Store {
    let store = makeStore(settings: StoreSettings(indexes: indexes, fieldIndexing: .everyField))
    let batch = store.batch()
    for number in 0..<count {
      try batch.setData(
        [
          "author": "author\(number % 4)", "created": number, "stars": number % 10,
          "tags": ["t\(number % 3)", "u\(number % 5)"],
          "marked": number.isMultiple(of: 50),
        ], forDocument: store.document(String(format: "notes/%06d", number)))
    }
    try await batch.commit()
    try await store.buildIndexes()
    return store
  }

  @Test(arguments: DeepTests.few(2, of: [200, 600, 4000]))
  func aPageFromADeclaredIndexReadsThePage(count: Int) async throws {
    let store = try await notes(count)
    let notes = store.collection("notes")
    let author = notes.whereField("author", isEqualTo: "author1")
    let newest = "notes(author ascending, created descending)"
    func check(_ query: Query, _ index: String, _ context: Comment) async throws {
      #expect(
        try await query.explain()
          == QueryExplanation(index: index, collections: 1, isOrdered: true, entriesRead: 20, results: 20),
        context)
    }
    let page = author.order(by: "created", descending: true).limit(to: 20)
    try await check(page, newest, "the index's direction")
    let last = try #require(try await page.getDocuments().documents.last)
    try await check(page.start(afterDocument: last), newest, "the next page")
    try await check(author.order(by: "created").limit(to: 20), newest, "against its direction")
    try await check(
      author.order(by: "created", descending: true).limit(toLast: 20), newest, "the last ones")
    try await check(author.whereField("created", isGreaterThan: 10).limit(to: 20), newest, "an inequality")
    try await check(
      notes.whereField("tags", arrayContains: "t1").order(by: "created").limit(to: 20),
      "notes(elements of tags, created ascending)", "an array")
    try await check(
      author.order(by: "stars").order(by: "created", descending: true).limit(to: 20),
      "notes(author ascending, stars ascending, created descending)", "mixed directions")
    try await check(
      author.order(by: "stars", descending: true).order(by: "created").start(at: [9, 1]).limit(to: 20),
      "notes(author ascending, stars ascending, created descending)", "mixed directions and a cursor")
    try await check(
      store.collectionGroup("notes").whereField("author", isEqualTo: "author1").order(by: "stars").limit(
        to: 20),
      "group notes(author ascending, stars ascending)", "a collection group")
  }

  @Test(arguments: DeepTests.few(2, of: [200, 600, 4000]))
  func aPageFromTheIndexOfAFieldReadsThePage(count: Int) async throws {
    let notes = try await notes(count, indexes: nil).collection("notes")
    // 50 documents and more have the same number of stars; the cursor determines where among them the page
    // begins.
    let page = notes.order(by: "stars").limit(to: 10)
    let last = try #require(try await page.getDocuments().documents.last)
    let next = try await page.start(afterDocument: last).explain()
    #expect(next.index == "values of stars")
    #expect(next.entriesRead == 10)
    let excluded = try await notes.whereField("created", isNotEqualTo: 3).limit(to: 10).explain()
    #expect(excluded.entriesRead == 10)
    let notIn = try await notes.whereField("created", notIn: [0, 2]).limit(to: 10).explain()
    #expect(notIn.entriesRead == 10)
  }

  @Test(arguments: DeepTests.few(1, of: [500, 1000, 4000]))
  func equalitiesOnSeveralFieldsIntersectTheirIndexes(count: Int) async throws {
    let store = try await notes(count, indexes: nil)
    for number in 0..<5 {
      try await store.document("notes/rare\(number)").setData(["author": "author1", "kind": "rare", "n": 1])
    }
    let both = store.collection("notes").whereField("author", isEqualTo: "author1").whereField(
      "kind", isEqualTo: "rare")
    let explanation = try await both.explain()
    #expect(explanation.index == "values of author ∩ values of kind")
    #expect(explanation.results == 5)
    #expect(explanation.isOrdered)
    #expect(explanation.entriesRead <= 12)
    #expect(
      try await both.order(by: .documentID(), descending: true).limit(to: 2).getDocuments().ids == [
        "rare4", "rare3",
      ])
    let tagged = try await store.collection("notes").whereField("tags", arrayContains: "t1")
      .whereField("marked", isEqualTo: true).limit(to: 3).explain()
    #expect(tagged.index == "elements of tags ∩ values of marked")
    #expect(tagged.entriesRead < 20)
  }

  @Test(arguments: DeepTests.few(1, of: [500, 1000, 4000]))
  func alternativesReadTheirPagesAndNotTheCollection(count: Int) async throws {
    let store = try await notes(count)
    let notes = store.collection("notes")
    let some = try await notes.whereField("created", in: [3, 1, 99, .null, 3]).explain()
    #expect(some.index == "union of 3: values of created")
    #expect(some.indexes == ["values of created"])
    #expect((some.entriesRead, some.results) == (3, 3))
    let merged = try await notes.whereField("author", in: ["author1", "author2"])
      .order(by: "created", descending: true).limit(to: 10).explain()
    #expect(merged.index == "union of 2: notes(author ascending, created descending)")
    #expect(merged.isOrdered)
    #expect(merged.entriesRead <= 20)
    let either = try await notes.whereFilter(
      Filter(.or([.field("created", .equal, 7), .field("tags", .arrayContains, "nothing")]))
    ).explain()
    #expect(either.index == "union of 2: values of created, elements of tags")
    #expect(either.entriesRead == 1)
    let any = try await notes.whereField("tags", arrayContainsAny: ["t1", "u2"]).limit(to: 10).explain()
    #expect(any.index == "union of 2: elements of tags")
    #expect(any.entriesRead <= 20)
  }

  @Test(arguments: [5, 40])
  func aPageOfACollectionGroupReadsThePageAndOneEntryOfEachCollection(rooms: Int) async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let batch = store.batch()
    for room in 0..<rooms {
      for number in 0..<50 {
        try batch.setData(
          ["n": number * 100 + room], forDocument: store.document("rooms/\(room)/notes/\(number)"))
      }
    }
    try await batch.commit()
    let explanation = try await store.collectionGroup("notes").order(by: "n").limit(to: 4).explain()
    #expect(explanation.collections == rooms)
    #expect(explanation.entriesRead <= rooms + 20)
  }

  @Test func aQueryThatNothingCanMatchReadsNothing() async throws {
    let notes = try await notes(10).collection("notes")
    let none = try await notes.whereField("author", in: [.null]).explain()
    #expect((none.index, none.entriesRead, none.results) == ("nothing", 0, 0))
    let excluded = try await notes.whereField("author", notIn: [.null, 1]).explain()
    #expect((excluded.entriesRead, excluded.results) == (0, 0))
  }
}

import Foundation
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Deleting large collections, which are dropped: their rows are deleted later.
@Suite(.limited) struct DroppedCollectionTests {
  private static let count = CollectionDeletion.droppedSize + 50

  /// Fills the collection `c`, and some others with a few documents.
  private static func fill(_ store: Store, _ count: Int = count) async throws {
    for start in stride(from: 0, to: count, by: 2_000) {
      let batch = store.batch()
      for number in start..<min(start + 2_000, count) {
        try batch.setData(
          ["n": number, "tags": ["a"], "title": "the document number \(number)"],
          forDocument: store.document("c/d\(number)"))
      }
      try await batch.commit()
    }
    for path in ["c/d1/c/below", "other/a", "a/b/c/x"] { try await store.document(path).setData(["n": 1]) }
  }

  private static func rows(_ table: String, _ store: Store) async throws -> Int64? {
    try await store.engine.useAsUser {
      try $0.connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) }
    }
  }

  private static func settings(_ indexing: FieldIndexing) -> StoreSettings {
    StoreSettings(
      indexes: [CompositeIndex("c", .ascending("tags"), .ascending("n"))], fieldIndexing: indexing)
  }

  @Test(arguments: [FieldIndexing.everyField, .onFirstQuery, .none])
  func aLargeCollectionDisappearsInOneStepAndItsRowsLater(indexing: FieldIndexing) async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, settings: Self.settings(indexing), buildsIndexes: false)
    try await Self.fill(store)
    _ = try await store.collection("c").order(by: "n").limit(to: 1).getDocuments()
    try await store.buildIndexes()
    let all = Snapshots(store.collection("c").snapshots)
    let group = Snapshots(store.collectionGroup("c").whereField("n", isLessThan: 3).snapshots)
    let one = Snapshots(store.document("c/d7").snapshots)
    #expect(try await all.next()?.count == Self.count)
    #expect(try await group.next()?.count == 5)
    #expect(try await one.next()?.exists == true)

    let reports = Lock<[OperationProgress]>([])
    #expect(
      try await store.deleteCollection("c") { report in reports.withLock { $0.append(report) } } == Self.count
    )
    #expect(reports.withLock { $0.map(\.completedUnitCount) } == [Int64(Self.count)])
    #expect(try await all.next { $0.isEmpty }?.documentChanges.count == Self.count)
    #expect(try await group.next { $0.count < 5 }?.ids == ["x", "below"])
    #expect(try await one.next { !$0.exists } != nil)
    #expect(try await Self.rows("documents", store) == Int64(Self.count) + 3, "the rows are deleted later")
    try await Self.check(store)
    #expect(try await store.deleteCollection("c") == 0)

    // The same documents again, while the rows of the former ones exist.
    try await store.document("c/d7").setData(["n": 70, "tags": ["a", "b"]])
    #expect(try await all.next { !$0.isEmpty }?.ids == ["d7"])
    #expect(try await store.collection("c").whereField("n", isGreaterThan: 5).getDocuments().ids == ["d7"])
    #expect(try await store.collection("c").order(by: "n").count.getAggregation().count == 1)
    try await store.buildIndexes()
    #expect(try await Self.rows("documents", store) == 4)
    #expect(try await Self.rows("dropped_collections", store) == 0)
    try await Self.check(store)
    #expect(try await store.document("c/d7").getDocument().fields?["n"] == 70)
    await store.terminate()
    #expect(try await Self.count("c", makeStore(directory, settings: Self.settings(indexing))) == 1)
  }

  /// Checks sizes, indexes and aggregations: nothing of the dropped documents is found.
  private static func check(_ store: Store) async throws {
    let sizes = try await store.collectionSizes()
    #expect(Set(sizes.map(\.path)).isSubset(of: ["c", "c/d1/c", "other", "a/b/c"]))
    #expect(sizes.allSatisfy { $0.documents == 1 })
    let group = store.collectionGroup("c")
    let sum = try await group.aggregate([.sum("n")]).getAggregation(source: .cache)
    #expect(try await group.getDocuments().documents.count == sizes.filter { $0.path != "other" }.count)
    #expect(sum[.sum("n")] != nil)
    let left = try await group.whereField("tags", arrayContains: "a").order(by: "n").getDocuments().ids
    #expect(left == (sizes.contains { $0.path == "c" } ? ["d7"] : []))
  }

  private static func count(_ path: String, _ store: Store) async throws -> Int? {
    try await store.collection(path).count.getAggregation(source: .cache).count
  }

  /// Each step of deleting the rows may be the last one of the process.
  @Test func rowsAreDeletedInStepsThatContinueAfterARestart() async throws {
    let directory = try TestDirectory()
    var store = makeStore(directory, settings: Self.settings(.everyField), buildsIndexes: false)
    try await Self.fill(store)
    try await store.deleteCollection("c")
    var steps = 0
    while try await store.engine.buildIndexes(limit: 1_000) {
      steps += 1
      if steps.isMultiple(of: 3) {
        await store.terminate()
        store = makeStore(directory, settings: Self.settings(.everyField), buildsIndexes: false)
      }
      #expect(try await Self.count("c", store) == 0)
      if steps == 2 { try await store.document("c/new").setData(["n": 1, "tags": ["z"]]) }
      if steps == 2 { try await store.document("c/new").delete() }
    }
    #expect(steps > 5)
    #expect(try await Self.rows("documents", store) == 3)
    #expect(try await Self.rows("dropped_collections", store) == 0)
    #expect(try await Self.rows("entries", store) == 3)
    #expect(try await Self.rows("index_entries", store) == 0)
    await store.terminate()
  }

  /// Other connections have cached the number of the collection.
  @Test func otherProcessesSeeIt() async throws {
    let directory = try TestDirectory()
    let (store, other) = (makeStore(directory), makeStore(directory))
    try await Self.fill(store)
    let seen = Snapshots(other.collection("c").limit(to: 3).snapshots)
    #expect(try await seen.next { $0.count == 3 } != nil)
    #expect(try await other.document("c/d5").getDocument().exists)
    #expect(try await other.document("c/d6").getDocument().exists)
    try await store.deleteCollection("c")
    #expect(try await !other.document("c/d5").getDocument().exists)
    #expect(try await other.collection("c").getDocuments().isEmpty)
    #expect(try await seen.next { $0.isEmpty } != nil)
    try await other.document("c/d6").setData(["n": -6])
    #expect(try await store.collection("c").getDocuments().ids == ["d6"])
    #expect(try await seen.next { !$0.isEmpty }?.ids == ["d6"])
    try await store.buildIndexes()
    #expect(try await other.collection("c").getDocuments().ids == ["d6"])
    await store.terminate()
    await other.terminate()
  }

  /// Indexes over a group and text indexes still have the documents, and must not find them.
  @Test(arguments: [TextIndex.Tokenizer.words, .trigrams])
  func indexesOfOtherScopesFindNothingOfADroppedCollection(tokenizer: TextIndex.Tokenizer) async throws {
    let directory = try TestDirectory()
    let index = CompositeIndex("c", scope: .collectionGroup, .ascending("tags"), .ascending("n"))
    let settings = StoreSettings(
      indexes: [index], textIndexes: [TextIndex("c", "title", tokenizer: tokenizer)])
    var store = makeStore(directory, settings: settings, buildsIndexes: false)
    try await Self.fill(store)
    try await store.document("c/d1/c/below").setData(["n": 1, "tags": ["a"], "title": "below the others"])
    try await store.buildIndexes()
    let group = Snapshots(
      store.collectionGroup("c").whereField("tags", isEqualTo: ["a"]).order(by: "n").snapshots)
    #expect(try await group.next()?.count == Self.count + 1)
    #expect(try await store.deleteCollection("c") == Self.count)
    #expect(try await group.next { $0.count == 1 }?.ids == ["below"])
    #expect(try await Self.rows("dropped_collections", store) == 1)
    try await Self.checkOtherScopes(store, ["below"])

    // New documents with the paths, and with the same or other values.
    let second: Fields = ["n": 1, "tags": ["a"], "title": "the document number 1"]
    try await store.document("c/d1").setData(second)
    try await store.document("c/d2").setData(["n": -2, "tags": ["a"], "title": "another document"])
    try await store.document("c/d3").setData(["n": 3, "tags": ["a"], "title": "the document number 3"])
    try await store.document("c/d3").updateData(["n": -3])
    try await Self.checkOtherScopes(store, ["d3", "d2", "d1", "below"])
    var steps = 0
    while try await store.engine.buildIndexes(limit: 40) {
      steps += 1
      if steps == 40 {
        await store.terminate()
        store = makeStore(directory, settings: settings, buildsIndexes: false)
      }
      if steps == 50 { try await store.document("c/d2").delete() }
      if steps.isMultiple(of: 10) {
        try await Self.checkOtherScopes(
          store, steps < 50 ? ["d3", "d2", "d1", "below"] : ["d3", "d1", "below"])
      }
    }
    #expect(steps > 50)
    #expect(try await Self.rows("dropped_collections", store) == 0)
    #expect(try await Self.rows("documents", store) == 5)
    #expect(try await Self.rows("index_entries", store) == 3)
    let text = try await store.engine.useAsUser {
      try $0.connection.first("SELECT name FROM sqlite_schema WHERE name LIKE 'text%docsize'") { $0.text(0) }
    }
    #expect(try await Self.rows(#require(text), store) == 3)
    try await Self.checkOtherScopes(store, ["d3", "d1", "below"])
    await store.terminate()
  }

  /// Checks the documents in the index over the group, in its order, and those that a search finds.
  private static func checkOtherScopes(_ store: Store, _ ids: [String]) async throws {
    let query = store.collectionGroup("c").whereField("tags", isEqualTo: ["a"]).order(by: "n")
    #expect(try await query.explain().index == "group c(tags ascending, n ascending)")
    #expect(try await query.getDocuments().ids == ids)
    #expect(try await query.limit(to: 2).getDocuments().ids == Array(ids.prefix(2)))
    #expect(try await query.count.getAggregation().count == ids.count)
    #expect(try await query.limit(to: 2).count.getAggregation().count == min(2, ids.count))
    let sum = try await query.aggregate([.sum("n")]).getAggregation()[.sum("n")]?.doubleValue ?? 0
    #expect(abs(sum) < 100)
    let found = try await store.collectionGroup("c").search("document").getDocuments()
    #expect(Set(found.map(\.document.documentID)) == Set(ids).subtracting(["below"]))
    let one = try await store.collection("c").limit(to: 1).search("number").getDocuments()
    #expect(one.count == (ids.contains("d1") ? 1 : 0))
  }

  /// What becomes of the documents when the database gets a remote.
  @Test func droppedDocumentsDoNotBecomePending() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, buildsIndexes: false)
    try await Self.fill(store)
    try await store.deleteCollection("c")
    await store.terminate()
    let shared = makeStore(directory, remote: FakeStoreRemote(), buildsIndexes: false)
    try await shared.disableNetwork()
    #expect(try await shared.queuedWrites.flatMap(\.writes).count == 3)
    await shared.terminate()
  }

  /// An index that was being built over the documents of the collection is built over the others.
  @Test func anIndexThatIsBeingBuiltContinuesWithOtherCollections() async throws {
    let directory = try TestDirectory()
    let before = makeStore(directory, settings: StoreSettings(fieldIndexing: .none), buildsIndexes: false)
    try await Self.fill(before)
    await before.terminate()
    let store = makeStore(
      directory, settings: StoreSettings(fieldIndexing: .everyField), buildsIndexes: false)
    for _ in 0..<4 { _ = try await store.engine.buildIndexes(limit: 500) }
    try await store.deleteCollection("c")
    try await store.document("c/d3").setData(["n": 3])
    try await store.buildIndexes()
    #expect(try await Self.rows("entries", store) == 4)
    #expect(try await store.collectionGroup("c").whereField("n", isGreaterThan: 0).getDocuments().count == 3)
    await store.terminate()
  }
}

import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

@testable import TenonStore

/// The kinds of writes: setting, merging, updating, and preconditions.
@Suite(.limited) struct WriteTests {
  @Test func fieldValuesAreComputedWhenTheyAreWritten() async throws {
    let moment = Timestamp(seconds: 1_000, nanoseconds: 987_654_321)
    let page = makeStore(now: moment).document("pages/tea")
    let data: [String: any DocumentValue] = [
      "title": "Tea", "views": .increment(1), "tags": .arrayUnion(["hot", "hot"]), "best": .maximum(4.5),
      "seen": .serverTimestamp(),
      "inner": ["at": FieldValue.serverTimestamp(), "count": FieldValue.increment(2)],
    ]
    try await page.setData(data)
    try await page.setData(data, merge: true)
    let seen = Value.timestamp(Timestamp(seconds: 1_000, nanoseconds: 987_000_000))
    #expect(
      try await page.getDocument().fields == [
        "title": "Tea", "views": 2, "tags": ["hot"], "best": 4.5, "seen": seen,
        "inner": ["at": seen, "count": 4],
      ])
    // Setting without merging replaces the whole document.
    try await page.setData(data)
    #expect(try await page.getDocument().fields?["views"] == 1)
  }

  @Test func aCommitHasOneTimestamp() async throws {
    let store = makeStore()
    let (a, b) = (store.document("c/a"), store.document("c/b"))
    try await store.batch().setData(["at": .serverTimestamp(), "too": .serverTimestamp()], forDocument: a)
      .setData(["at": .serverTimestamp()], forDocument: b).commit()
    let first = try await a.getDocument()
    #expect(first.fields?["at"] == first.fields?["too"])
    #expect(try await b.getDocument().fields?["at"] == first.fields?["at"])
  }

  /// After a new document, further ones are inserted without being looked up first.
  @Test(arguments: FieldIndexing.allCases)
  func aBatchMayMixNewExistingAndRepeatedDocuments(indexing: FieldIndexing) async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: indexing))
    let c = store.collection("c")
    let (old, same) = (c.document("old"), c.document("same"))
    try await store.batch().setData(["v": 1, "w": 1], forDocument: old).setData(["v": 2], forDocument: same)
      .commit()
    // From here on, the field may have an index.
    _ = try await c.whereField("v", isLessThan: 2).getDocuments()
    try await store.buildIndexes()
    let before = (old: try await old.getDocument(), same: try await same.getDocument())

    let batch = store.batch()
    try batch.setData(["v": 3], forDocument: c.document("a"))
    try batch.setData(["v": 4], forDocument: c.document("b"))
    try batch.setData(["v": 5], forDocument: old)
    try batch.setData(["v": 2], forDocument: same)
    try batch.setData(["v": 6], forDocument: c.document("d"))
    try batch.create(["v": 7], forDocument: c.document("e"))
    try batch.setData(["v": 8], forDocument: c.document("a"))
    try batch.setData(["x": 9], forDocument: c.document("b"), merge: true)
    try batch.deleteDocument(c.document("e"))
    try batch.setData(["v": 10], forDocument: c.document("f"))
    try batch.updateData(["v": 11], forDocument: c.document("f"))
    try batch.deleteDocument(c.document("none"))
    try await batch.commit()

    let documents = try await c.getDocuments().documents
    #expect(documents.map(\.documentID) == ["a", "b", "d", "f", "old", "same"])
    #expect(
      documents.map { $0.fields } == [
        ["v": 8], ["v": 4, "x": 9], ["v": 6], ["v": 11], ["v": 5], ["v": 2],
      ])
    let after = (old: try await old.getDocument(), same: try await same.getDocument())
    #expect(after.old.createTime == before.old.createTime)
    let times = try (#require(before.old.updateTime), #require(after.old.updateTime))
    #expect(times.0.microsecondsSince1970 < times.1.microsecondsSince1970)
    #expect(after.same.updateTime == before.same.updateTime)
    let found = try await c.whereField("v", isGreaterThan: 3).getDocuments().documents
    #expect(found.map(\.documentID) == ["b", "old", "d", "a", "f"])
    #expect(try await FieldEntries.areRight(in: store))
  }

  @Test func aPreconditionHoldsAfterNewDocumentsOfABatch() async throws {
    let store = makeStore()
    let c = store.collection("c")
    let old = c.document("old")
    try await old.setData(["v": 1])
    let read = try await old.getDocument()
    try await old.setData(["v": 2])
    let time = try #require(read.updateTime)
    let writes: [(StoreError.Code, (WriteBatch) throws -> Void)] = [
      (.alreadyExists, { try $0.create(["v": 3], forDocument: old) }),
      (.notFound, { try $0.updateData(["v": 3], forDocument: c.document("none")) }),
      (.failedPrecondition, { try $0.updateData(["v": 3], forDocument: old, if: .updated(time)) }),
    ]
    for (code, write) in writes {
      let batch = store.batch()
      for id in ["a", "b"] { try batch.setData(["v": 3], forDocument: c.document(id)) }
      try write(batch)
      let thrown = await #expect(throws: StoreError.self) { try await batch.commit() }
      #expect(thrown?.code == code)
    }
    #expect(try await c.getDocuments().documents.map(\.documentID) == ["old"])
    #expect(try await old.getDocument().fields?["v"] == 2)
  }

  /// They are encoded in other bytes.
  @Test func identicalFieldsAreNoChange() async throws {
    let page = makeStore().document("pages/tea")
    func fields(_ nan: Double, _ zero: Double) -> Fields {
      [
        "a": .double(nan), "b": .array([.map(["c": .vector([1, nan])])]),
        "d": .geoPoint(GeoPoint(latitude: zero, longitude: 1)),
      ]
    }
    try await page.setData(fields(.nan, 0))
    let before = try await page.getDocument().updateTime
    try await page.setData(fields(Double(nan: 1, signaling: false), -0.0))
    #expect(try await page.getDocument().updateTime == before)
    try await page.setData(fields(1, 0))
    #expect(try await page.getDocument().updateTime != before)
  }

  @Test func anUnreadableDocumentCanBeReplacedAndDeleted() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, settings: StoreSettings(fieldIndexing: .none))
    let c = store.collection("c")
    for id in ["a", "b"] { try await c.document(id).setData(["v": 1]) }
    try await store.buildIndexes()
    try openDatabase(directory.file).execute("UPDATE documents SET fields = x'FF'")
    let thrown = await #expect(throws: StoreError.self) {
      try await c.document("a").setData(["w": 2], merge: true)
    }
    #expect(thrown?.code == .dataLoss)
    try await c.document("a").setData(["v": 2])
    try await c.document("b").delete()
    #expect(try await c.getDocuments().documents.map { $0.fields } == [["v": 2]])
  }

  @Test func mergingRemovesAndKeeps() async throws {
    let page = makeStore().document("pages/tea")
    try await page.setData(["a": 1, "b": ["c": 2, "d": 3], "e": 4])
    try await page.setData(
      ["b": ["c": FieldValue.delete(), "n": 5], "e": .delete(), "missing": .delete()], merge: true)
    #expect(try await page.getDocument().fields == ["a": 1, "b": ["d": 3, "n": 5]])
  }

  @Test func deletingAFieldOfAReplacedDocumentIsAnError() async throws {
    let page = makeStore().document("pages/tea")
    let thrown = await #expect(throws: StoreError.self) {
      try await page.setData(["a": ["b": FieldValue.delete()]])
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("a.b") == true)
    #expect(try await !page.getDocument().exists)
  }

  @Test func mergingSomeFieldsIgnoresTheRest() async throws {
    let page = makeStore().document("pages/tea")
    try await page.setData(["a": 1, "b": ["c": 2, "d": 3], "n": 10, "gone": 1])
    try await page.setData(
      ["a": 9, "b": ["c": 8], "n": .increment(1), "other": .increment(1), "gone": .delete()],
      mergeFields: ["b.c", "n", "gone"])
    #expect(try await page.getDocument().fields == ["a": 1, "b": ["c": 8, "d": 3], "n": 11])
    // A map replaces the previous value.
    try await page.setData(["b": ["x": 1]], mergeFields: ["b"])
    #expect(try await page.getDocument().fields?["b"] == ["x": 1])
    let thrown = await #expect(throws: StoreError.self) {
      try await page.setData(["a": 1], mergeFields: ["a", "z"])
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("\"z\"") == true)
  }

  @Test func updatingComputesDeletesAndReplacesMaps() async throws {
    let page = makeStore().document("pages/tea")
    try await page.setData(["a": 1, "b": ["c": 2, "d": 3], "list": [1, 2, 3]])
    try await page.updateData([
      "a": .increment(5), "b.c": .delete(), "list": .arrayRemove([2]), "new.deep": .serverTimestamp(),
      "map": ["x": 1, "y": FieldValue.increment(1)],
    ])
    let fields = try await page.getDocument().fields
    #expect(fields?["a"] == 6)
    #expect(fields?["b"] == ["d": 3])
    #expect(fields?["list"] == [1, 3])
    #expect(fields?["map"] == ["x": 1, "y": 1])
    try await page.updateData(["map": ["z": 1]])
    #expect(try await page.getDocument().fields?["map"] == ["z": 1])
    let thrown = await #expect(throws: StoreError.self) {
      try await page.updateData(["map": ["z": FieldValue.delete()]])
    }
    #expect(thrown?.message.contains("map.z") == true)
  }

  @Test func creatingAnExistingDocumentIsAnError() async throws {
    let page = makeStore().document("pages/tea")
    try await page.create(["a": 1])
    let thrown = await #expect(throws: StoreError.self) { try await page.create(["a": 2]) }
    #expect(thrown?.code == .alreadyExists)
    #expect(try await page.getDocument().fields?["a"] == 1)
  }

  @Test func aWriteCanDependOnTheLastUpdateTime() async throws {
    let page = makeStore().document("pages/tea")
    try await page.setData(["a": 1])
    let read = try #require(try await page.getDocument().updateTime)
    try await page.updateData(["a": 2], if: .updated(read))
    for write in [
      { try await page.updateData(["a": 3], if: .updated(read)) },
      { try await page.delete(if: .updated(read)) },
    ] as [@Sendable () async throws -> Void] {
      let thrown = await #expect(throws: StoreError.self) { try await write() }
      #expect(thrown?.code == .failedPrecondition)
    }
    #expect(try await page.getDocument().fields?["a"] == 2)
    let missing = page.store.document("pages/none")
    let thrown = await #expect(throws: StoreError.self) { try await missing.delete(if: .exists(true)) }
    #expect(thrown?.code == .notFound)
  }

  @Test func aFieldValueThatCannotBeComputedChangesNothing() async throws {
    let store = makeStore()
    let page = store.document("pages/tea")
    let other = store.document("pages/coffee")
    let thrown = await #expect(throws: StoreError.self) {
      try await store.batch().setData(["a": 1], forDocument: other).setData(
        ["list": .arrayUnion([[1]])], forDocument: page
      ).commit()
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("list") == true)
    #expect(try await !other.getDocument().exists)
  }

  @Test func listenersSeeComputedValues() async throws {
    let page = makeStore().document("pages/tea")
    var snapshots = page.snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.exists == false)
    try await page.setData(["n": .increment(1)], merge: true)
    #expect(try await snapshots.next()?.fields?["n"] == 1)
    try await page.setData(["n": .increment(1)], merge: true)
    #expect(try await snapshots.next()?.fields?["n"] == 2)
  }
}

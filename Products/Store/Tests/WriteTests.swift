import Foundation
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

/// The kinds of writes: setting, merging, updating, and preconditions.
struct WriteTests {
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
      try await page.getDocument().data() == [
        "title": "Tea", "views": 2, "tags": ["hot"], "best": 4.5, "seen": seen,
        "inner": ["at": seen, "count": 4],
      ])
    // Setting without merging replaces the whole document.
    try await page.setData(data)
    #expect(try await page.getDocument()["views"] == 1)
  }

  @Test func aCommitHasOneTimestamp() async throws {
    let store = makeStore()
    let (a, b) = (store.document("c/a"), store.document("c/b"))
    try await store.batch().setData(["at": .serverTimestamp(), "too": .serverTimestamp()], forDocument: a)
      .setData(["at": .serverTimestamp()], forDocument: b).commit()
    let first = try await a.getDocument()
    #expect(first["at"] == first["too"])
    #expect(try await b.getDocument()["at"] == first["at"])
  }

  @Test func mergingRemovesAndKeeps() async throws {
    let page = makeStore().document("pages/tea")
    try await page.setData(["a": 1, "b": ["c": 2, "d": 3], "e": 4])
    try await page.setData(
      ["b": ["c": FieldValue.delete(), "n": 5], "e": .delete(), "missing": .delete()], merge: true)
    #expect(try await page.getDocument().data() == ["a": 1, "b": ["d": 3, "n": 5]])
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
    #expect(try await page.getDocument().data() == ["a": 1, "b": ["c": 8, "d": 3], "n": 11])
    // A map replaces the previous value.
    try await page.setData(["b": ["x": 1]], mergeFields: ["b"])
    #expect(try await page.getDocument()["b"] == ["x": 1])
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
    let fields = try await page.getDocument().data()
    #expect(fields?["a"] == 6)
    #expect(fields?["b"] == ["d": 3])
    #expect(fields?["list"] == [1, 3])
    #expect(fields?["map"] == ["x": 1, "y": 1])
    try await page.updateData(["map": ["z": 1]])
    #expect(try await page.getDocument()["map"] == ["z": 1])
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
    #expect(try await page.getDocument()["a"] == 1)
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
    #expect(try await page.getDocument()["a"] == 2)
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
    #expect(try await snapshots.next()?["n"] == 1)
    try await page.setData(["n": .increment(1)], merge: true)
    #expect(try await snapshots.next()?["n"] == 2)
  }
}

import Foundation
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

/// The kinds of writes: what is found when it is written, merging, updating, preconditions.
struct WriteTests {
  @Test func valuesAreFoundWhenTheyAreWritten() async throws {
    let moment = Timestamp(seconds: 1_000, nanoseconds: 987_654_321)
    let page = try makeStore(now: moment).document("pages/tea")
    let data: DocumentData = [
      "title": "Tea", "views": .increment(1), "tags": .arrayUnion(["hot", "hot"]), "best": .maximum(4.5),
      "seen": .serverTimestamp, "inner": ["at": .serverTimestamp, "count": .increment(2)],
    ]
    try await page.set(data)
    try await page.set(data, merge: true)
    let seen = Value.timestamp(Timestamp(seconds: 1_000, nanoseconds: 987_000_000))
    #expect(
      try await page.get().fields == [
        "title": "Tea", "views": 2, "tags": ["hot"], "best": 4.5, "seen": seen,
        "inner": ["at": seen, "count": 4],
      ])
    // Replacing begins anew.
    try await page.set(data)
    #expect(try await page.get()["views"] == 1)
  }

  @Test func aCommitHasOneTime() async throws {
    let store = makeStore()
    let (a, b) = (try store.document("c/a"), try store.document("c/b"))
    try await store.batch().set(["at": .serverTimestamp, "too": .serverTimestamp], at: a)
      .set(["at": .serverTimestamp], at: b).commit()
    let first = try await a.get()
    #expect(first["at"] == first["too"])
    #expect(try await b.get()["at"] == first["at"])
  }

  @Test func mergingRemovesAndKeeps() async throws {
    let page = try makeStore().document("pages/tea")
    try await page.set(["a": 1, "b": ["c": 2, "d": 3], "e": 4])
    try await page.set(["b": ["c": .delete, "n": 5], "e": .delete, "missing": .delete], merge: true)
    #expect(try await page.get().fields == ["a": 1, "b": ["d": 3, "n": 5]])
  }

  @Test func whatIsReplacedCanNotBeDeletedFrom() async throws {
    let page = try makeStore().document("pages/tea")
    let thrown = await #expect(throws: StoreError.self) { try await page.set(["a": ["b": .delete]]) }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("a.b") == true)
    #expect(try await !page.get().exists)
  }

  @Test func mergingSomeFieldsIgnoresTheRest() async throws {
    let page = try makeStore().document("pages/tea")
    try await page.set(["a": 1, "b": ["c": 2, "d": 3], "n": 10, "gone": 1])
    try await page.set(
      ["a": 9, "b": ["c": 8], "n": .increment(1), "other": .increment(1), "gone": .delete],
      mergeFields: ["b.c", "n", "gone"])
    #expect(try await page.get().fields == ["a": 1, "b": ["c": 8, "d": 3], "n": 11])
    // A whole map replaces.
    try await page.set(["b": ["x": 1]], mergeFields: ["b"])
    #expect(try await page.get()["b"] == ["x": 1])
    let thrown = await #expect(throws: StoreError.self) {
      try await page.set(["a": 1], mergeFields: ["a", "z"])
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("\"z\"") == true)
  }

  @Test func updatingComputesDeletesAndReplacesMaps() async throws {
    let page = try makeStore().document("pages/tea")
    try await page.set(["a": 1, "b": ["c": 2, "d": 3], "list": [1, 2, 3]])
    try await page.update([
      "a": .increment(5), "b.c": .delete, "list": .arrayRemove([2]), "new.deep": .serverTimestamp,
      "map": ["x": 1, "y": .increment(1)],
    ])
    let fields = try await page.get().fields
    #expect(fields?["a"] == 6)
    #expect(fields?["b"] == ["d": 3])
    #expect(fields?["list"] == [1, 3])
    #expect(fields?["map"] == ["x": 1, "y": 1])
    try await page.update(["map": ["z": 1]])
    #expect(try await page.get()["map"] == ["z": 1])
    let thrown = await #expect(throws: StoreError.self) { try await page.update(["map": ["z": .delete]]) }
    #expect(thrown?.message.contains("map.z") == true)
  }

  @Test func creatingWhatIsThereIsAnError() async throws {
    let page = try makeStore().document("pages/tea")
    try await page.create(["a": 1])
    let thrown = await #expect(throws: StoreError.self) { try await page.create(["a": 2]) }
    #expect(thrown?.code == .alreadyExists)
    #expect(try await page.get()["a"] == 1)
  }

  @Test func aWriteMayDependOnTheLastChange() async throws {
    let page = try makeStore().document("pages/tea")
    try await page.set(["a": 1])
    let read = try #require(try await page.get().updateTime)
    try await page.update(["a": 2], if: .updated(read))
    for write in [
      { try await page.update(["a": 3], if: .updated(read)) }, { try await page.delete(if: .updated(read)) },
    ] as [@Sendable () async throws -> Void] {
      let thrown = await #expect(throws: StoreError.self) { try await write() }
      #expect(thrown?.code == .failedPrecondition)
    }
    #expect(try await page.get()["a"] == 2)
    let missing = try page.store.document("pages/none")
    let thrown = await #expect(throws: StoreError.self) { try await missing.delete(if: .exists(true)) }
    #expect(thrown?.code == .notFound)
  }

  @Test func whatCanNotBeComputedChangesNothing() async throws {
    let store = makeStore()
    let page = try store.document("pages/tea")
    let other = try store.document("pages/coffee")
    let thrown = await #expect(throws: StoreError.self) {
      try await store.batch().set(["a": 1], at: other).set(["list": .arrayUnion([[1]])], at: page).commit()
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("list") == true)
    #expect(try await !other.get().exists)
  }

  @Test func listenersSeeComputedValues() async throws {
    let page = try makeStore().document("pages/tea")
    var snapshots = page.snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.exists == false)
    try await page.set(["n": .increment(1)], merge: true)
    #expect(try await snapshots.next()?["n"] == 1)
    try await page.set(["n": .increment(1)], merge: true)
    #expect(try await snapshots.next()?["n"] == 2)
  }
}

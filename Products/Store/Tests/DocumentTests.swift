import Foundation
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

struct DocumentTests {
  @Test func whatWasSetIsReadBack() async throws {
    let store = makeStore()
    let tea = try store.document("notes/tea")
    #expect(try await !tea.get().exists)
    try await tea.set(["title": "Tea", "rating": 5, "tags": ["hot", "green"]])
    let snapshot = try await tea.get()
    #expect(snapshot.fields == ["title": "Tea", "rating": 5, "tags": ["hot", "green"]])
    #expect(snapshot["rating"] == 5)
    #expect(snapshot.createTime == snapshot.updateTime && snapshot.createTime != nil)
    try await tea.set(["title": "Coffee"])
    #expect(try await tea.get().fields == ["title": "Coffee"])
    try await tea.delete()
    try await tea.delete()
    #expect(try await !tea.get().exists)
  }

  @Test func mergingKeepsWhatIsNotNamed() async throws {
    let place = try makeStore().document("places/ulm")
    try await place.set(["a": ["x": 1, "y": 2], "b": 1])
    try await place.set(["a": ["x": 9], "c": [:]], merge: true)
    #expect(try await place.get().fields == ["a": ["x": 9, "y": 2], "b": 1, "c": [:]])
    // An empty map replaces what was there.
    try await place.set(["a": [:]], merge: true)
    #expect(try await place.get().fields == ["a": [:], "b": 1, "c": [:]])
    try await (try place.store.document("places/new")).set(["a": 1], merge: true)
    #expect(try await place.store.document("places/new").get().exists)
  }

  @Test func updatingChangesFieldsByTheirPaths() async throws {
    let place = try makeStore().document("places/ulm")
    try await place.set(["a": ["x": 1, "y": 2], "b": 1])
    try await place.update(["a.x": 9, "c.d": "new", "b": ["z": 1]])
    #expect(try await place.get().fields == ["a": ["x": 9, "y": 2], "b": ["z": 1], "c": ["d": "new"]])
    try await place.update(["a.y": .delete, "c": .delete, "nothing": .delete])
    #expect(try await place.get().fields == ["a": ["x": 9], "b": ["z": 1]])
  }

  @Test func updatingWhatIsNotThereIsAnErrorThatNamesIt() async throws {
    let store = makeStore()
    let thrown = await #expect(throws: StoreError.self) {
      try await store.document("places/ulm").update(["a": 1])
    }
    #expect(thrown?.code == .notFound)
    #expect(thrown?.message.contains("places/ulm") == true)
  }

  @Test func fieldsThatContainEachOtherCanNotBeUpdatedAtOnce() async throws {
    let place = try makeStore().document("places/ulm")
    try await place.set(["a": 1])
    let thrown = await #expect(throws: StoreError.self) { try await place.update(["a": 1, "a.b": 2]) }
    #expect(thrown?.code == .invalidArgument)
  }

  @Test func invalidDataIsRefusedWithItsFieldBeforeAnythingChanges() async throws {
    let store = makeStore()
    let batch = store.batch()
    try batch.set(["fine": 1], at: store.document("c/a"))
    try batch.set(["outer": ["inner": [[1]]]], at: store.document("c/b"))
    let thrown = await #expect(throws: StoreError.self) { try await batch.commit() }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("outer.inner") == true)
    #expect(try await store.collection("c").get().isEmpty)
  }

  @Test func aBatchIsMadeWholeInItsOrder() async throws {
    let store = makeStore()
    let one = try store.document("c/one")
    try await one.set(["n": 0])
    let batch = store.batch()
    try batch.update(["n": 1], at: one).set(["n": 5], at: store.document("c/two")).delete(
      store.document("c/two")
    )
    try batch.set(["n": 2], at: one)
    #expect(batch.count == 4)
    try await batch.commit()
    #expect(try await one.get().fields == ["n": 2])
    #expect(try await store.collection("c").count() == 1)
    await #expect(throws: StoreError.self) { try await batch.commit() }
    #expect(throws: StoreError.self) { try batch.delete(one) }
    #expect(throws: StoreError.self) { try store.batch().delete(makeStore().document("c/one")) }
  }

  @Test func aWriteThatChangesNothingKeepsTheUpdateTime() async throws {
    let store = makeStore(now: Timestamp(seconds: 100))
    let document = try store.document("c/d")
    try await document.set(["a": 1])
    let first = try await document.get()
    try await document.set(["a": 1])
    #expect(try await document.get().updateTime == first.updateTime)
    try await document.set(["a": 1.0])
    let changed = try await document.get()
    // The clock stands still, but a changed document is always newer.
    #expect(changed.updateTime == Timestamp(seconds: 100, nanoseconds: 1000))
    #expect(changed.createTime == Timestamp(seconds: 100))
  }

  struct Note: Codable, Equatable {
    var title: String
    var modified: Date
  }

  @Test func swiftValuesAreStoredAndRead() async throws {
    let store = makeStore()
    let note = Note(title: "Tea", modified: Date(timeIntervalSince1970: 12.5))
    let reference = try await store.collection("notes").add(note)
    #expect(reference.documentID.utf8.count == 20)
    #expect(try await reference.get().decode(Note.self) == note)
    #expect(
      try await reference.get()["modified"] == .timestamp(Timestamp(seconds: 12, nanoseconds: 500_000_000))
    )
    let missing = try store.document("notes/none")
    let snapshot = try await missing.get()
    let thrown = #expect(throws: StoreError.self) { try snapshot.decode(Note.self) }
    #expect(thrown?.code == .notFound)
  }

  @Test func namesThatSwiftHoldsForEqualAreDifferentDocuments() async throws {
    let store = makeStore()
    try await store.document("c/é").set(["n": 1])
    try await store.document("c/e\u{301}").set(["n": 2])
    #expect(try await store.collection("c").get().documents.map { $0["n"] } == [2, 1])
  }

  @Test(arguments: ["", "c", "c/d/e", "c//d", "c/__x__"])
  func aBadPathIsRefused(path: String) {
    let thrown = #expect(throws: StoreError.self) { try makeStore().document(path) }
    #expect(thrown?.code == .invalidArgument)
  }
}

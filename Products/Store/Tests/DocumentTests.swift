import Foundation
import TenonTestSupport
import Testing

@testable import TenonStore

@Suite(.limited) struct DocumentTests {
  @Test func aDocumentIsReadAsItWasSet() async throws {
    let store = makeStore()
    let tea = store.document("notes/tea")
    #expect(try await !tea.getDocument().exists)
    try await tea.setData(["title": "Tea", "rating": 5, "tags": ["hot", "green"]])
    let snapshot = try await tea.getDocument()
    #expect(snapshot.fields == ["title": "Tea", "rating": 5, "tags": ["hot", "green"]])
    #expect(snapshot.fields?["rating"] == 5)
    #expect(snapshot.createTime == snapshot.updateTime && snapshot.createTime != nil)
    try await tea.setData(["title": "Coffee"])
    #expect(try await tea.getDocument().fields == ["title": "Coffee"])
    try await tea.delete()
    try await tea.delete()
    #expect(try await !tea.getDocument().exists)
  }

  @Test func mergingKeepsOtherFields() async throws {
    let place = makeStore().document("places/ulm")
    try await place.setData(["a": ["x": 1, "y": 2], "b": 1])
    try await place.setData(["a": ["x": 9], "c": [:]], merge: true)
    #expect(try await place.getDocument().fields == ["a": ["x": 9, "y": 2], "b": 1, "c": [:]])
    // An empty map replaces the previous value.
    try await place.setData(["a": [:]], merge: true)
    #expect(try await place.getDocument().fields == ["a": [:], "b": 1, "c": [:]])
    try await (place.store.document("places/new")).setData(["a": 1], merge: true)
    #expect(try await place.store.document("places/new").getDocument().exists)
  }

  @Test func updatingChangesFieldsByTheirPaths() async throws {
    let place = makeStore().document("places/ulm")
    try await place.setData(["a": ["x": 1, "y": 2], "b": 1])
    try await place.updateData(["a.x": 9, "c.d": "new", "b": ["z": 1]])
    #expect(
      try await place.getDocument().fields == ["a": ["x": 9, "y": 2], "b": ["z": 1], "c": ["d": "new"]])
    try await place.updateData(["a.y": .delete(), "c": .delete(), "nothing": .delete()])
    #expect(try await place.getDocument().fields == ["a": ["x": 9], "b": ["z": 1]])
  }

  @Test func updatingAMissingDocumentIsAnErrorThatNamesIt() async throws {
    let store = makeStore()
    let thrown = await #expect(throws: StoreError.self) {
      try await store.document("places/ulm").updateData(["a": 1])
    }
    #expect(thrown?.code == .notFound)
    #expect(thrown?.message.contains("places/ulm") == true)
  }

  @Test func fieldsThatContainEachOtherCannotBeUpdatedTogether() async throws {
    let place = makeStore().document("places/ulm")
    try await place.setData(["a": 1])
    let thrown = await #expect(throws: StoreError.self) { try await place.updateData(["a": 1, "a.b": 2]) }
    #expect(thrown?.code == .invalidArgument)
  }

  @Test func invalidDataIsRejectedWithItsFieldBeforeAnythingChanges() async throws {
    let store = makeStore()
    let batch = store.batch()
    try batch.setData(["fine": 1], forDocument: store.document("c/a"))
    try batch.setData(["outer": ["inner": [[1]]]], forDocument: store.document("c/b"))
    let thrown = await #expect(throws: StoreError.self) { try await batch.commit() }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("outer.inner") == true)
    #expect(try await store.collection("c").getDocuments().isEmpty)
  }

  @Test func aBatchIsAppliedAtomicallyInOrder() async throws {
    let store = makeStore()
    let one = store.document("c/one")
    try await one.setData(["n": 0])
    let batch = store.batch()
    try batch.updateData(["n": 1], forDocument: one).setData(["n": 5], forDocument: store.document("c/two"))
      .deleteDocument(
        store.document("c/two")
      )
    try batch.setData(["n": 2], forDocument: one)
    #expect(batch.count == 4)
    try await batch.commit()
    #expect(try await one.getDocument().fields == ["n": 2])
    #expect(try await store.collection("c").count.getAggregation().count == 1)
    await #expect(throws: StoreError.self) { try await batch.commit() }
    #expect(throws: StoreError.self) { try batch.deleteDocument(one) }
    #expect(throws: StoreError.self) { try store.batch().deleteDocument(makeStore().document("c/one")) }
  }

  @Test func aWriteThatChangesNothingKeepsTheUpdateTime() async throws {
    let store = makeStore(now: Timestamp(seconds: 100))
    let document = store.document("c/d")
    try await document.setData(["a": 1])
    let first = try await document.getDocument()
    try await document.setData(["a": 1])
    #expect(try await document.getDocument().updateTime == first.updateTime)
    try await document.setData(["a": 1.0])
    let changed = try await document.getDocument()
    // The clock doesn't advance, but a changed document always has a newer version.
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
    let reference = try await store.collection("notes").addDocument(from: note)
    #expect(reference.documentID.utf8.count == 20)
    #expect(try await reference.getDocument().data(as: Note.self) == note)
    #expect(
      try await reference.getDocument().fields?["modified"]
        == .timestamp(Timestamp(seconds: 12, nanoseconds: 500_000_000))
    )
    let missing = store.document("notes/none")
    let snapshot = try await missing.getDocument()
    let thrown = #expect(throws: StoreError.self) { try snapshot.data(as: Note.self) }
    #expect(thrown?.code == .notFound)
  }

  @Test func canonicallyEquivalentNamesAreDifferentDocuments() async throws {
    let store = makeStore()
    try await store.document("c/é").setData(["n": 1])
    try await store.document("c/e\u{301}").setData(["n": 2])
    #expect(try await store.collection("c").getDocuments().documents.map { $0.fields["n"] } == [2, 1])
  }

  @Test(arguments: ["", "c", "c/d/e", "c//d", "c/__x__"])
  func anInvalidPathIsRejected(path: String) async {
    let thrown = await #expect(throws: StoreError.self) { try await makeStore().document(path).getDocument() }
    #expect(thrown?.code == .invalidArgument)
  }
}

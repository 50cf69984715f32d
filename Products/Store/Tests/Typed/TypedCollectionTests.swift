import Foundation
import TenonStore
import TenonTestSupport
import Testing

/// Collections whose documents are models.
@Suite(.limited) struct TypedCollectionTests {
  enum Status: String, Codable, CaseIterable { case open, done }
  struct Author: Codable, Equatable { var name: String }
  struct Note: Codable, Equatable {
    @DocumentID var id: String?
    var title: String
    var rating = 0
    var tags: [String]? = nil
    var status = Status.open
    var author: Author? = nil
    @ServerTimestamp var created: Date?
  }

  private static func notes() async throws -> TypedCollection<Note> {
    let notes = makeStore().collection("notes", of: Note.self)
    try await notes.document("tea").setData(
      Note(title: "Tea", rating: 5, tags: ["hot"], author: Author(name: "Ann"), created: nil))
    try await notes.document("coffee").setData(
      Note(title: "Coffee", rating: 3, tags: ["hot", "black"], created: nil))
    try await notes.document("juice").setData(Note(title: "Juice", rating: 1, status: .done, created: nil))
    return notes
  }

  private static func ids(_ query: some TypedQueryable<Note>) async throws -> [String] {
    let snapshot = try await TypedQuerySnapshot(query.untyped.getDocuments(), of: Note.self)
    return snapshot.documents.map(\.documentID)
  }

  @Test func modelsAreWrittenAndReadWithTheirIDs() async throws {
    let notes = try await Self.notes()
    let added = try await notes.addDocument(Note(title: "Cocoa", created: nil))
    let snapshot = try await added.getDocument()
    let cocoa = try snapshot.data()
    #expect(cocoa.title == "Cocoa" && cocoa.id == added.documentID && cocoa.created != nil)
    #expect(snapshot.id == added.reference && snapshot.document == added && snapshot.exists)
    try await added.setData(Note(title: "Milk", rating: 9, created: nil), mergeFields: [\.title])
    #expect(try await added.getDocument().data().title == "Milk")
    #expect(try await added.getDocument().data().rating == 0)
    try await added.updateData(\.author, to: Author(name: "Ben"))
    try await added.updateData(\.rating, to: 2)
    let updated = try await added.getDocument().data()
    #expect(updated.author == Author(name: "Ben") && updated.rating == 2 && updated.title == "Milk")
    await #expect { try await added.create(updated) } throws: { ($0 as? StoreError)?.code == .alreadyExists }
    try await added.delete()
    let deleted = try await added.getDocument()
    #expect(!deleted.exists)
    #expect { try deleted.data() } throws: { ($0 as? StoreError)?.code == .notFound }
  }

  @Test func typedQueriesHaveWhatUntypedOnesHave() async throws {
    let notes = try await Self.notes()
    let hot = notes.whereField("tags", arrayContains: "hot").order(by: \.rating).order(by: "title")
    let first = try await hot.limit(to: 1).getDocuments()
    #expect(try first.data().map(\.title) == ["Coffee"])
    let last = try #require(first.documents.last)
    #expect(last["author"] == nil && last.reference == last.document.reference)
    #expect(try await Self.ids(hot.start(afterDocument: last)) == ["tea"])
    #expect(try await Self.ids(hot.start(after: 3, "Coffee")) == ["tea"])
    #expect(try await hot.explain().results == 2)
    var changes = hot.snapshots.makeAsyncIterator()
    #expect(try await changes.next()?.data().map(\.title) == ["Coffee", "Tea"])
  }

  @Test func keyPathsNameFieldsInQueries() async throws {
    let notes = try await Self.notes()
    #expect(try await Self.ids(notes.whereField(\.title, isEqualTo: "Tea")) == ["tea"])
    #expect(try await Self.ids(notes.whereField(\.title, isNotEqualTo: "Tea")) == ["coffee", "juice"])
    #expect(
      try await Self.ids(notes.whereField(\.rating, isGreaterThan: 1).order(by: \.rating)) == [
        "coffee", "tea",
      ])
    #expect(try await Self.ids(notes.whereField(\.rating, isGreaterThanOrEqualTo: 3)) == ["coffee", "tea"])
    #expect(try await Self.ids(notes.whereField(\.rating, isLessThan: 3)) == ["juice"])
    #expect(try await Self.ids(notes.whereField(\.rating, isLessThanOrEqualTo: 3)) == ["juice", "coffee"])
    #expect(try await Self.ids(notes.whereField(\.status, isEqualTo: .done)) == ["juice"])
    #expect(try await Self.ids(notes.whereField(\.author?.name, isEqualTo: "Ann")) == ["tea"])
    #expect(try await Self.ids(notes.whereField(\.author, isEqualTo: Author(name: "Ann"))) == ["tea"])
    #expect(try await Self.ids(notes.whereField(\.tags, arrayContains: "black")) == ["coffee"])
    #expect(try await Self.ids(notes.whereField(\.title, in: ["Tea", "Juice"])) == ["juice", "tea"])
    #expect(try await Self.ids(notes.whereField(\.title, notIn: ["Tea", "Juice"])) == ["coffee"])
    #expect(try await Self.ids(notes.whereField(\.id, isEqualTo: "tea")) == ["tea"])
    #expect(
      try await Self.ids(notes.whereField(\.created, isGreaterThan: Date(timeIntervalSince1970: 0))).count
        == 3)
    let either = Filter.orFilter([
      .whereField(try notes.field(\.rating), isEqualTo: 5), .whereField("status", isEqualTo: "done"),
    ])
    #expect(try await Self.ids(notes.whereFilter(either)) == ["juice", "tea"])
    let ordered = notes.order(by: \.rating, descending: true)
    let page = try await ordered.limit(to: 1).getDocuments()
    #expect(try page.data().map(\.title) == ["Tea"])
    #expect(
      try await Self.ids(ordered.start(afterDocument: try #require(page.documents.first)).limit(to: 1)) == [
        "coffee"
      ])
    #expect(try await Self.ids(ordered.start(at: [3]).end(at: [1])) == ["coffee", "juice"])
    #expect(try await Self.ids(ordered.start(after: [3])) == ["juice"])
    #expect(try await Self.ids(ordered.end(before: [3])) == ["tea"])
    #expect(try await Self.ids(ordered.limit(toLast: 1)) == ["juice"])
    #expect(try await notes.count.getAggregation().count == 3)
    #expect(
      try await notes.aggregate([.sum(notes.field(\.rating))]).getAggregation()[.sum("rating")] == 9)
  }

  @Test func aDocumentThatCannotBeDecodedDoesNotHideTheOthers() async throws {
    let notes = try await Self.notes()
    try await notes.reference.document("odd").setData(["title": "Odd", "rating": "five", "status": "open"])
    try await notes.reference.document("short").setData(["rating": 1, "status": "open"])
    let snapshot = try await notes.untyped.documents(of: Note.self).getDocuments()
    #expect(snapshot.count == 5)
    var messages: [String: String] = [:]
    for document in snapshot.documents {
      do { _ = try document.data() } catch let error as StoreError {
        #expect(error.code == .failedPrecondition && error.underlying is DecodingError)
        messages[document.documentID] = error.message
      }
    }
    #expect(messages.keys.sorted() == ["odd", "short"])
    #expect(messages["odd"]?.contains("notes/odd") == true && messages["odd"]?.contains("\"rating\"") == true)
    #expect(messages["short"]?.contains("\"title\": it doesn't exist") == true)
    #expect(throws: StoreError.self) { try snapshot.data() }
  }

  @Test func typedListenersDeliverChanges() async throws {
    let notes = try await Self.notes()
    var snapshots = notes.whereField(\.rating, isGreaterThan: 2).snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.count == 2)
    try await notes.document("juice").updateData(\.rating, to: 4)
    let next = try #require(try await snapshots.next())
    #expect(next.documentChanges.map(\.document.documentID) == ["juice"])
    #expect(next.documentChanges.first?.type == .added)
    var document = notes.document("tea").snapshots.makeAsyncIterator()
    let tea = try await document.next()
    #expect(try tea?.data().title == "Tea")
    try await notes.document("tea").updateData(\.title, to: "Green tea")
    let green = try await document.next()
    #expect(try green?.data().title == "Green tea")
    let (titles, continuation) = AsyncStream<[String]>.makeStream()
    let registration = notes.order(by: \.rating).addSnapshotListener {
      continuation.yield((try? $0.get().data().map(\.title)) ?? [])
    }
    #expect(await titles.first { _ in true } == ["Coffee", "Juice", "Green tea"])
    registration.remove()
  }

  @Test func collectionsOfDocumentsAndGroupsAreTyped() async throws {
    let store = makeStore()
    let room = store.document("rooms/den", of: Author.self)
    try await room.setData(Author(name: "Den"))
    try await room.reference.collection("notes", of: Note.self).document("a").setData(
      Note(title: "A", created: nil))
    #expect(
      try await store.collectionGroup("notes", of: Note.self).getDocuments().data().map(\.title) == ["A"])
    #expect(room.path == "rooms/den" && "\(room)" == "rooms/den")
    let created = TypedDocumentSnapshot(
      DocumentSnapshot(fields: ["name": "Ann"], path: "people/ann"), of: Author.self)
    #expect(try created.data() == Author(name: "Ann"))
  }
}

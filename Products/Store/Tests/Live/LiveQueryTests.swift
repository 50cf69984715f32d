import TenonCore
import TenonDocuments
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// `LiveQuery`: the result of a query, observed on the main actor.
@MainActor @Suite(.limited) struct LiveQueryTests {
  /// A model whose conformance belongs to the main actor, as in an app that is isolated to it by default.
  struct Note: @MainActor Codable, Equatable {
    var title: String
    var rating = 0
  }

  private let store = makeStore()
  private var notes: CollectionReference { store.collection("notes") }

  /// Writes the notes `a`, `b` and `c` with ratings of 1, 2 and 3, and returns a live query that has received
  /// them, by rating.
  private func liveNotes() async throws -> LiveQuery<Note> {
    for (rating, id) in ["a", "b", "c"].enumerated() {
      try await notes.document(id).setData(from: Note(title: id, rating: rating + 1))
    }
    let live = LiveQuery(notes.order(by: "rating"), as: Note.self)
    await Invalidation.wait { !live.isLoading }
    return live
  }

  @Test func documentsAreDecodedAndFollowTheQuery() async throws {
    let live = LiveQuery(notes.whereField("rating", isGreaterThan: 0).order(by: "rating"), as: Note.self)
    #expect(live.isLoading && live.documents.isEmpty && live.snapshot == nil)
    await Invalidation.wait { !live.isLoading }
    #expect(live.documents.isEmpty && live.snapshot?.isEmpty == true && live.error == nil)

    try await notes.document("tea").setData(from: Note(title: "Tea", rating: 5))
    try await notes.document("ale").setData(from: Note(title: "Ale", rating: 1))
    try await notes.document("mud").setData(from: Note(title: "Mud", rating: -1))
    await Invalidation.wait { live.documents.count == 2 }
    #expect(live.values == [Note(title: "Ale", rating: 1), Note(title: "Tea", rating: 5)])
    #expect(live.documents.map(\.id) == ["notes/ale", "notes/tea"])

    try await notes.document("tea").delete()
    await Invalidation.wait { live.documents.count == 1 }
    #expect(live.values.map(\.title) == ["Ale"])
    #expect(!live.isFromCache && !live.hasPendingWrites)
  }

  @Test func aChangeToADocumentInvalidatesItsElementOnly() async throws {
    let live = try await liveNotes()
    let values = live.documents.map { row in Invalidation { _ = row.value } }
    let list = Invalidation { _ = live.documents }
    let all = Invalidation { _ = live.values }
    let state = Invalidation { _ = (live.error, live.isLoading, live.isFromCache, live.hasPendingWrites) }

    try await notes.document("b").updateData(["title": "B"])
    await Invalidation.wait { live.documents[1].value?.title == "B" }
    #expect(values.map(\.hasHappened) == [false, true, false])
    #expect(all.hasHappened && !list.hasHappened && !state.hasHappened)
  }

  @Test func elementsKeepTheirIdentityWhenTheyMove() async throws {
    let live = try await liveNotes()
    let (before, values) = (live.documents, live.documents.map { row in Invalidation { _ = row.value } })
    let list = Invalidation { _ = live.documents }

    try await notes.document("a").updateData(["rating": 9])
    await Invalidation.wait { live.documents.last?.id == "notes/a" }
    #expect(list.hasHappened && values.map(\.hasHappened) == [true, false, false])
    #expect(live.documents.elementsEqual([before[1], before[2], before[0]], by: ===))

    // A document that left the result keeps its last state, and gets a new element when it returns.
    try await notes.document("b").delete()
    await Invalidation.wait { live.documents.count == 2 }
    #expect(before[1].value == Note(title: "b", rating: 2))
    try await notes.document("b").setData(from: Note(title: "again", rating: 2))
    await Invalidation.wait { live.documents.count == 3 }
    #expect(live.documents[0] !== before[1] && live.documents[0].value?.title == "again")
    #expect(before[1].value?.title == "b")
  }

  /// Batches of one and of many changes, so that elements are moved one by one and compared as a whole.
  @Test(arguments: [1, 3, 40]) func anyChangesLeadToTheResultOfTheQuery(size: Int) async throws {
    var random = SeededGenerator(seed: UInt64(size))
    let query = notes.whereField("rating", isGreaterThan: 20).order(by: "rating").limit(to: 60)
    let live = LiveQuery(query, as: Note.self)
    for number in 0..<80 {
      try await notes.document("d\(number)").setData(from: Note(title: "", rating: number))
    }
    for round in 0..<60 {
      let rows = Dictionary(uniqueKeysWithValues: live.documents.map { ($0.id, $0) })
      let batch = store.batch()
      for _ in 0..<size {
        let document = notes.document("d\(Int.random(in: 0..<80, using: &random))")
        if Int.random(in: 0..<5, using: &random) == 0 {
          try batch.deleteDocument(document)
        } else {
          let note = Note(title: "\(round)", rating: .random(in: 0..<100, using: &random))
          try batch.setData(from: note, forDocument: document)
        }
      }
      try await batch.commit()
      let expected = try await query.getDocuments()
      await Invalidation.wait {
        live.documents.map(\.id) == expected.documents.map(\.reference.path)
          && live.values == expected.documents.compactMap { try? $0.data(as: Note.self) }
      }
      #expect(live.snapshot?.count == expected.count)
      // Snapshots in between may have removed a row and added it again, but none of those that didn't change.
      let unchanged = live.documents.filter { $0.value?.title != "\(round)" }
      #expect(unchanged.allSatisfy { rows[$0.id] === $0 || rows[$0.id] == nil })
    }
  }

  @Test func aDocumentThatCannotBeDecodedIsAnErrorOfItsElement() async throws {
    let live = try await liveNotes()
    try await notes.document("b").updateData(["title": 5])
    await Invalidation.wait { live.documents[1].value == nil }
    let error = try #require(live.documents[1].error)
    #expect(error.code == .invalidArgument && error.underlying is DecodingError)
    #expect(
      error.message
        == "The document notes/b can't be decoded as Note: title: expected String; the field holds 5 instead")
    #expect(live.error == nil && live.values.map(\.title) == ["a", "c"])

    try await notes.document("b").updateData(["title": "B"])
    await Invalidation.wait { live.documents[1].error == nil }
    #expect(live.values.map(\.title) == ["a", "B", "c"])
  }

  @Test func aDocumentIsDecodedOncePerVersionAndOnlyIfItIsRead() async throws {
    /// Counts how often it was decoded.
    @MainActor struct Counted: @MainActor Decodable {
      static var count = 0
      let rating: Int
      enum CodingKeys: CodingKey { case rating }

      init(from decoder: any Decoder) throws {
        Self.count += 1
        rating = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .rating)
      }
    }
    _ = try await liveNotes()
    let live = LiveQuery(notes.order(by: "rating"), as: Counted.self)
    await Invalidation.wait { !live.isLoading }
    #expect(Counted.count == 0)
    #expect(live.documents[0].value?.rating == 1 && live.documents[0].value?.rating == 1)
    #expect(live.documents[0].error == nil && Counted.count == 1)
    #expect(live.values.count == 3 && live.values.count == 3 && Counted.count == 3)

    let change = Invalidation { _ = live.documents[2].value }
    try await notes.document("c").updateData(["title": "C"])
    await Invalidation.wait { live.documents[2].snapshot?.fields?["title"] == "C" }
    #expect(change.hasHappened && live.values.count == 3 && Counted.count == 4)
  }

  @Test func theListenerBeginsWithTheObjectAndEndsWithIt() async throws {
    var live: LiveQuery<Note>? = LiveQuery(notes, as: Note.self)
    try await eventually { await store.engine.isListened }
    await Invalidation.wait { live?.isLoading == false }
    weak let released = live
    live = nil
    #expect(released == nil)
    try await eventually { await !store.engine.isListened }
  }

  @Test func anObjectThatIsReleasedBeforeItsFirstSnapshotLeavesNoListener() async throws {
    for _ in 0..<50 { _ = LiveQuery(notes, as: Note.self) }
    try await notes.document("a").setData(from: Note(title: "a"))
    try await eventually { await !store.engine.isListened }
    #expect(await store.engine.listenerCount == 0)
  }

  @Test func anInvalidQueryIsAnErrorAsAValue() async throws {
    let live = LiveQuery(notes.limit(to: -1), as: Note.self)
    await Invalidation.wait { live.error != nil }
    #expect(live.error?.code == .invalidArgument && !live.isLoading && live.documents.isEmpty)
  }

  @Test func theLastResultRemainsWhenTheDatabaseIsClosed() async throws {
    let live = try await liveNotes()
    await store.terminate()
    await Invalidation.wait { live.error != nil }
    #expect(live.error?.code == .closed && live.values.count == 3)
  }

  @Test func confirmationsInvalidateTheMetadataAndNotTheValues() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let live = LiveQuery(store.collection("notes"), as: Note.self)
    #expect(live.isFromCache)
    await Invalidation.wait { !live.isFromCache }

    remote.delayResponses()
    try await store.document("notes/a").setData(from: Note(title: "a"))
    await Invalidation.wait { live.documents.count == 1 }
    let row = live.documents[0]
    #expect(live.hasPendingWrites && row.hasPendingWrites && !row.isFromCache)
    let (value, pending) = (Invalidation { _ = row.value }, Invalidation { _ = row.hasPendingWrites })
    remote.deliverDelayedResponses()
    await Invalidation.wait { !live.hasPendingWrites }
    #expect(!row.hasPendingWrites && row.snapshot?.metadata.hasPendingWrites == false)
    #expect(pending.hasHappened && !value.hasHappened)

    let fromCache = Invalidation { _ = row.isFromCache }
    try await store.disableNetwork()
    await Invalidation.wait { live.isFromCache }
    #expect(row.isFromCache && fromCache.hasHappened && !value.hasHappened)
    await store.terminate()
  }
}
